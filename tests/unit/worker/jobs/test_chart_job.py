"""Charts: what is chosen, how much travels, and that names and values are never more than text."""

from __future__ import annotations

import json
import math
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import Any

import polars as pl
import pytest

from flowcat_jupyter.formats.types import spark_columns
from flowcat_jupyter.shared.errors import Invalid, NotFound
from flowcat_jupyter.shared.wire import Column
from flowcat_jupyter.shared.wire_rows import ChartChoice, ChartInfo, ChartJob, FilterTerm
from flowcat_jupyter.worker.jobs.cells import write_arrow
from flowcat_jupyter.worker.jobs.chart import run_chart
from flowcat_jupyter.worker.jobs.chart_choice import MOST_BARS, MOST_COLOURS
from flowcat_jupyter.worker.jobs.chart_data import MOST_POINTS

START = datetime(2013, 1, 1, 5, tzinfo=UTC)
HOSTILE = "a.b[0]\\\"'<img src=x onerror=alert(1)>"


@pytest.fixture
def chart(tmp_path, context):
    """Draws a frame; columns of the wish are names, for the tests' readers."""

    def ask(frame: pl.DataFrame, zone="UTC", filters=(), **wish) -> ChartInfo:
        spool = tmp_path / "spool"
        write_arrow(frame, spool)
        names = frame.columns
        keys = {
            key: str(names.index(value))
            if key in ("x", "y", "colour") and value in names
            else value
            for key, value in wish.items()
        }
        job = ChartJob(
            spool=str(spool),
            columns=tuple(Column(c.name, c.type) for c in spark_columns(frame.schema)),
            wish=ChartChoice(**keys),
            time_zone=zone,
            filters=filters,
        )
        info = run_chart(job, context)
        json.dumps(info.spec, allow_nan=False)
        return info

    return ask


def chosen(info: ChartInfo, frame: pl.DataFrame) -> tuple[str | None, ...]:
    def name(key):
        return None if key is None else frame.columns[int(key)]

    choice = info.chosen
    return (choice.mark, name(choice.x), name(choice.y), name(choice.colour), choice.aggregate)


IDS = {"flight_id": [5, 6, 7], "userId": [1, 2, 3]}
CHOICES = {
    "counts by category": (
        {"carrier": ["a", "b", "c"], "n": [1, 5, 3]},
        ("bar", "carrier", "n", None, "none"),
    ),
    "never two ids": (
        {**IDS, "at": [START, START, START], "delay": [1.0, 2.0, 3.0]},
        ("line", "at", "delay", None, "avg"),
    ),
    "time on x": (
        {"delay": [1.0, 2.0], "day": [date(2013, 1, 1), date(2013, 1, 2)]},
        ("line", "day", "delay", None, "none"),
    ),
    "months": ({"month": [1, 2, 3], "n": [3, 4, 5]}, ("bar", "month", "n", None, "none")),
    "months and carriers": (
        {"month": [1, 1, 2, 2], "carrier": ["a", "b", "a", "b"], "n": [1, 2, 3, 4]},
        ("bar", "month", "n", "carrier", "none"),
    ),
    "two measures": (
        {"dep_delay": [1.5, 2.5, 1.5], "arr_delay": [1.0, 2.0, 3.0]},
        ("point", "dep_delay", "arr_delay", None, "none"),
    ),
    "one measure": ({"delay": [1.5, 2.5]}, ("histogram", "delay", None, None, "count")),
    "categories alone": ({"carrier": ["a", "a", "b"]}, ("bar", "carrier", None, None, "count")),
    "totals are summed": (
        {"carrier": ["a", "a"], "total_sales": [1, 2]},
        ("bar", "carrier", "total_sales", None, "sum"),
    ),
    "ids alone": (IDS, ("histogram", "flight_id", None, None, "count")),
}


@pytest.mark.parametrize("case", CHOICES)
def test_a_chart_is_chosen_from_the_types(chart, case):
    values: Any
    values, expected = CHOICES[case]
    frame = pl.DataFrame(values)
    assert chosen(chart(frame), frame) == expected


