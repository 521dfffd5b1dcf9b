"""Data sources in Python, written."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import polars as pl
import pytest

from flowcat_jupyter.formats.batches import lazily
from flowcat_jupyter.formats.data_source import (
    DataSource,
    DataSourceArrowWriter,
    DataSourceWriter,
    WriterCommitMessage,
)
from flowcat_jupyter.formats.protocol import SinkFormat
from flowcat_jupyter.formats.python import PythonFormat
from flowcat_jupyter.shared.errors import AlreadyExists, FlowcatError, Invalid
from flowcat_jupyter.shared.wire import Column, OptionLayer

FRAME = pl.DataFrame({"n": range(10_000)}).lazy()
COLUMNS = (Column("n", "bigint"),)


class Done(WriterCommitMessage):
    def __init__(self, rows: list[Any]) -> None:
        self.rows = rows


class Kept(DataSource):
    """Rows kept in the class, and everything that was called."""

    calls: list[Any]
    there: bool = False
    writes: Any = None

    def exists(self) -> bool:
        return self.there

    def writer(self, schema: Any, overwrite: bool) -> DataSourceWriter:
        self.calls.append(("writer", str(schema), overwrite, dict(self.options)))
        kind: Any = self.writes or Keeping
        made: DataSourceWriter = kind()
        return made


class Keeping(DataSourceWriter):
    def write(self, iterator: Iterator[Any]) -> Done:
        return Done(list(iterator))

    def commit(self, messages: list[Any]) -> None:
        Kept.calls.append(("commit", messages[0].rows))

    def abort(self, messages: list[Any]) -> None:
        Kept.calls.append(("abort", len(messages)))


@pytest.fixture
def form(monkeypatch: pytest.MonkeyPatch) -> PythonFormat:
    monkeypatch.setattr(Kept, "calls", [], raising=False)
    return PythonFormat("kept", Kept)


def save(form: PythonFormat, frame: pl.LazyFrame = FRAME, mode: str = "append", **more: Any) -> int:
    more.setdefault("columns", COLUMNS)
    return form.save(frame, location=more.pop("location", None), mode=mode, options=(), **more)


def test_a_python_format_is_a_sink(form: PythonFormat) -> None:
    assert isinstance(form, SinkFormat)


def test_all_rows_are_written_and_committed(form: PythonFormat) -> None:
    layers = (
        OptionLayer("session", {"timeZone": "UTC"}),
        OptionLayer("properties", {"mine": "x", "option.Size": "0"}),
        OptionLayer("table", {"Size": "1"}),
        OptionLayer("options", {"size": "2"}),
    )
    count = form.save(
        FRAME, location="/x", mode="overwrite", options=layers, partition_by=(), columns=COLUMNS
    )
    assert count == 10_000
    (made, committed) = Kept.calls
    assert made == ("writer", "`n` bigint", True, {"size": "2", "path": "/x"})
    assert [row.n for row in committed[1]] == list(range(10_000))


def test_values_arrive_as_python_has_them(form: PythonFormat) -> None:
    frame = pl.DataFrame(
        {
            "at": [datetime(2020, 1, 1, tzinfo=UTC)],
            "d": [Decimal("1.50")],
            "m": [[{"key": "k", "value": 1}]],
            "s": [{"x": 1, "y": None}],
        }
    )
    kinds = ("timestamp", "decimal(5,2)", "map<string,int>", "struct<x:int,y:string>")
    columns = [Column(name, kind) for name, kind in zip(frame.columns, kinds, strict=True)]
    save(form, frame.lazy(), columns=columns)
    (row,) = Kept.calls[-1][1]
    assert row == (datetime(2020, 1, 1, tzinfo=UTC), Decimal("1.50"), {"k": 1}, (1, None))
    assert row["s"].x == 1
    assert row.asDict()["d"] == Decimal("1.5")
    with pytest.raises(KeyError):
        row["nope"]
    with pytest.raises(AttributeError):
        _ = row.nope


def test_modes_ask_whether_there_is_something(
    form: PythonFormat, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert save(form, mode="error") == save(form, mode="ignore") == 10_000
    monkeypatch.setattr(Kept, "there", True)
    assert save(form, mode="ignore") == 0
    with pytest.raises(AlreadyExists):
        save(form, mode="error")
    monkeypatch.setattr(Kept, "exists", None)
    with pytest.raises(Invalid) as caught:
        save(form, mode="error")
    assert caught.value.condition == "UNSUPPORTED_DATA_SOURCE_SAVE_MODE"
    assert save(form, mode="append") == 10_000


class Breaking(Keeping):
    def write(self, iterator: Iterator[Any]) -> Done:
        next(iterator)
        raise OSError("disk of theirs is full")


class Stopping(Keeping):
    def write(self, iterator: Iterator[Any]) -> Done:
        return Done([next(iterator)])


class NotCommitting(Keeping):
    def commit(self, messages: list[Any]) -> None:
        raise RuntimeError("too late")


@pytest.mark.parametrize(
    ("writer", "told", "messages"),
    [
        (Breaking, "failed to write: OSError: disk of theirs is full.", 0),
        (Stopping, "stopped after 1 rows and left the rest", 1),
        (NotCommitting, "failed to commit: RuntimeError: too late.", 1),
    ],
)
def test_what_fails_is_aborted(
    form: PythonFormat,
    monkeypatch: pytest.MonkeyPatch,
    writer: Any,
    told: str,
    messages: int,
) -> None:
    monkeypatch.setattr(Kept, "writes", writer)
    with pytest.raises(Invalid, match=told):
        save(form)
    assert Kept.calls[1:] == [("abort", messages)]


def test_an_error_of_the_rows_is_told_as_it_is(form: PythonFormat) -> None:
    def frames() -> Iterator[pl.DataFrame]:
        yield pl.DataFrame({"n": [1]})
        raise FlowcatError("the rows ended", hint="look there")

    with pytest.raises(FlowcatError, match="the rows ended") as caught:
        save(form, lazily(frames, pl.Schema({"n": pl.Int64})))
    assert caught.value.hint == "look there"
    assert Kept.calls[1:] == [("abort", 0)]


class InBatches(Keeping, DataSourceArrowWriter):
    def write(self, iterator: Iterator[Any]) -> Done:
        return Done([batch.num_rows for batch in iterator])


def test_a_writer_may_take_arrow(form: PythonFormat, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Kept, "writes", InBatches)
    assert save(form) == 10_000
    assert sum(Kept.calls[-1][1]) == 10_000


def test_what_cannot_be_written_says_so(form: PythonFormat) -> None:
    with pytest.raises(Invalid, match="not partitioned"):
        save(form, partition_by=("n",))
    reading = PythonFormat("reading", type("Reading", (DataSource,), {}))
    with pytest.raises(Invalid, match="cannot be written: it has no code"):
        save(reading)
