"""Changes of rows that are found by their values: what matches, what is stored, what is refused."""

from __future__ import annotations

import math
import struct
from typing import Any

import polars as pl
import pytest
from deltalake import DeltaTable, Field, Schema
from deltalake.schema import PrimitiveType

from flowcat_jupyter.shared.errors import Conflict, Invalid
from flowcat_jupyter.shared.wire_writes import ChangedRows, RowAction, RowShape

DELETE = RowAction("delete", False, ())
SET_V = RowAction("update", False, ("v",))
ADD = RowAction("insert", True, ("k", "v"))
OTHER_NAN = struct.unpack("<d", struct.pack("<Q", 0xFFF8000000000000))[0]


def change(
    table: Any,
    rows: dict[str, Any],
    keys: tuple[str, ...],
    *actions: RowAction,
    once: bool = False,
    by_source: bool = False,
    base: int = 0,
) -> ChangedRows:
    asked = {
        "location": table.location,
        "base_version": base,
        "shape": RowShape(keys, actions, once, by_source),
    }
    tried = None if by_source else rehearsed(table, rows, asked)
    done: ChangedRows = table.format.change(pl.LazyFrame(rows), **asked)
    assert tried in (None, done)
    return done


def rehearsed(table: Any, rows: dict[str, Any], asked: dict[str, Any]) -> ChangedRows | None:
    """What a change would do, told before it is made; None where that is refused."""
    try:
        told: ChangedRows = table.format.rehearse_change(pl.LazyFrame(rows), **asked)
    except (Conflict, Invalid):
        return None
    return told


@pytest.fixture
def pairs(table: Any) -> Any:
    table.write(pl.DataFrame({"k": [1, 2, 2, None], "v": ["a", "b", "c", "d"]}))
    return table


@pytest.fixture
def people(table: Any) -> Any:
    """Two people whose id may not be NULL, at version 1."""
    fields = [Field("id", PrimitiveType("integer"), nullable=False)]
    fields += [Field("name", PrimitiveType("string"))]
    DeltaTable.create(table.location, schema=Schema(fields))
    table.write(pl.DataFrame({"id": [1, 2], "name": ["x", "y"]}), "append")
    return table


def test_rows_that_are_equal_in_the_keys_all_change(pairs: Any) -> None:
    assert change(pairs, {"k": [2], "n": [1]}, ("k",), DELETE) == ChangedRows(deleted=2)
    assert pairs.rows("v") == [(1, "a"), (None, "d")]


@pytest.mark.parametrize("by_source", [False, True])
@pytest.mark.parametrize("key", ["a", "a ", " a", ""])
def test_texts_are_told_apart_by_every_character(table: Any, key: str, by_source: bool) -> None:
    texts = ["a", "a ", " a", ""]
    table.write(pl.DataFrame({"k": texts}))
    rows: dict[str, Any] = {"k": [key], "n": [1]}
    if by_source:
        rows["new"] = [None]
    assert change(table, rows, ("k",), DELETE, by_source=by_source) == ChangedRows(deleted=1)
    assert sorted(row[0] for row in table.rows()) == sorted(set(texts) - {key})


def test_null_is_a_value_of_a_key_here(pairs: Any) -> None:
    rows = {"k": [None, 1], "n": [1, 1], "v": ["x", "y"]}
    assert change(pairs, rows, ("k",), SET_V) == ChangedRows(updated=2)
    assert pairs.rows("v") == [(2, "b"), (2, "c"), (None, "x"), (1, "y")]


def test_without_keys_every_row_changes(pairs: Any) -> None:
    assert change(pairs, {"n": [1], "v": ["z"]}, (), SET_V) == ChangedRows(updated=4)
    assert {row[1] for row in pairs.rows("k")} == {"z"}
    assert change(pairs, {"n": [1]}, (), DELETE, base=1) == ChangedRows(deleted=4)
    assert pairs.rows() == []


@pytest.mark.parametrize("kind", [pl.Float64, pl.Float32])
@pytest.mark.parametrize(
    ("key", "found"), [(0.0, ["a", "b"]), (-0.0, ["a", "b"]), (math.nan, ["c", "d"]), (0.1, ["e"])]
)
def test_zeros_are_one_value_and_so_is_every_nan(
    table: Any, kind: Any, key: float, found: list[str]
) -> None:
    numbers = pl.Series([0.0, -0.0, math.nan, OTHER_NAN, 0.1, None], dtype=kind)
    table.write(pl.DataFrame({"x": numbers, "v": list("abcdef")}))
    done = change(table, {"x": [key], "n": [1]}, ("x",), DELETE)
    assert done == ChangedRows(deleted=len(found))
    assert sorted(row[1] for row in table.rows("v")) == sorted(set("abcdef") - set(found))


def test_what_differs_only_in_the_sign_of_zero_is_not_changed_in_two_ways(table: Any) -> None:
    table.write(pl.DataFrame({"x": [0.0, -0.0], "v": ["a", "b"]}))
    rows = {"x": [0.0, -0.0], "n": [1, 1], "v": ["p", "q"]}
    with pytest.raises(Invalid) as raised:
        change(table, rows, ("x",), SET_V)
    assert raised.value.condition == "MERGE_CARDINALITY_VIOLATION"
    assert table.rows("v") == [(0.0, "a"), (-0.0, "b")]


def test_new_rows_match_none_though_their_keys_are_null(pairs: Any) -> None:
    rows = {"k": [None, 1], "n": [2, 1], "v": [None, "u"], "nk": [9, None], "nv": ["n", None]}
    assert change(pairs, rows, ("k",), SET_V, ADD) == ChangedRows(inserted=1, updated=1)
    assert pairs.rows("v") == [(2, "b"), (2, "c"), (None, "d"), (9, "n"), (1, "u")]


