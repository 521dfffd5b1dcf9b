"""What a write would do, told without a commit."""

from __future__ import annotations

from typing import Any

import polars as pl
import pytest
from deltalake import DeltaTable

from flowcat_jupyter.formats.rehearsing import RehearsingFormat
from flowcat_jupyter.shared.errors import Conflict, Invalid
from flowcat_jupyter.shared.wire_writes import ChangedRows, RowAction, RowShape

DELETE = RowAction("delete", False, ())
SET_V = RowAction("update", False, ("v",))
ADD = RowAction("insert", True, ("k", "v"))


@pytest.fixture
def pairs(table: Any) -> Any:
    table.write(pl.DataFrame({"k": [1, 2, 2, None], "v": ["a", "b", "c", "d"]}))
    return table


def told(table: Any, rows: dict[str, Any], keys: tuple[str, ...], *actions: RowAction) -> Any:
    return table.format.rehearse_change(
        pl.LazyFrame(rows),
        location=table.location,
        base_version=0,
        shape=RowShape(keys, actions, once=False),
    )


def test_the_format_can_be_tried(pairs: Any) -> None:
    assert isinstance(pairs.format, RehearsingFormat)


def test_rows_are_counted_and_stay(pairs: Any) -> None:
    rows = {"k": [2, None, 9], "n": [1, 2, 3], "v": ["x", None, None], "k2": [None, None, 9]}
    rows["v2"] = [None, None, "new"]
    counted = told(pairs, rows, ("k",), SET_V, DELETE, ADD)
    assert counted == ChangedRows(inserted=1, updated=2, deleted=1)
    assert DeltaTable(pairs.location).version() == 0
    assert len(pairs.rows("v")) == 4


def test_a_change_without_keys_is_about_every_row(pairs: Any) -> None:
    assert told(pairs, {"n": [1], "v": ["x"]}, (), SET_V) == ChangedRows(updated=4)
    assert told(pairs, {"n": [1]}, (), DELETE) == ChangedRows(deleted=4)


def test_a_value_that_does_not_fit_is_refused(pairs: Any) -> None:
    set_k = RowAction("update", False, ("k",))
    with pytest.raises(Invalid, match="k"):
        told(pairs, {"k": [2], "n": [1], "new": ["no number"]}, ("k",), set_k)


def test_a_table_that_has_moved_is_refused(pairs: Any) -> None:
    pairs.write(pl.DataFrame({"k": [7], "v": ["z"]}), "append")
    with pytest.raises(Conflict):
        told(pairs, {"k": [2], "n": [1]}, ("k",), DELETE)


@pytest.mark.parametrize("mode", ["append", "overwrite"])
def test_rows_to_be_added_are_counted_when_they_fit(pairs: Any, mode: str) -> None:
    def tried(rows: dict[str, Any]) -> int:
        count: int = pairs.format.rehearse_write(
            pl.LazyFrame(rows), location=pairs.location, mode=mode, base_version=0
        )
        return count

    assert tried({"k": [5, 6], "v": ["x", "y"]}) == 2
    assert tried({"k": [5]}) == 1
    with pytest.raises(Invalid, match=r"^Column k is bigint"):
        tried({"k": ["no number"], "v": ["x"]})
    assert len(pairs.rows("v")) == 4
