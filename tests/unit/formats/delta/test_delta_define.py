"""Tables made of a list of columns: as they are listed, and in place of what was there."""

from __future__ import annotations

from typing import Any

import polars as pl
import pytest
from deltalake import DeltaTable

from flowcat_jupyter.formats.delta_commit import base_of
from flowcat_jupyter.shared.errors import AlreadyExists, Conflict, Invalid
from flowcat_jupyter.shared.wire import Column

COLUMNS = (
    Column("id", "int", nullable=False, comment="key"),
    Column("a b", "decimal(10,2)"),
    Column("s", "struct<Xa:int,`y z`:array<timestamp>>"),
    Column("w", "timestamp_ntz"),
    Column("p", "date"),
)


def define(table: Any, columns: Any = COLUMNS, base: int | None = None, **options: Any) -> int:
    version: int = table.format.define(
        columns, location=table.location, base_version=base, **options
    )
    return version


def test_a_table_has_the_columns_that_were_listed(table: Any) -> None:
    assert define(table, partition_by=["P"], commit_info={"user": "meg"}) == 0
    facts = table.facts()
    assert (facts.columns, facts.partition_columns, facts.row_count) == (COLUMNS, ("p",), 0)
    assert table.history().entries[0].user == "meg"
    with pytest.raises(Invalid, match="id may not be NULL"):
        table.write(pl.DataFrame({"w": [None]}), "append", keep_columns=True)


def test_a_replaced_table_keeps_nothing(table: Any) -> None:
    table.write(pl.DataFrame({"k": ["a"], "v": [1]}), partition_by=["k"])
    assert define(table, base=0, partition_by=["p"]) == 1
    facts = table.facts()
    assert (facts.columns, facts.partition_columns, table.rows()) == (COLUMNS, ("p",), [])
    assert table.rows(version=0) == [("a", 1)]


def test_constraints_do_not_outlive_their_columns(table: Any) -> None:
    table.write(pl.DataFrame({"v": [1]}))
    DeltaTable(table.location).alter.add_constraint({"small": "v < 3"})
    with pytest.raises(Invalid, match="constraints: small"):
        define(table, base=1)


def test_a_table_that_is_there_is_not_made_again(table: Any) -> None:
    define(table)
    with pytest.raises(AlreadyExists):
        define(table)


def test_a_commit_between_looking_and_replacing_is_not_lost(
    table: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    table.write(pl.DataFrame({"v": [1]}))

    def look(*of: Any) -> int:
        found = base_of(*of)
        table.write(pl.DataFrame({"v": [2]}), "append")
        return found

    monkeypatch.setattr("flowcat_jupyter.formats.delta_define.base_of", look)
    with pytest.raises(Conflict):
        define(table, base=0)
    assert table.rows() == [(1,), (2,)]


def test_a_table_that_has_moved_on_is_not_replaced(table: Any) -> None:
    table.write(pl.DataFrame({"v": [1]}))
    table.write(pl.DataFrame({"v": [2]}), "append")
    with pytest.raises(Conflict):
        define(table, base=0)
    assert table.rows() == [(1,), (2,)]


def add(table: Any, *columns: Column, base: int = 0) -> int:
    version: int = table.format.add_columns(
        columns, location=table.location, base_version=base, commit_info={"user": "meg"}
    )
    return version


def test_columns_are_added_as_they_are_listed(table: Any) -> None:
    table.write(pl.DataFrame({"v": [1]}))
    new = (Column("B", "struct<Xa:int>", comment="new"), Column("c", "decimal(5,2)"))
    assert add(table, *new) == 1
    assert table.facts().columns == (Column("v", "bigint"), *new)
    assert table.rows() == [(1, None, None)]
    assert table.rows(version=0) == [(1,)]


@pytest.mark.parametrize(
    ("column", "message"),
    [
        (Column("V", "int"), "has a column V already"),
        (Column("n", "int", nullable=False), "may not be NULL"),
    ],
)
def test_a_column_that_cannot_be_is_not_added(table: Any, column: Column, message: str) -> None:
    table.write(pl.DataFrame({"v": [1]}))
    with pytest.raises(Invalid, match=message):
        add(table, column)
    assert table.facts().version == 0


def test_columns_are_added_to_the_version_that_was_read(table: Any) -> None:
    table.write(pl.DataFrame({"v": [1]}))
    table.write(pl.DataFrame({"v": [2]}), "append")
    with pytest.raises(Conflict):
        add(table, Column("n", "int"))


def test_a_partition_column_is_one_of_the_list(table: Any) -> None:
    with pytest.raises(Invalid, match="no column x"):
        define(table, partition_by=["x"])
    assert not table.path.exists()
