"""Columns that rows bring along: what the table promised of its own columns still holds."""

from __future__ import annotations

import json
from typing import Any

import polars as pl
import pytest
from deltalake import DeltaTable

from flowcat_jupyter.shared.errors import Invalid
from flowcat_jupyter.shared.wire import Column
from flowcat_jupyter.shared.wire_writes import RowAction, RowShape

COLUMNS = (
    Column("id", "bigint", nullable=False, comment="the key"),
    Column("size", "smallint", nullable=False),
    Column("name", "string", comment="as on the badge"),
)


@pytest.fixture
def strict(table: Any) -> Any:
    """A table of one row whose first columns may not be NULL, and ids are positive."""
    table.format.define(COLUMNS, location=table.location, base_version=None)
    DeltaTable(table.location).alter.add_constraint({"positive": "id > 0"})
    table.write(pl.DataFrame({"id": [1], "size": [1], "name": ["Ada"]}), "append")
    return table


def fields(table: Any) -> dict[str, Any]:
    found = json.loads(DeltaTable(table.location).schema().to_json())["fields"]
    return {field["name"]: field for field in found}


@pytest.mark.parametrize("mode", ["append", "upsert"])
def test_columns_that_come_along_loosen_no_promise(strict: Any, mode: str) -> None:
    before, version = fields(strict), strict.facts().version
    rows = pl.DataFrame({"id": [2], "size": [2], "name": ["Bob"], "since": [7]})
    strict.write(rows, mode, merge_keys=["id"], add_columns=True)
    after = fields(strict)
    assert {name: after[name] for name in before} == before
    assert (after["since"]["type"], after["since"]["nullable"]) == ("long", True)
    assert strict.rows() == [(1, 1, "Ada", None), (2, 2, "Bob", 7)]
    assert strict.facts().version == version + 1
    with pytest.raises(Invalid, match="size may not be NULL"):
        strict.write(pl.DataFrame({"id": [3], "name": ["Cy"]}), "append")
    with pytest.raises(Invalid, match="constraint"):
        strict.write(pl.DataFrame({"id": [-1], "size": [1], "name": ["Cy"]}), "append")


@pytest.mark.parametrize("mode", ["append", "upsert"])
def test_a_null_does_not_slip_in_beside_a_new_column(strict: Any, mode: str) -> None:
    rows = pl.DataFrame({"id": [2, 3], "size": [None, 1], "since": [7, 8]})
    before = fields(strict), strict.facts().version
    with pytest.raises(Invalid, match="size may not be NULL"):
        strict.write(rows, mode, merge_keys=["id"], add_columns=True)
    assert (fields(strict), strict.facts().version) == before


def test_an_upsert_with_a_new_column_changes_what_it_names_alone(strict: Any) -> None:
    strict.write(pl.DataFrame({"id": [2], "size": [2], "name": ["Bob"]}), "append")
    rows = pl.DataFrame({"id": [1], "size": [5], "since": [7]})
    strict.write(rows, "upsert", merge_keys=["id"], add_columns=True)
    assert strict.rows() == [(1, 5, "Ada", 7), (2, 2, "Bob", None)]


def shaped(*actions: tuple[str, bool, tuple[str, ...]]) -> RowShape:
    return RowShape(("id",), tuple(RowAction(*action) for action in actions), once=True)


def test_a_change_of_rows_adds_the_columns_that_it_fills_in_one_version(strict: Any) -> None:
    strict.write(pl.DataFrame({"id": [2, 3], "size": [2, 3], "name": ["Bob", "Cy"]}), "append")
    before, version = fields(strict), strict.facts().version
    shape = shaped(
        ("update", False, ("since", "size")),
        ("delete", False, ()),
        ("insert", True, ("id", "size", "name", "there")),
        ("update", False, ("name",)),
    )
    frame = pl.LazyFrame(
        {
            "k": [1, 2, None, 3],
            "n": [1, 2, 3, 4],
            "since": [7, None, None, None],
            "size": [5, None, None, None],
            "new id": [None, None, 9, None],
            "new size": [None, None, 9, None],
            "new name": [None, None, "Dee", None],
            "there": [None, None, "yes", None],
            "name": [None, None, None, "Cyd"],
        }
    )
    done = strict.format.change(
        frame, location=strict.location, base_version=version, shape=shape, add_columns=True
    )
    assert (done.inserted, done.updated, done.deleted) == (1, 2, 1)
    after = fields(strict)
    assert {name: after[name] for name in before} == before
    assert list(after)[3:] == ["since", "there"]
    assert strict.rows() == [
        (1, 5, "Ada", 7, None),
        (3, 3, "Cyd", None, None),
        (9, 9, "Dee", None, "yes"),
    ]
    assert strict.facts().version == version + 1


def test_a_change_of_rows_adds_nothing_that_was_not_asked(strict: Any) -> None:
    version = strict.facts().version
    frame = pl.LazyFrame({"k": [1], "n": [1], "since": [7]})
    with pytest.raises(Invalid, match="no column since"):
        strict.format.change(
            frame,
            location=strict.location,
            base_version=version,
            shape=shaped(("update", False, ("since",))),
        )
    assert strict.facts().version == version


def test_equal_new_rows_are_all_there_beside_a_key_of_fractions(table: Any) -> None:
    table.write(pl.DataFrame({"f": [1.5], "x": [1]}))
    frame = pl.LazyFrame(
        {"k": [None, None, 1.5], "n": [1, 1, 2], "f": [2.5, 2.5, None], "v": [None, None, 7]}
    )
    actions = (RowAction("insert", True, ("f",)), RowAction("update", False, ("x",)))
    shape = RowShape(("f",), actions, once=True)
    done = table.format.change(frame, location=table.location, base_version=0, shape=shape)
    assert (done.inserted, done.updated) == (2, 1)
    assert table.rows() == [(1.5, 7), (2.5, None), (2.5, None)]


@pytest.mark.parametrize("way", ["append", "upsert", "change"])
def test_columns_come_in_the_order_of_the_rows(strict: Any, way: str) -> None:
    new = {name: [1] for name in ("e", "b", "d", "a", "c", "f")}
    version = strict.facts().version
    if way == "change":
        shape = shaped(("update", False, tuple(new)))
        frame = pl.LazyFrame({"k": [1], "n": [1], **new})
        strict.format.change(
            frame, location=strict.location, base_version=version, shape=shape, add_columns=True
        )
    else:
        rows = pl.DataFrame({"id": [1], "size": [1], **new})
        strict.write(rows, way, merge_keys=["id"], add_columns=True)
    assert list(fields(strict))[3:] == list(new)
