"""Data sources in Python, read."""

from __future__ import annotations

import gc
from collections import namedtuple
from collections.abc import Callable, Iterator
from datetime import UTC, date, datetime, timedelta, timezone
from decimal import Decimal
from types import SimpleNamespace
from typing import Any, ClassVar

import polars as pl
import pyarrow as pa
import pytest

from flowcat_jupyter.formats.data_source import (
    DataSource,
    DataSourceReader,
    EqualTo,
    InputPartition,
    IsNotNull,
)
from flowcat_jupyter.formats.python import PythonFormat, format_name
from flowcat_jupyter.shared.conditions import Condition
from flowcat_jupyter.shared.errors import Invalid
from flowcat_jupyter.shared.wire import Column, OptionLayer, Source

Giving = Callable[..., PythonFormat]


def source(*columns: Column, **options: str) -> Source:
    layers = (OptionLayer("options", options),)
    return Source("r1", "table", ("main", "s", "t"), "given", "", options=layers, columns=columns)


def rows(form: PythonFormat, *columns: Column) -> list[tuple[Any, ...]]:
    return form.scan(source(*columns)).declared().collect().rows()


def refused(form: PythonFormat) -> str:
    with pytest.raises(Invalid) as caught:
        form.scan(source()).frame.collect()
    return caught.value.message


class Counting(DataSource):
    """Numbers in parts, as options say."""

    asked: ClassVar[list[list[Any]]] = []
    reads = 0

    @classmethod
    def name(cls) -> str:
        return "counting"

    def schema(self) -> str:
        return "part INT, n BIGINT NOT NULL COMMENT 'a number, from 0'"

    def reader(self, schema: Any) -> DataSourceReader:
        parts, each = int(self.options["PARTS"]), int(self.options["each"])

        class Reader(DataSourceReader):
            def partitions(self) -> list[InputPartition]:
                return [InputPartition(part) for part in range(parts)]

            def read(self, partition: InputPartition) -> Iterator[tuple[int, int]]:
                Counting.reads += 1
                for n in range(each):
                    yield partition.value, n

            def pushFilters(self, filters: list[Any]) -> list[Any]:  # noqa: N802
                Counting.asked.append(filters)
                return filters

        return Reader()


def test_rows_of_every_part_come_in_the_declared_types() -> None:
    scan = PythonFormat("counting", Counting).scan(source(parts="3", Each="5000"))
    assert scan.columns == (
        Column("part", "int"),
        Column("n", "bigint", nullable=False, comment="a number, from 0"),
    )
    frame = scan.declared().collect()
    assert frame.height == 15000
    assert frame.schema == {"part": pl.Int32, "n": pl.Int64}
    assert frame["n"].sum() == 3 * sum(range(5000))
    assert scan.frame.collect_schema()["part"] == pl.Int64


def test_parts_are_read_once_and_no_further_than_the_query_needs() -> None:
    Counting.reads = 0
    frame = PythonFormat("counting", Counting).scan(source(parts="9", each="5000")).frame
    assert frame.head(3).collect().height == 3
    assert Counting.reads == 1
    twice = pl.concat([frame, frame]).select(pl.len()).collect().item()
    assert (twice, frame.collect().height, Counting.reads) == (90000, 45000, 9)


def test_a_source_without_parts_has_no_rows() -> None:
    form = PythonFormat("counting", Counting)
    assert form.scan(source(parts="0", each="5")).frame.collect().height == 0


def test_filters_reach_a_reader_that_wants_them() -> None:
    Counting.asked.clear()
    opened = PythonFormat("counting", Counting).open(source(parts="1", each="2"))
    asked = (Condition("n", "=", (1,)), Condition("part", "not_null"))
    assert opened.scan((asked,)).frame.collect().height == 2
    opened.scan((asked, asked))
    assert Counting.asked == [[EqualTo(("n",), 1), IsNotNull(("part",))]]


