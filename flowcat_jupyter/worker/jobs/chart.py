"""Rows drawn."""

from __future__ import annotations

from dataclasses import replace

from flowcat_jupyter.shared.errors import Invalid
from flowcat_jupyter.shared.types import parse_type
from flowcat_jupyter.shared.wire_rows import ChartInfo, ChartJob
from flowcat_jupyter.worker.context import JobContext
from flowcat_jupyter.worker.jobs.chart_choice import candidates, choose, kind_of, telling_apart
from flowcat_jupyter.worker.jobs.chart_data import Axes, draw
from flowcat_jupyter.worker.jobs.chart_spec import specification
from flowcat_jupyter.worker.jobs.filters import Field
from flowcat_jupyter.worker.jobs.sources import reading
from flowcat_jupyter.worker.jobs.views import Opened, open_view

_JOINING = ("sum", "avg")


def run_chart(job: ChartJob, context: JobContext) -> ChartInfo:
    """Choose what the wish leaves open, compute the points and specify how they are drawn.

    :raises NotFound: a column does not exist.
    :raises Invalid: the wish cannot be drawn, or there is nothing to draw.
    """
    view = open_view(job, context)
    wish = replace(
        job.wish,
        x=_key(view, job.wish.x),
        y=_key(view, job.wish.y),
        colour=_key(view, job.wish.colour),
    )
    with reading():
        frame = view.filtered()
        columns = candidates(frame, _keyed(view), (wish.x, wish.y, wish.colour))
        chosen = choose(wish, columns)
        if wish.aggregate is None and wish.colour is None and chosen.aggregate in _JOINING:
            chosen = telling_apart(frame, chosen, columns)
        found = {column.key: column for column in columns}
        axes = Axes(
            mark=chosen.mark or "bar",
            aggregate=chosen.aggregate or "count",
            x=found[chosen.x or ""].field,
            y=found[chosen.y].field if chosen.y else None,
            colour=found[chosen.colour].field if chosen.colour else None,
            zone=job.time_zone,
        )
        drawing = draw(frame, axes)
    spec = specification(drawing, axes, found[chosen.x or ""])
    return ChartInfo(chosen, spec, drawing.rows, drawing.cut, tuple(drawing.warnings))


def _keyed(view: Opened) -> list[tuple[str, Field]]:
    """The columns by their keys: indexes of a result's, names of a table's."""
    if view.view.spool is not None:
        return [(str(index), field) for index, field in enumerate(view.fields)]
    return [(field.heading, field) for field in view.fields]


def _key(view: Opened, wanted: str | None) -> str | None:
    """The key of a column that somebody named.

    :raises NotFound: there is none.
    :raises Invalid: it cannot be drawn.
    """
    if wanted is None:
        return None
    spooled = view.view.spool is not None
    field = view.field(int(wanted) if spooled and wanted.isdecimal() else wanted)
    if kind_of(field.dtype) is None:
        kind = parse_type(field.spark).kind.upper()
        raise Invalid(f"{field.heading} is {kind} and cannot be drawn.")
    return next(key for key, item in _keyed(view) if item.name == field.name)
