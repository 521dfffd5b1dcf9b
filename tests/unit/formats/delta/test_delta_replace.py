"""Partitions replaced: those that are meant and no others, whatever their values are."""

from __future__ import annotations

from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from flowcat_jupyter.formats.protocol import Parts
from flowcat_jupyter.shared.errors import Conflict, Invalid

MOMENT = datetime(2020, 1, 1, 3, 4, 5, 123456, tzinfo=UTC)
NAIVE = MOMENT.replace(tzinfo=None)
KINDS: dict[str, tuple[pl.DataType, list[Any]]] = {
    "text": (pl.String(), ["it's", "a/b=c %20", "\\'", "NULL", "x\ny", "ü"]),
    "int": (pl.Int32(), [-1, 0, 2147483647]),
    "date": (pl.Date(), [date(2020, 1, 1), date(1, 1, 1), date(9999, 12, 31)]),
    "timestamp": (pl.Datetime("us", "UTC"), [MOMENT, MOMENT.replace(microsecond=0, year=1960)]),
    "timestamp_ntz": (pl.Datetime("us"), [NAIVE, NAIVE.replace(year=1960)]),
    "boolean": (pl.Boolean(), [True, False]),
    "decimal": (pl.Decimal(20, 0), [Decimal(-5), Decimal(10) ** 15]),
}


def rows_of(kind: str, place: int | None = None) -> pl.DataFrame:
    """A row for each value of a kind, NULL among them; or the one at a place, as a new row."""
    dtype, values = KINDS[kind]
    frame = pl.DataFrame(
        {"x": range(len(values) + 1), "p": pl.Series([*values, None], dtype=dtype)}
    )
    return frame if place is None else frame[place : place + 1].with_columns(x=pl.lit(99))


def cases() -> list[tuple[str, int]]:
    return [(kind, place) for kind, (_, v) in KINDS.items() for place in range(len(v) + 1)]


@pytest.mark.parametrize(("kind", "place"), cases())
@pytest.mark.parametrize("named", [False, True])
def test_one_partition_of_any_kind_is_replaced(
    table: Any, kind: str, place: int, named: bool
) -> None:
    base = rows_of(kind)
    table.write(base, partition_by=["p"])
    new = rows_of(kind, place)
    parts = Parts(new.select("p")) if named else Parts()
    assert table.write(new, "overwrite", base=0, keep_columns=True, parts=parts) == 1
    left = [x for x in range(base.height) if x != place]
    assert table.scan().frame.collect()["x"].sort().to_list() == [*left, 99]


def test_tuples_of_partitions_are_told_apart(table: Any) -> None:
    pairs = [(a, b) for a in (1, 2, None) for b in ("u", "v", None)]
    base = pl.DataFrame(pairs, schema={"A a": pl.Int32, "b`c": pl.String}, orient="row")
    table.write(base.with_row_index("x"), partition_by=["A a", "b`c"])
    new = pl.DataFrame({"x": [90, 91], "a A": [1, None], "b`c": [None, "v"]})
    new = new.rename({"a A": "A a"})
    table.write(new, "overwrite", base=0, keep_columns=True, parts=Parts())
    found = dict.fromkeys(table.scan().frame.collect()["x"].sort().to_list())
    assert list(found) == [0, 1, 3, 4, 5, 6, 8, 90, 91]


def test_many_partitions_are_replaced_at_once(table: Any) -> None:
    table.write(pl.DataFrame({"x": range(400), "p": range(400)}), partition_by=["p"])
    new = pl.DataFrame({"x": [0] * 300, "p": range(300)})
    table.write(new, "overwrite", base=0, keep_columns=True, parts=Parts())
    assert table.scan().frame.collect()["x"].sum() == sum(range(300, 400))


def test_no_rows_replace_no_partition(table: Any) -> None:
    table.write(pl.DataFrame({"x": [1], "p": [1]}), partition_by=["p"])
    empty = pl.DataFrame(schema={"x": pl.Int64, "p": pl.Int64})
    assert table.write(empty, "overwrite", base=0, keep_columns=True, parts=Parts()) == 0


def test_a_partition_with_rows_stays_if_that_is_asked(table: Any) -> None:
    table.write(pl.DataFrame({"x": [1, 2], "p": [1, None]}), partition_by=["p"])
    for value, version in ((1, 0), (None, 0), (7, 1)):
        row = pl.DataFrame({"x": [9], "p": [value]}, schema={"x": pl.Int64, "p": pl.Int64})
        parts = Parts(row.select("p"), unless_there=True)
        done = table.write(row, "overwrite", base=0, keep_columns=True, parts=parts)
        assert done == version


def test_partitions_of_fractions_are_not_replaced_by_guess(table: Any, foreign: Any) -> None:
    foreign(table, pl.DataFrame({"x": [1], "p": [1.5]}), partition_by=["p"])
    with pytest.raises(Invalid, match="fractions"):
        new = pl.DataFrame({"x": [9], "p": [1.5]})
        table.write(new, "overwrite", base=0, keep_columns=True, parts=Parts())


def test_rows_that_somebody_added_meanwhile_are_not_lost(table: Any) -> None:
    table.write(pl.DataFrame({"x": [1], "p": [1]}), partition_by=["p"])
    table.write(pl.DataFrame({"x": [2], "p": [1]}), "append")
    with pytest.raises(Conflict):
        new = pl.DataFrame({"x": [9], "p": [1]})
        table.write(new, "overwrite", base=0, keep_columns=True, parts=Parts())
    assert table.rows() == [(1, 1), (2, 1)]


def passes(_file: Path) -> None:
    """What checks nothing."""


@pytest.mark.parametrize("by", [[], ["p"]])
def test_rows_are_replaced_by_their_keys(table: Any, by: list[str]) -> None:
    base = pl.DataFrame({"x": [1, 2, 3, 4], "p": [1.0, None, float("nan"), -0.0]})
    if by:
        base = base.with_columns(pl.Series("p", [1, None, 3, 3]))
    table.write(base, partition_by=by)
    gone = pl.LazyFrame(
        {"k": [None, base["p"][2]], "action": [1, 1]}, schema_overrides={"k": base["p"].dtype}
    )
    new = pl.LazyFrame({"x": [9, 9], "p": [7, 7]})
    done = table.format.replace_rows(
        new, gone, location=table.location, base_version=0, keys=["p"], check=passes
    )
    assert (done.inserted, done.deleted) == (2, 3 if by else 2)
    assert [row[0] for row in table.rows()] == ([1, 9, 9] if by else [1, 4, 9, 9])


def test_what_is_checked_is_what_would_be_stored(table: Any) -> None:
    table.write(pl.DataFrame({"x": [1], "p": pl.Series([1], dtype=pl.Int16)}))
    seen = []

    def check(file: Path) -> None:
        seen.append(pl.read_ipc(file))
        raise Invalid("no")

    gone = pl.LazyFrame({"k": [1], "action": [1]})
    with pytest.raises(Invalid, match="no"):
        table.format.replace_rows(
            pl.LazyFrame({"P": ["5"]}),
            gone,
            location=table.location,
            base_version=0,
            keys=["x"],
            check=check,
        )
    assert seen[0].schema == {"x": pl.Int64, "p": pl.Int16}
    assert seen[0].rows() == [(None, 5)]
    assert table.rows() == [(1, 1)]
