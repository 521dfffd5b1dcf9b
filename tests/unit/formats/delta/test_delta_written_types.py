"""Types as they are written: stored as documented, or refused with the column and a remedy."""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal

import polars as pl
import pytest

from flowcat_jupyter.formats.types import storable_warnings
from flowcat_jupyter.shared.errors import Invalid

MOMENT = datetime.fromisoformat("2020-01-01T00:00:00")


STORED = {
    "categorical": (pl.Series(["a"], dtype=pl.Categorical), "string", "a"),
    "enum": (pl.Series(["a"], dtype=pl.Enum(["a"])), "string", "a"),
    "uint8": (pl.Series([200], dtype=pl.UInt8), "smallint", 200),
    "uint16": (pl.Series([65535], dtype=pl.UInt16), "int", 65535),
    "uint32": (pl.Series([2**32 - 1], dtype=pl.UInt32), "bigint", 2**32 - 1),
    "uint64": (pl.Series([2**63 + 5], dtype=pl.UInt64), "decimal(20,0)", Decimal(2**63 + 5)),
    "int128": (pl.Series([10**37], dtype=pl.Int128), "decimal(38,0)", Decimal(10**37)),
    "array": (pl.Series([[1, 2]], dtype=pl.Array(pl.UInt8, 2)), "array<smallint>", [1, 2]),
    "empty list": (pl.Series([[]], dtype=pl.List(pl.String)), "array<string>", []),
    "float16": (pl.Series([1.5], dtype=pl.Float16), "float", 1.5),
    "struct": (pl.Series([{"a b": 1}]), "struct<`a b`:bigint>", {"a b": 1}),
    "naive": (pl.Series([MOMENT]), "timestamp_ntz", MOMENT),
    "binary": (pl.Series([b"\xff"]), "binary", b"\xff"),
}


@pytest.mark.parametrize("kind", STORED)
def test_types_delta_lacks_are_stored_as_documented(table, kind):
    values, ddl, back = STORED[kind]
    table.write(pl.DataFrame({"v": values}))
    assert table.facts().columns[0].type == ddl
    assert table.rows() == [(back,)]


def test_nanoseconds_and_zones_become_utc_microseconds_of_the_same_instant(table):
    paris = pl.DataFrame({"t": [datetime.fromisoformat("2020-07-01T12:00")]}).with_columns(
        pl.col("t").dt.replace_time_zone("Europe/Paris").dt.cast_time_unit("ns")
    )
    table.write(paris)
    read = table.scan().frame.collect()
    assert read.schema == {"t": pl.Datetime("us", "UTC")}
    assert read["t"][0].hour == 10


REFUSED = {
    "duration": (pl.Series([timedelta(1)]), "total_microseconds"),
    "time": (pl.Series([time(1)]), "to_string"),
    "null": (pl.Series([None]), "Give it a type"),
    "object": (pl.Series([object()], dtype=pl.Object), "Python objects"),
    "empty struct": (pl.Series([{}], dtype=pl.Struct({})), "Give the struct a field"),
    "nested null": (pl.Series([[None]]), "Give it a type"),
}


@pytest.mark.parametrize("kind", REFUSED)
def test_types_without_a_place_are_refused_naming_column_and_remedy(table, kind):
    values, remedy = REFUSED[kind]
    with pytest.raises(Invalid, match="Column v is of a type") as caught:
        table.write(pl.DataFrame({"v": values}))
    assert remedy in str(caught.value.hint)
    assert not table.path.exists()


def test_an_integer_beyond_38_digits_is_refused(table):
    with pytest.raises(Invalid, match="'v'") as caught:
        table.write(pl.DataFrame({"v": pl.Series([10**38], dtype=pl.Int128)}))
    assert "as text" in str(caught.value.hint)
    assert not table.path.exists()


def test_the_writer_of_naive_timestamps_is_told_who_is_locked_out():
    schema = pl.Schema({"a": pl.List(pl.Datetime("us")), "b": pl.Datetime("us", "UTC")})
    (warning,) = storable_warnings(schema)
    assert "(a)" in warning
    assert storable_warnings(pl.Schema({"b": pl.Datetime("us", "UTC")})) == ()


def test_the_writer_is_told_before_a_table_gains_what_locks_readers_out_and_not_after(table):
    naive = pl.DataFrame({"a": [datetime(2024, 1, 1)]})  # noqa: DTZ001
    table.write(pl.DataFrame({"a": [1]}))
    assert table.format.warnings(naive.schema, table.location)
    assert table.format.warnings(pl.Schema({"a": pl.Int64}), table.location) == ()
    table.write(naive, "overwrite")
    assert table.format.warnings(naive.schema, table.location) == ()


def test_naive_times_for_a_column_of_instants_are_refused_with_the_fix(table):
    table.write(pl.DataFrame({"a": [MOMENT.replace(tzinfo=UTC)]}))
    with pytest.raises(Invalid, match="timestamp and cannot take") as caught:
        table.write(pl.DataFrame({"a": [MOMENT]}), "append")
    assert "replace_time_zone" in str(caught.value.hint)
    assert table.facts().version == 0


def test_a_year_of_202_comes_back(table):
    old = datetime.fromisoformat("0202-01-01")
    table.write(pl.DataFrame({"t": [old], "d": [date(202, 1, 1)]}))
    assert table.rows() == [(old, date(202, 1, 1))]