def test_bars_of_categories_are_sorted_by_size_and_begin_at_zero(chart):
    info = chart(pl.DataFrame({"carrier": ["a", "b", "c"], "n": [1, 5, 3]}))
    encoding = info.spec["encoding"]
    assert encoding["x"]["sort"] == ["b", "c", "a"]
    assert encoding["y"]["scale"] == {"zero": True}
    line = chart(pl.DataFrame({"day": [date(2013, 1, 1), date(2013, 1, 2)], "v": [100.5, 101.5]}))
    assert line.spec["encoding"]["y"]["scale"] == {"zero": False}


def test_a_chart_fixes_no_colour_of_a_theme(chart):
    spec = chart(pl.DataFrame({"carrier": ["a", "b"], "n": [1, 2]})).spec
    assert spec["background"] is None
    assert "config" not in spec
    assert spec["$schema"].endswith("/vega-lite/v5.json")
    assert "#" not in json.dumps(spec)


def test_names_and_values_are_text_wherever_they_stand(chart):
    frame = pl.DataFrame({HOSTILE: [HOSTILE, "y"], "v]": [1.0, 2.0]})
    spec = chart(frame).spec
    assert {field["field"] for field in spec["encoding"]["tooltip"]} == {"x", "y"}
    assert [spec["encoding"][axis]["field"] for axis in "xy"] == ["x", "y"]
    assert spec["encoding"]["x"]["title"] == HOSTILE
    assert HOSTILE in [point["x"] for point in spec["data"]["values"]]
    assert set(spec["data"]["values"][0]) == {"x", "y"}


def test_exact_numbers_are_shown_exactly(chart):
    frame = pl.DataFrame({"k": ["a", "b"], "d": [Decimal("0.10"), Decimal("9007199254740993.25")]})
    info = chart(frame)
    assert [point["yt"] for point in info.spec["data"]["values"]] == ["0.10", "9007199254740993.25"]
    assert info.spec["encoding"]["tooltip"][1]["field"] == "yt"
    summed = chart(pl.DataFrame({"k": ["a", "a"], "n": [2**62, 2**62 + 1]}), aggregate="sum")
    assert summed.spec["data"]["values"][0]["yt"] == str(2**63 + 1)


def test_times_are_the_sessions_clock(chart):
    frame = pl.DataFrame({"at": [START, START + timedelta(hours=1)], "v": [1.0, 2.0]})
    spec = chart(frame, zone="America/New_York").spec
    midnight = datetime(2013, 1, 1, tzinfo=UTC).timestamp() * 1000
    assert spec["data"]["values"][0]["x"] == midnight
    assert spec["data"]["values"][0]["xt"] == "2013-01-01 00:00:00"
    assert spec["encoding"]["x"]["scale"] == {"type": "utc"}


def test_what_has_no_place_is_left_out_and_said(chart):
    frame = pl.DataFrame({"x": [1.5, math.nan, None, 2.5], "y": [1.0, 1.0, 1.0, math.inf]})
    info = chart(frame, mark="point", x="x", y="y")
    assert len(info.spec["data"]["values"]) == 1
    assert (info.rows, info.cut) == (4, True)
    assert any("2 rows without a place" in text for text in info.warnings)
    assert any("1 row whose y" in text for text in info.warnings)


def test_never_more_points_than_a_browser_likes(chart):
    rows = 60_000
    frame = pl.DataFrame(
        {"a": [n / 7 for n in range(rows)], "b": [n % 100 / 3 for n in range(rows)]}
    )
    info = chart(frame)
    assert 2_500 <= len(info.spec["data"]["values"]) <= MOST_POINTS
    assert info.cut
    times = pl.DataFrame(
        {"at": [START + timedelta(minutes=n) for n in range(rows)], "v": [1.5] * rows}
    )
    line = chart(times, aggregate="avg")
    assert len(line.spec["data"]["values"]) <= 400
    assert "(by " in line.spec["encoding"]["x"]["title"]
    numbers = chart(frame, mark="line", x="a", y="b", aggregate="max")
    assert len(numbers.spec["data"]["values"]) <= 101


