"""A drawing as a Vega-Lite specification that fits every theme: it fixes no colour."""

from __future__ import annotations

from typing import Any

from flowcat_jupyter.worker.jobs.chart_choice import MOST_BARS, Candidate
from flowcat_jupyter.worker.jobs.chart_data import Axes, Drawing

SCHEMA = "https://vega.github.io/schema/vega-lite/v5.json"
HEIGHT = 320
MOST_TITLE = 80
_UTC = {"type": "utc"}
_OWN_COLOURS = 10
_SHORT = 3
_LEVEL = {"labelAngle": 0, "labelOverlap": True}
_UPRIGHT = {"labelLimit": 160}


def specification(drawing: Drawing, axes: Axes, x: Candidate) -> dict[str, Any]:
    """The specification, with its data."""
    y_title = _y_title(axes)
    x_title = _title(axes.x.heading, drawing.x_note)
    encoding: dict[str, Any] = {
        "x": {**_x(drawing, axes, x), "title": x_title},
        "y": {**_y(axes), "title": y_title},
        "tooltip": _tooltip(drawing, axes, x_title, y_title),
    }
    if axes.mark == "histogram":
        encoding["x2"] = {"field": "x2"}
        encoding["y2"] = {"field": "base"}
    if axes.colour is not None:
        title = _title(axes.colour.heading, None)
        encoding["color"] = {"field": "c", "type": "nominal", "title": title, **_palette(drawing)}
        if axes.mark == "bar" and not _adds_up(axes):
            encoding["xOffset"] = {"field": "c"}
    return {
        "$schema": SCHEMA,
        "title": {"text": _whole_title(axes, x_title, y_title)},
        "background": None,
        "width": "container",
        "height": HEIGHT,
        "autosize": {"type": "fit", "contains": "padding"},
        "data": {"values": drawing.points},
        "mark": _mark(axes, drawing),
        "encoding": encoding,
    }


def _palette(drawing: Drawing) -> dict[str, Any]:
    """The theme's own colours while they differ; they are ten."""
    many = len({point["c"] for point in drawing.points}) > _OWN_COLOURS
    return {"scale": {"scheme": "tableau20"}} if many else {}


def _y(axes: Axes) -> dict[str, Any]:
    filled = {"field": "y", "type": "quantitative", "scale": {"zero": _filled(axes)}}
    if axes.mark == "histogram":
        return {**filled, "field": "top"}
    if axes.mark in ("bar", "area"):
        return {**filled, "stack": "zero" if _adds_up(axes) else None}
    return filled


def _adds_up(axes: Axes) -> bool:
    """Whether values of several colours together mean something."""
    return axes.aggregate in ("sum", "count", "none")


def _filled(axes: Axes) -> bool:
    """Whether areas stand for values, which then must begin at zero."""
    return axes.mark in ("bar", "histogram", "area")


def _mark(axes: Axes, drawing: Drawing) -> dict[str, Any]:
    if axes.mark == "histogram":
        return {"type": "rect"}
    # A line of one point would be nothing to see.
    if axes.mark in ("line", "area") and len(drawing.points) <= MOST_BARS:
        return {"type": axes.mark, "point": True}
    return {"type": axes.mark}


def _x(drawing: Drawing, axes: Axes, x: Candidate) -> dict[str, Any]:
    if axes.x_kind == "time":
        return {"field": "x", "type": "temporal", "scale": _UTC}
    if axes.x_kind == "category":
        labels = drawing.x_order or []
        axis = _LEVEL if all(len(label) <= _SHORT for label in labels) else _UPRIGHT
        return {"field": "x", "type": "nominal", "sort": labels, "axis": axis}
    whole = {"axis": {"format": "d", **_LEVEL}} if x.calendar else {}
    if axes.mark == "bar" and len({point["x"] for point in drawing.points}) <= MOST_BARS:
        return {"field": "x", "type": "ordinal", **whole}
    return {"field": "x", "type": "quantitative", "scale": {"zero": False}, **whole}


def _tooltip(drawing: Drawing, axes: Axes, x_title: str, y_title: str) -> list[dict[str, Any]]:
    exact_x = {"field": "xt", "type": "nominal"} if axes.x_kind == "time" else _plain(axes)
    exact_y = {"field": "yt", "type": "nominal"} if drawing.exact_y else _NUMBER
    shown = [{**exact_x, "title": x_title}, {**exact_y, "title": y_title}]
    if axes.mark == "histogram" and axes.x_kind == "number":
        shown.insert(1, {"field": "x2", "type": "quantitative", "title": "up to"})
    if axes.colour is not None:
        title = _title(axes.colour.heading, None)
        shown.append({"field": "c", "type": "nominal", "title": title})
    return shown


_NUMBER = {"field": "y", "type": "quantitative", "format": ",.6~g"}


def _plain(axes: Axes) -> dict[str, Any]:
    kind = "quantitative" if axes.x_kind == "number" else "nominal"
    return {"field": "x", "type": kind}


def _y_title(axes: Axes) -> str:
    if axes.y is None:
        return "count"
    if axes.aggregate == "none":
        return _title(axes.y.heading, None)
    return f"{axes.aggregate}({_title(axes.y.heading, None)})"


def _title(heading: str, note: str | None) -> str:
    short = heading if len(heading) <= MOST_TITLE else f"{heading[: MOST_TITLE - 1]}…"
    return f"{short} ({note})" if note else short


def _whole_title(axes: Axes, x_title: str, y_title: str) -> str:
    joined = f"{x_title}" if axes.mark == "histogram" else f"{y_title} by {x_title}"
    return joined if axes.colour is None else f"{joined} and {_title(axes.colour.heading, None)}"