def test_values_of_every_type_come_as_they_are(giving: Giving) -> None:
    zone = timezone(timedelta(hours=2))
    schema = (
        "a BOOLEAN, b TINYINT, c FLOAT, d DOUBLE, e STRING, f BINARY, g DATE, h TIMESTAMP, "
        "i TIMESTAMP_NTZ, j DECIMAL(5,2), k ARRAY<INT>, l MAP<STRING,INT>, m STRUCT<x:INT,y:STRING>"
    )
    row = (
        True,
        -128,
        0.5,
        1,
        "é",
        bytearray(b"x"),
        date(2020, 1, 2),
        datetime(2020, 1, 2, 3, tzinfo=zone),
        datetime(2020, 1, 2, 3),  # noqa: DTZ001
        Decimal("1.5"),
        [1, None],
        {"k": 1},
        (1, "z"),
    )
    got, nulls = rows(giving(schema, [row, (None,) * 13]))
    assert got[:7] == (True, -128, 0.5, 1.0, "é", b"x", date(2020, 1, 2))
    assert got[7] == datetime(2020, 1, 2, 1, tzinfo=UTC)
    assert got[9:] == (Decimal("1.50"), [1, None], [{"key": "k", "value": 1}], {"x": 1, "y": "z"})
    assert nulls == (None,) * 13


@pytest.mark.parametrize(
    ("kind", "value", "told"),
    [
        ("INT", "7", "is int, and row 2 has '7' (str)"),
        ("INT", True, "True (bool)"),
        ("INT", 1 << 31, "it is too large"),
        ("BIGINT", 1 << 63, "it is too large"),
        ("DOUBLE", "0.5", "'0.5' (str)"),
        ("DOUBLE", (1 << 53) + 1, "it may be no double"),
        ("FLOAT", 1e300, "it is too large"),
        ("STRING", 7, "7 (int)"),
        ("STRING", "\ud800", "(str)"),
        ("DATE", datetime(2020, 1, 1, tzinfo=UTC), "datetime"),
        ("TIMESTAMP", datetime(2020, 1, 1), "no time zone"),  # noqa: DTZ001
        ("TIMESTAMP_NTZ", datetime(2020, 1, 1, tzinfo=UTC), "declare timestamp"),
        ("DECIMAL(5,2)", Decimal("1.005"), "more than 2 digits after the point"),
        ("DECIMAL(5,2)", Decimal("1000"), "it is too large"),
        ("DECIMAL(5,2)", Decimal("NaN"), "it is no number"),
        ("DECIMAL(5,2)", 1.5, "1.5 (float)"),
        ("ARRAY<INT>", [1, "x"], "[1, 'x'] (list)"),
        ("ARRAY<STRING>", "text", "'text' (str)"),
        ("STRUCT<x:INT>", {"y": 1}, "there is no field y"),
    ],
)
def test_a_value_of_another_type_is_refused_with_its_place(
    giving: Giving, kind: str, value: object, told: str
) -> None:
    message = refused(giving(f"v {kind}", [(None,), (value,)]))
    assert message.startswith("Column v of the data source given (main.s.t)")
    assert told in message


def test_a_column_that_may_not_be_null_is_not(giving: Giving) -> None:
    message = refused(giving("v INT NOT NULL", [(1,), (None,)]))
    assert "row 2 has NULL there: the column may not be NULL" in message


def test_a_row_of_another_width_is_refused(giving: Giving) -> None:
    message = refused(giving("a INT, b INT", [(1, 2), (1, 2, 3)]))
    assert "row 2 has 3 values, and there are 2 columns: a, b" in message
    assert "it gave dict where a tuple" in refused(giving("a INT", [{"a": 1}]))


def test_rows_with_names_go_by_these(giving: Giving) -> None:
    Named = namedtuple("Named", ["name", "ID"])
    assert rows(giving("id INT, name STRING", [Named("x", 1), (2, "y")])) == [(1, "x"), (2, "y")]
    message = refused(giving("id INT, nick STRING", [Named("x", 1)]))
    assert "row 1 has the values name, ID, and the columns are id, nick" in message


