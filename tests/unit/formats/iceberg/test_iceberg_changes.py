"""Changing rows of Iceberg tables."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from flowcat_jupyter.formats.iceberg import FORMAT
from flowcat_jupyter.shared.errors import Invalid
from flowcat_jupyter.shared.wire import Column
from flowcat_jupyter.shared.wire_writes import ChangedRows, RowAction, RowShape
from tests.unit.formats.iceberg.conftest import Kept

DELETE = RowAction("delete", new=False, columns=())
UPDATE = RowAction("update", new=False, columns=("n",))
INSERT = RowAction("insert", new=True, columns=("id", "n"))


def shape(
    keys: Sequence[str], *actions: RowAction, once: bool = False, by_source: bool = False
) -> RowShape:
    return RowShape(tuple(keys), actions, once, by_source)


def change(kept: Kept, rows: dict[str, Any], how: RowShape) -> ChangedRows:
    job = kept.begin()
    told = job.change(
        pl.LazyFrame(rows, strict=False),
        location=kept.location,
        base_version=0,
        shape=how,
        commit_info={"flowcat_statement": "UPDATE"},
    )
    kept.record(job)
    return told


@pytest.fixture
def table(kept: Kept) -> Kept:
    """Three files: ids 1 and 2, 3 and NULL, 5."""
    kept.write(pl.DataFrame({"id": [1, 2], "n": [10, 20]}), "create")
    kept.write(pl.DataFrame({"id": [3, None], "n": [30, None]}))
    kept.write(pl.DataFrame({"id": [5], "n": [50]}))
    return kept


def files(kept: Kept) -> set[str]:
    return {task.file.file_path for task in FORMAT.open(kept.source()).tasks()}


def test_deleted_rows_are_gone_and_only_their_files_are_written_anew(table: Kept) -> None:
    before = files(table)
    told = change(table, {"id": [2], "a": [1]}, shape(["id"], DELETE))
    assert told == ChangedRows(deleted=1)
    assert table.rows().rows() == [(1, 10), (3, 30), (5, 50), (None, None)]
    assert len(before & files(table)) == 2


def test_a_key_that_is_null_means_rows_in_which_it_is_null(table: Kept) -> None:
    told = change(table, {"id": [None, 1], "a": [1, 1], "v": [7, 8]}, shape(["id"], UPDATE))
    assert told == ChangedRows(updated=2)
    assert table.rows().rows() == [(1, 8), (2, 20), (3, 30), (5, 50), (None, 7)]


def test_a_change_of_no_row_commits_nothing(table: Kept) -> None:
    before = table.pointer
    assert change(table, {"id": [99], "a": [1]}, shape(["id"], DELETE)) == ChangedRows()
    assert table.pointer == before


def test_all_rows_go_or_change_without_keys(table: Kept) -> None:
    told = change(table, {"a": [1], "v": [0]}, shape([], UPDATE))
    assert told == ChangedRows(updated=5)
    assert set(table.rows()["n"]) == {0}
    assert change(table, {"a": [1]}, shape([], DELETE)) == ChangedRows(deleted=5)
    assert (table.rows().height, files(table)) == (0, set())


def test_rows_are_changed_deleted_and_added_in_one_snapshot(table: Kept) -> None:
    rows = {
        "id": [1, 2, 3, None],
        "a": [1, 1, 2, 3],
        "v": [11, 21, None, None],
        "new_id": [None, None, None, 8],
        "new_n": [None, None, None, 80],
    }
    told = change(table, rows, shape(["id"], UPDATE, DELETE, INSERT, once=True))
    assert told == ChangedRows(inserted=1, updated=2, deleted=1)
    assert table.rows().rows() == [(1, 11), (2, 21), (5, 50), (8, 80), (None, None)]
    newest = FORMAT.history(table.source(), 1).entries[0]
    assert (newest.operation, newest.rows_added, newest.rows_removed) == ("UPDATE", 3, 3)


def test_rows_of_the_source_are_matched_and_null_keys_never_are(table: Kept) -> None:
    rows = {
        "id": [1, 7, None],
        "there": [1, 1, 1],
        "new": [2, 2, 2],
        "v": [100, 700, 0],
        "new_id": [1, 7, None],
        "new_n": [100, 700, 0],
    }
    told = change(table, rows, shape(["id"], UPDATE, INSERT, by_source=True))
    assert told == ChangedRows(inserted=2, updated=1)
    expected = [(1, 100), (2, 20), (3, 30), (5, 50), (7, 700), (None, None), (None, 0)]
    assert sorted(table.rows().rows(), key=str) == sorted(expected, key=str)


def test_two_rows_for_one_are_refused_with_their_keys(table: Kept) -> None:
    rows = {"id": [1, 1, 2], "a": [1, 1, 1], "v": [1, 2, 3]}
    before = table.files
    with pytest.raises(Invalid, match="where id is 1") as told:
        change(table, rows, shape(["id"], UPDATE, once=True))
    assert told.value.condition == "MERGE_CARDINALITY_VIOLATION"
    assert table.files == before


def test_a_value_that_does_not_fit_changes_nothing(kept: Kept) -> None:
    job = kept.begin()
    columns = [Column("id", "int"), Column("n", "int", nullable=False)]
    job.define(columns, location=kept.location, base_version=None)
    kept.record(job)
    kept.write(pl.DataFrame({"id": [1], "n": [1]}))
    before = kept.files
    for value in (2**40, None):
        with pytest.raises(Invalid):
            change(kept, {"id": [1], "a": [1], "v": [value]}, shape(["id"], UPDATE))
        assert kept.files == before


def test_floats_match_as_sql_compares_them(kept: Kept) -> None:
    kept.write(pl.DataFrame({"id": [0.0, float("nan"), 1.5], "n": [1, 2, 3]}), "create")
    rows = {"id": [-0.0, float("nan")], "a": [1, 1]}
    assert change(kept, rows, shape(["id"], DELETE)) == ChangedRows(deleted=2)
    assert kept.rows().rows() == [(1.5, 3)]


def test_rows_move_to_the_partition_of_their_new_value(kept: Kept) -> None:
    rows = pl.DataFrame({"id": [1, 2], "n": [10, 20]})
    kept.write(rows, "create", ("n",))
    told = change(kept, {"id": [1], "a": [1], "v": [20]}, shape(["id"], UPDATE))
    assert told == ChangedRows(updated=1)
    assert kept.rows().rows() == [(1, 20), (2, 20)]
    assert all("n=20" in path for path in files(kept))


def test_rows_from_before_a_column_came_are_changed(kept: Kept) -> None:
    kept.write(pl.DataFrame({"id": [1, 2]}), "create")
    job = kept.begin()
    job.add_columns([Column("n", "int")], location=kept.location, base_version=None)
    kept.record(job)
    change(kept, {"id": [2], "a": [1], "v": [5]}, shape(["id"], UPDATE))
    assert kept.rows().rows() == [(1, None), (2, 5)]


def test_keys_of_every_type_are_found(kept: Kept) -> None:
    from tests.unit.formats.iceberg.test_iceberg_tables import EVERYTHING

    kept.write(EVERYTHING, "create")
    for name in EVERYTHING.columns:
        row = EVERYTHING.select(name).head(1).with_columns(pl.lit(1).alias("a"))
        job = kept.begin()
        told = job.change(
            row.lazy(), location=kept.location, base_version=0, shape=shape([name], DELETE)
        )
        assert (name, told.deleted) == (name, 1)


def test_a_change_brings_columns_when_it_may(table: Kept) -> None:
    more = RowAction("update", new=False, columns=("n", "why"))
    rows = pl.LazyFrame({"id": [1], "a": [1], "v": [5], "w": ["x"]})
    job = table.begin()
    job.change(
        rows, location=table.location, base_version=0, shape=shape(["id"], more), add_columns=True
    )
    table.record(job)
    assert table.rows().head(2).rows() == [(1, 5, "x"), (2, 20, None)]


def replace(
    kept: Kept, rows: dict[str, Any], gone: dict[str, Any], keys: Sequence[str]
) -> ChangedRows:
    job = kept.begin()
    told = job.replace_rows(
        pl.LazyFrame(rows),
        pl.LazyFrame(gone, strict=False),
        location=kept.location,
        base_version=0,
        keys=keys,
        check=lambda file: _refuse_sevens(file),
    )
    kept.record(job)
    return told


def _refuse_sevens(file: Path) -> None:
    if pl.read_ipc(file)["n"].is_in([7]).any():
        raise Invalid("There is a seven.")


def test_rows_are_put_in_place_of_others_if_they_may(table: Kept) -> None:
    told = replace(table, {"id": [8], "n": [80]}, {"id": [None, 2], "a": [1, 1]}, ["id"])
    assert told == ChangedRows(inserted=1, deleted=2)
    assert table.rows().rows() == [(1, 10), (3, 30), (5, 50), (8, 80)]
    before = table.files
    with pytest.raises(Invalid, match="seven"):
        replace(table, {"id": [8], "n": [7]}, {"id": [1], "a": [1]}, ["id"])
    assert table.files == before
    assert replace(table, {"id": [9], "n": [90]}, {"a": [1]}, []) == ChangedRows(1, 0, 4)
    assert table.rows().rows() == [(9, 90)]


def test_what_a_change_would_do_is_counted_and_nothing_is_written(table: Kept) -> None:
    rows = {"id": [1, 2, 3], "a": [1, 1, 2], "v": [11, 21, None]}
    before, how = table.files, shape(["id"], UPDATE, DELETE)
    job = table.begin()
    told = job.rehearse_change(
        pl.LazyFrame(rows), location=table.location, base_version=0, shape=how
    )
    assert told == ChangedRows(updated=2, deleted=1)
    more = RowAction("update", new=False, columns=("why",))
    told = job.rehearse_change(
        pl.LazyFrame({"id": [1], "a": [1], "w": ["x"]}),
        location=table.location,
        base_version=0,
        shape=shape(["id"], more),
        add_columns=True,
    )
    assert told == ChangedRows(updated=1)
    for mode in ("append", "overwrite"):
        count = job.rehearse_write(
            pl.LazyFrame({"id": [1, 2]}), location=table.location, mode=mode, base_version=None
        )
        assert count == 2
    with pytest.raises(Invalid):
        job.rehearse_write(
            pl.LazyFrame({"x": [1]}), location=table.location, mode="append", base_version=None
        )
    assert table.files == before
