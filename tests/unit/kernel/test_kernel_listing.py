"""What a kernel says of the frames in it."""

from __future__ import annotations

import json
import sys
import time
from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from flowcat_jupyter.kernel import listing as module
from flowcat_jupyter.kernel.frames import listing


class Trap:
    """Answers every question with a fault."""

    def __getattribute__(self, name: str) -> Any:
        raise RuntimeError(name)


class Odd(pl.DataFrame):
    """A frame of a library's own, which does not do what frames do."""

    @property
    def height(self) -> int:
        raise RuntimeError("no")


def test_frames_are_told_with_their_columns_and_as_json():
    frame = pl.DataFrame({"n": [1, 2], "d": [None, None]}, schema={"n": pl.UInt8, "d": pl.Duration})
    told = listing(
        {
            "df": frame,
            "pdf": pd.DataFrame({"a": [1], 2: ["x"]}),
            "table": pa.table({"t": [1.5]}),
            "reader": pa.table({"t": [1.5]}).to_reader(),
            "_private": frame,
            "number": 3,
            "module": json,
            "not a name": frame,
            "DataFrame": pl.DataFrame,
        }
    )
    json.dumps(told, allow_nan=False)
    by_name = {item["name"]: item for item in told}
    assert list(by_name) == ["df", "pdf", "reader", "table"]
    assert by_name["df"]["rows"] == 2
    assert by_name["df"]["columns"] == [
        {"name": "n", "type": "smallint"},
        {"name": "d", "type": "Duration(time_unit='us')"},
    ]
    assert by_name["df"]["bytes"] > 0
    assert [c["name"] for c in by_name["pdf"]["columns"]] == ["a", "2"]
    assert (by_name["table"]["rows"], by_name["table"]["bytes"]) == (1, 8)
    assert (by_name["reader"]["rows"], by_name["reader"]["bytes"]) == (None, None)


def test_nothing_is_computed(tmp_path):
    def fail(frame: pl.DataFrame) -> pl.DataFrame:
        raise AssertionError("it was computed")

    lazy = pl.LazyFrame({"a": [1]}).map_batches(fail)
    (told, missing) = listing({"lazy": lazy, "scan": pl.scan_parquet(tmp_path / "no.parquet")})
    assert (told["kind"], told["rows"], told["columns"]) == ("lazy", None, None)
    assert missing["name"] == "scan"


def test_it_is_bounded():
    many = {f"f{number:03}": pl.DataFrame({"a": [1]}) for number in range(300)}
    assert len(listing(many)) == module.MOST_FRAMES
    wide = pl.DataFrame({f"c{number}": [1] for number in range(600)})
    for frame in (wide, wide.to_pandas(), wide.to_arrow()):
        (told,) = listing({"wide": frame})
        assert len(told["columns"]) == module.MOST_COLUMNS
        assert told["columns_total"] == 600


def test_it_never_fails_whatever_is_there():
    odd = Odd({"a": [1]})
    names: Any = {"trap": Trap(), "odd": odd, "fine": pl.DataFrame({"a": [1]}), 3: 4}
    told = listing(names)
    assert [item["name"] for item in told] == ["fine"]


def test_outside_of_ipython_there_are_none(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(sys.modules, "IPython", None)
    assert listing() == []


REPORT = "(lambda m: m and m.report(globals()))(__import__('sys').modules.get({!r}))"


def test_a_front_end_gets_it_from_a_silent_request(shell):
    shell.user_ns.update(df=pl.DataFrame({"a": [1]}), lazy=pl.LazyFrame({"b": ["x"]}))
    asked = shell.user_expressions({"f": REPORT.format(module.__name__)})
    assert [item["name"] for item in asked["f"]["data"][module.MIME]] == ["df", "lazy"]


def test_where_the_extension_is_not_loaded_there_is_no_answer(shell):
    asked = shell.user_expressions({"f": REPORT.format("nothing.of.this.name")})
    assert asked["f"]["data"] == {"text/plain": "None"}


def test_it_is_quick_for_an_ordinary_name_space():
    frames = {f"f{number}": pl.DataFrame({f"c{i}": [1] for i in range(20)}) for number in range(30)}
    names = {**{f"x{number}": number for number in range(2000)}, **frames}
    listing(names)
    times = []
    for _ in range(5):
        started = time.perf_counter()
        listing(names)
        times.append(time.perf_counter() - started)
    # Measured 3 ms; what is held here is that it does not grow a hundredfold.
    assert min(times) < 0.3