def test_batches_of_arrow_and_frames_are_matched_by_name(giving: Giving) -> None:
    batch = pa.RecordBatch.from_pydict({"B": pa.array(["x"]), "a": pa.array([1], pa.int64())})
    frame = pl.DataFrame({"a": [2], "b": ["y"]})
    assert rows(giving("a INT, b STRING", [batch, frame, (3, "z")])) == [
        (1, "x"),
        (2, "y"),
        (3, "z"),
    ]
    assert "a batch has the columns a, and declared are a, b" in refused(
        giving("a INT, b STRING", [frame.select("a")])
    )
    assert "Column a is int" in refused(giving("a INT", [pl.DataFrame({"a": ["x"]})]))


def test_declared_columns_come_before_those_of_the_class(giving: Giving) -> None:
    assert rows(giving("a INT", [("x",)]), Column("b", "string")) == [("x",)]


def test_a_schema_may_be_of_pysparks_classes(giving: Giving) -> None:
    kind = SimpleNamespace(simpleString=lambda: "decimal(4,1)")
    fields = [SimpleNamespace(name="Amount", dataType=kind, nullable=False)]
    form = giving(SimpleNamespace(fields=fields), [(Decimal(1),)])
    assert form.facts(source()).columns == (Column("Amount", "decimal(4,1)", nullable=False),)


@pytest.mark.parametrize("schema", ["", "a", "a INT, A STRING", "a NOTHING", 7, "a INT,, b INT"])
def test_a_schema_that_cannot_be_is_refused(giving: Giving, schema: Any) -> None:
    with pytest.raises(Invalid):
        giving(schema, []).facts(source())


def test_an_error_of_the_class_is_told_by_its_type_and_message(giving: Giving) -> None:
    def failing() -> Iterator[Any]:
        yield (1,)
        raise KeyError("no such page")

    form = giving("a INT", failing())
    frame = form.scan(source()).frame
    for _ in range(2):
        with pytest.raises(Invalid) as caught:
            frame.collect()
        assert caught.value.message == (
            "The data source given (main.s.t) failed to read: KeyError: 'no such page'."
        )
        assert caught.value.condition == "DATA_SOURCE_FAILED"


def test_what_can_only_be_read_as_a_stream_is_refused_by_name() -> None:
    class Streaming(DataSource):
        def schema(self) -> str:
            return "a INT"

        def simpleStreamReader(self, schema: Any) -> Any:  # noqa: N802
            return None

    with pytest.raises(Invalid, match="simpleStreamReader"):
        PythonFormat("streaming", Streaming).open(source())


def test_there_are_no_versions_and_no_history(giving: Giving) -> None:
    form = giving("a INT", [])
    at = Source("r1", "table", ("t",), "given", "", version=1)
    for asked in (form.open, form.scan, form.facts):
        with pytest.raises(Invalid, match="no versions"):
            asked(at)
    with pytest.raises(Invalid, match="no history"):
        form.history(source(), 5)


def test_a_source_without_columns_says_how_to_give_them() -> None:
    class Bare(DataSource):
        def reader(self, schema: Any) -> Any:
            return None

    with pytest.raises(Invalid) as caught:
        PythonFormat("bare", Bare).facts(source())
    assert "CREATE TABLE t (id BIGINT) USING" in (caught.value.hint or "")


@pytest.mark.parametrize("held", [7, object, "text"])
def test_what_is_no_class_of_data_sources_is_refused(held: Any) -> None:
    with pytest.raises(Invalid, match="no class of data sources"):
        format_name(held)


def test_what_was_kept_on_disk_goes_with_the_frame(giving: Giving) -> None:
    frame = giving("a INT", [(1,)]).scan(source()).frame
    assert frame.collect().height == 1
    del frame
    gc.collect()