def test_many_bars_and_many_colours_are_bounded_and_said(chart):
    frame = pl.DataFrame(
        {"k": [f"k{n % 300}" for n in range(3_000)], "c": [f"c{n % 90}" for n in range(3_000)]}
    )
    bars = chart(frame, x="k", aggregate="count")
    assert len({point["x"] for point in bars.spec["data"]["values"]}) == MOST_BARS
    assert bars.cut
    assert "50 of 300" in bars.warnings[0]
    colours = chart(frame, x="k", colour="c", aggregate="count")
    drawn = {point["c"] for point in colours.spec["data"]["values"]}
    assert len(drawn) <= MOST_COLOURS
    assert "other (71 values)" in drawn


def test_a_histogram_counts_every_number_once(chart):
    frame = pl.DataFrame({"v": [float(n % 977) for n in range(5_000)], "c": ["a", "b"] * 2_500})
    info = chart(frame, mark="histogram", x="v", colour="c")
    points = info.spec["data"]["values"]
    assert sum(point["y"] for point in points) == 5_000
    assert len({point["x"] for point in points}) <= 30
    assert max(p["top"] for p in points) > max(p["y"] for p in points), "colours are stacked"


def test_null_and_the_empty_text_are_categories(chart):
    info = chart(pl.DataFrame({"k": ["", None, "a"]}), x="k", aggregate="count")
    assert {point["x"] for point in info.spec["data"]["values"]} == {"", "NULL", "a"}


def test_only_filtered_rows_are_drawn(chart):
    frame = pl.DataFrame({"k": ["a", "b"], "n": [1, 2]})
    info = chart(frame, filters=(FilterTerm(1, ">", "1"),))
    assert [point["x"] for point in info.spec["data"]["values"]] == ["b"]


@pytest.mark.parametrize("empty", [True, False])
@pytest.mark.parametrize("mark", [None, "bar", "line", "area", "point", "histogram"])
@pytest.mark.parametrize("dtype", [pl.Int64, pl.Float64, pl.Date, pl.Datetime("us", "UTC")])
def test_nothing_and_all_null_can_be_drawn(chart, empty, mark, dtype):
    values = [] if empty else [None, None]
    frame = pl.DataFrame({"x": values, "y": values}, schema={"x": dtype, "y": pl.Float64})
    info = chart(frame, mark=mark, x="x")
    assert info.spec["data"]["values"] == []


@pytest.mark.parametrize(
    ("wish", "message"),
    [
        ({"mark": "pie"}, "no such chart"),
        ({"aggregate": "mode"}, "no such chart"),
        ({"x": "v", "y": "k", "aggregate": "sum"}, "cannot be measured"),
        ({"mark": "histogram", "x": "k"}, "needs numbers"),
        ({"x": "l"}, "l is ARRAY and cannot be drawn"),
    ],
)
def test_a_wish_that_cannot_be_drawn_says_why(chart, wish, message):
    frame = pl.DataFrame({"k": ["a"], "v": [1.5], "l": [[1]]})
    with pytest.raises(Invalid, match=message):
        chart(frame, **wish)


def test_a_column_that_is_not_there(chart):
    with pytest.raises(NotFound):
        chart(pl.DataFrame({"k": ["a"]}), x="17")
    with pytest.raises(Invalid, match="None of the columns"):
        chart(pl.DataFrame({"l": [[1]]}))


def test_a_tables_columns_go_by_name(context, delta_source):
    source = delta_source(pl.DataFrame({"Carrier": ["a", "b"], "n": [1, 2]}))
    info = run_chart(ChartJob(source=source, wish=ChartChoice(x="CARRIER")), context)
    assert (info.chosen.x, info.chosen.y) == ("Carrier", "n")