def test_rows_of_a_source_are_there_or_new(pairs: Any) -> None:
    rows = {
        "k": [1, 7, None, 8],
        "there": [1, 1, 1, 1],
        "new": [2, 2, 2, None],
        "v": ["u", "u", "u", "u"],
        "nk": [1, 7, None, 8],
        "nv": ["n", "n", "n", "n"],
    }
    done = change(pairs, rows, ("k",), SET_V, ADD, by_source=True)
    assert done == ChangedRows(inserted=2, updated=1)
    wanted = [(1, "u"), (2, "b"), (2, "c"), (7, "n"), (None, "d"), (None, "n")]
    assert sorted(pairs.rows(), key=str) == wanted


def test_a_key_that_fits_no_row_matches_none(table: Any) -> None:
    table.write(pl.DataFrame({"k": pl.Series([1, None], dtype=pl.Int32), "v": ["a", "b"]}))
    rows = {"k": [2**40, 1], "there": [1, 1], "new": [None, None], "v": ["x", "y"]}
    assert change(table, rows, ("k",), SET_V, by_source=True) == ChangedRows(updated=1)
    assert table.rows("k") == [(1, "y"), (None, "b")]


def test_a_value_that_does_not_fit_is_named_and_nothing_is_committed(pairs: Any) -> None:
    set_k = RowAction("update", False, ("k",))
    with pytest.raises(Invalid, match=r"k is bigint and cannot take the value 1\.5"):
        change(pairs, {"k": [1], "n": [1], "new": [1.5]}, ("k",), set_k)
    assert pairs.facts().version == 0


def test_a_column_that_may_not_be_null_is_not_made_so(people: Any) -> None:
    rows = {"id": [1], "n": [1], "new": pl.Series([None], dtype=pl.Int32)}
    with pytest.raises(Invalid, match="may not be NULL"):
        change(people, rows, ("id",), RowAction("update", False, ("id",)), base=1)
    assert people.rows("id")[0][0] == 1


def test_what_another_action_leaves_empty_does_not_count_as_null(people: Any) -> None:
    rows = {"id": [1, 2], "n": [1, 2], "new": pl.Series([5, None], dtype=pl.Int32)}
    done = change(people, rows, ("id",), RowAction("update", False, ("id",)), DELETE, base=1)
    assert done == ChangedRows(updated=1, deleted=1)
    assert people.rows("id")[0][0] == 5


def test_a_table_that_has_moved_on_is_left_alone(pairs: Any) -> None:
    pairs.write(pl.DataFrame({"k": [3], "v": ["e"]}), "append")
    with pytest.raises(Conflict, match="version 0 became 1"):
        change(pairs, {"k": [1], "n": [1]}, ("k",), DELETE)


def test_a_check_is_kept(pairs: Any) -> None:
    DeltaTable(pairs.location).alter.add_constraint({"small": "k < 3 OR k IS NULL"})
    set_k = RowAction("update", False, ("k",))
    with pytest.raises(Invalid, match="small, k < 3 OR k IS NULL: k = 9"):
        change(pairs, {"k": [1], "n": [1], "new": [9]}, ("k",), set_k, base=1)
    assert pairs.facts().version == 1


@pytest.mark.parametrize("how", ["change", "overwrite", "upsert"])
def test_a_table_for_appending_only_is_named_so(pairs: Any, how: str) -> None:
    DeltaTable(pairs.location).alter.set_table_properties({"delta.appendOnly": "true"})
    with pytest.raises(Invalid) as raised:
        if how == "change":
            change(pairs, {"k": [1], "n": [1]}, ("k",), DELETE, base=1)
        else:
            frame = pl.DataFrame({"k": [1], "v": ["x"]})
            pairs.write(frame, how, base=1, merge_keys=["k"] if how == "upsert" else ())
    assert raised.value.condition == "DELTA_CANNOT_MODIFY_APPEND_ONLY"
    pairs.write(pl.DataFrame({"k": [7], "v": ["x"]}), "append")


def test_a_new_definition_does_not_inherit_constraints(pairs: Any) -> None:
    DeltaTable(pairs.location).alter.add_constraint({"small": "k < 3 OR k IS NULL"})
    frame = pl.DataFrame({"k": [9]})
    with pytest.raises(Invalid, match="constraints: small"):
        pairs.write(frame, "overwrite", base=1, keep_columns=False)


def test_a_new_definition_does_not_inherit_partitions(table: Any) -> None:
    table.write(pl.DataFrame({"p": ["a"], "v": [1]}), partition_by=["p"])
    table.write(pl.DataFrame({"p": ["b"]}), "overwrite", base=0, keep_columns=False)
    assert (table.facts().partition_columns, table.rows()) == ((), [("b",)])


def test_kept_columns_take_rows_of_other_types(table: Any) -> None:
    table.write(pl.DataFrame({"p": ["a"], "v": pl.Series([1], dtype=pl.Int16)}), partition_by=["p"])
    rows = pl.DataFrame({"P": [None], "v": [7]})
    table.write(rows, "overwrite", base=0, keep_columns=True)
    assert table.facts().partition_columns == ("p",)
    assert table.rows() == [(None, 7)]


def test_rows_meant_for_other_columns_are_not_appended(pairs: Any) -> None:
    seen = pairs.facts().columns
    pairs.write(pl.DataFrame({"k": ["txt"]}), "overwrite", base=0, keep_columns=False)
    with pytest.raises(Conflict):
        pairs.write(pl.DataFrame({"k": [5]}), "append", base=0, seen=seen)
    assert pairs.rows() == [("txt",)]
