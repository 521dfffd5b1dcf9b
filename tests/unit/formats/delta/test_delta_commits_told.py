"""What each commit did is told apart, and how many rows an overwrite took away."""

import json

import polars as pl
import pytest
from deltalake import DeltaTable, write_deltalake

from flowcat_jupyter.formats.delta_removed import RemovedRows

FIVE = pl.DataFrame({"id": [1, 2, 3, 4, 5], "part": ["a", "a", "b", "b", "b"]})


def told(table):
    entries = table.history().entries
    return [(entry.mode, entry.rows_added, entry.rows_removed) for entry in reversed(entries)]


def test_creating_appending_and_overwriting_are_told_apart(table):
    table.write(FIVE)
    table.write(FIVE.head(1), "append")
    table.write(FIVE.head(2), "overwrite")
    table.write(FIVE.head(3), "overwrite")
    assert told(table) == [
        ("create", 5, None),
        ("append", 1, None),
        ("overwrite", 2, 6),
        ("overwrite", 3, 2),
    ]
    assert {entry.operation for entry in table.history().entries} == {"WRITE"}


def test_a_table_made_anew_by_a_statement_is_replaced(table):
    made = {"flowcat_statement": "CREATE TABLE"}
    table.write(FIVE, commit_info=made)
    table.write(FIVE.head(2), "overwrite", commit_info=made)
    table.write(FIVE.head(1), "overwrite", commit_info={"flowcat_statement": "INSERT"})
    assert [mode for mode, *_ in told(table)] == ["create", "replace", "overwrite"]
    assert {entry.operation for entry in table.history().entries} == {"WRITE"}


def test_a_statement_committed_as_a_merge_has_its_own_word(table):
    table.write(FIVE)
    keys = FIVE.head(1)
    table.write(keys, "upsert", merge_keys=["id"], commit_info={"flowcat_statement": "UPDATE"})
    table.write(keys, "upsert", merge_keys=["id"])
    newest, before, _ = table.history().entries
    assert (before.operation, before.mode) == ("UPDATE", None)
    assert (newest.operation, newest.mode) == ("MERGE", None)


def test_an_overwrite_of_a_part_removes_an_unknown_number_of_rows(table):
    table.write(FIVE)
    write_deltalake(table.location, FIVE.head(1), mode="overwrite", predicate="id = 1")
    assert told(table)[-1] == ("overwrite", 1, None)


def test_rows_hidden_by_a_deletion_vector_are_not_removed_twice(table):
    table.write(FIVE)
    path = DeltaTable(table.location).file_uris()[0].rsplit("/", 1)[-1]
    hidden = {"storageType": "u", "pathOrInlineDv": "x", "sizeInBytes": 1, "cardinality": 2}
    table.commit(
        {"commitInfo": {"operation": "WRITE", "operationParameters": {"mode": "Overwrite"}}},
        {
            "remove": {
                "path": path,
                "dataChange": True,
                "stats": json.dumps({"numRecords": 5}),
                "deletionVector": hidden,
            }
        },
    )
    assert RemovedRows(table.location).of(1) == 3


@pytest.mark.parametrize("budget", [0, 300])
def test_a_log_that_is_too_large_to_read_leaves_the_rows_unknown(table, budget):
    table.write(FIVE)
    table.write(FIVE, "overwrite")
    assert RemovedRows(table.location).of(1) == 5
    assert RemovedRows(table.location, budget).of(1) is None


def test_a_cleaned_up_log_leaves_the_rows_unknown(table):
    table.write(FIVE)
    table.write(FIVE, "overwrite")
    table.write(FIVE, "overwrite")
    (table.path / "_delta_log" / f"{0:020}.json").unlink()
    removed = RemovedRows(table.location)
    assert (removed.of(1), removed.of(2)) == (None, 5)
