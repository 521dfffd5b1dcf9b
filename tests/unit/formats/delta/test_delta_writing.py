"""Writing: the table's own columns and types or a refusal, and nobody's rows are ever lost."""

from __future__ import annotations

import json
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from datetime import date, datetime
from decimal import Decimal
from typing import Any

import polars as pl
import pytest
from deltalake import DeltaTable, Field, Schema
from deltalake.schema import PrimitiveType

from flowcat_jupyter.shared.errors import AlreadyExists, Conflict, Invalid, NotFound

MOMENT = datetime.fromisoformat("2020-01-01T00:00:00")


@pytest.fixture
def people(table):
    """id INT NOT NULL, name STRING with a comment, born DATE."""
    DeltaTable.create(
        table.location,
        Schema(
            [
                Field("id", PrimitiveType("integer"), nullable=False),
                Field("name", PrimitiveType("string"), metadata={"comment": "who"}),
                Field("born", PrimitiveType("date")),
            ]
        ),
    )
    return table


def test_create_takes_an_empty_place_only(table):
    assert table.write(pl.DataFrame({"a": [1]})) == 0
    with pytest.raises(AlreadyExists):
        table.write(pl.DataFrame({"a": [2]}))
    assert table.rows() == [(1,)]


@pytest.mark.parametrize("mode", ["append", "overwrite", "upsert", "update", "delete"])
def test_every_other_mode_needs_a_table(table, mode):
    with pytest.raises(NotFound):
        table.write(pl.DataFrame({"a": [1]}), mode, merge_keys=["a"])
    assert not table.path.exists()


def boom(_value):
    raise RuntimeError("no such thing")


@pytest.mark.parametrize("folder_exists", [False, True])
def test_a_failed_create_leaves_nothing_behind(table, folder_exists):
    theirs = table.path / "theirs.parquet"
    if folder_exists:
        table.path.mkdir()
        theirs.write_text("not ours to remove")
    rows = pl.LazyFrame({"a": range(200_000)}).with_columns(
        b=pl.col("a").map_batches(boom, return_dtype=pl.Int64)
    )
    with pytest.raises(Invalid, match="no such thing"):
        table.write(rows)
    assert table.path.exists() is folder_exists
    assert not folder_exists or list(table.path.iterdir()) == [theirs]


@pytest.mark.parametrize(
    ("frame", "message"),
    [
        (pl.DataFrame({"a": [1], "A": [2]}), "Columns a and A"),
        (pl.DataFrame(), "at least one column"),
        (pl.DataFrame({" ": [1]}), "has no name"),
    ],
)
def test_columns_that_cannot_be_a_tables_are_refused(table, frame, message):
    with pytest.raises(Invalid, match=message):
        table.write(frame)
    assert not table.path.exists()


def test_append_goes_by_name_whatever_the_order_and_case(people):
    people.write(pl.DataFrame({"NAME": ["Ada"], "Id": [1]}), "append")
    people.write(pl.LazyFrame({"born": [date(1815, 12, 10)], "id": ["7"]}), "append")
    assert people.rows("id") == [(1, "Ada", None), (7, None, date(1815, 12, 10))]


LOSSY: dict[str, tuple[dict[str, Any], str]] = {
    "a fraction": ({"id": [1.0, 3.7]}, r"id is int and cannot take the value 3\.7"),
    "a word": ({"id": ["abc"]}, "id is int and cannot take the value 'abc'"),
    "an overflow": ({"id": [2**31]}, "cannot take the value 2147483648"),
    "a fraction in text": ({"id": ["3.7"]}, r"cannot take the value '3\.7'"),
    "not a number": ({"id": [float("nan")]}, "cannot take the value nan"),
    "a decimal fraction": ({"id": [Decimal("1.5")]}, "cannot take the value"),
    "a bool": ({"id": [True]}, "id is int and cannot take boolean values"),
    "a moment as a date": ({"id": [1], "born": [MOMENT]}, "born is date"),
    "a word as a date": ({"id": [1], "born": ["soon"]}, "cannot take the value 'soon'"),
    "a null": ({"id": [None, 1]}, "id may not be NULL"),
    "no id": ({"name": ["x"]}, "id may not be NULL and has no values"),
    "extra columns": ({"id": [1], "x": [1], "y": [1]}, "no column x, y"),
}


@pytest.mark.parametrize("lazy", [False, True], ids=["frame", "lazy"])
@pytest.mark.parametrize("case", LOSSY)
def test_what_would_lose_something_is_refused_before_anything_is_written(people, case, lazy):
    columns, message = LOSSY[case]
    frame = pl.LazyFrame(columns) if lazy else pl.DataFrame(columns)
    before = people.files()
    with pytest.raises(Invalid, match=message):
        people.write(frame, "append")
    assert people.files() == before


def test_casts_that_lose_nothing_are_made(people):
    frame = pl.DataFrame({"id": [3.0], "born": ["2020-02-29"], "name": [5]})
    people.write(frame, "append")
    people.write(pl.DataFrame({"id": [Decimal("4.00")]}), "append")
    people.write(pl.DataFrame({"id": pl.Series([5], dtype=pl.UInt8)}), "append")
    assert people.rows("id") == [
        (3, "5", date(2020, 2, 29)),
        (4, None, None),
        (5, None, None),
    ]


def test_zones_are_never_mixed_silently(table):
    table.write(pl.DataFrame({"t": [MOMENT]}))
    zoned = pl.DataFrame({"t": [MOMENT]}).with_columns(
        pl.col("t").dt.replace_time_zone("Europe/Paris")
    )
    with pytest.raises(Invalid, match="timestamp_ntz") as caught:
        table.write(zoned, "append")
    assert "no time zone" in str(caught.value.hint)


def test_nested_values_are_checked_too(table):
    table.write(pl.DataFrame({"l": [[1]]}, schema={"l": pl.List(pl.Int16)}))
    table.write(pl.DataFrame({"l": [[2, None], None]}), "append")
    with pytest.raises(Invalid, match="l is array<smallint>"):
        table.write(pl.DataFrame({"l": [[70_000]]}), "append")
    assert table.facts().row_count == 3


def test_not_null_survives_an_append(people):
    people.write(pl.DataFrame({"id": [1]}), "append")
    assert people.facts().columns[0].nullable is False


def test_an_overwrite_with_the_same_columns_keeps_what_is_known_of_them(people):
    people.write(pl.DataFrame({"id": [1]}), "append")
    same = people.scan().declared().collect().select("born", "name", "id")
    people.write(same, "overwrite")
    assert [column.comment for column in people.facts().columns] == [None, "who", None]
    assert people.facts().columns[0].nullable is False


def test_an_overwrite_with_other_columns_replaces_them(table):
    table.write(pl.DataFrame({"a": [1], "p": ["x"]}), partition_by=["p"])
    table.write(pl.DataFrame({"a": ["text"], "b": [1]}), "overwrite")
    assert table.rows() == [("text", 1)]
    assert table.facts().partition_columns == ()
    table.write(pl.DataFrame({"a": ["text"], "b": [1]}), "overwrite", partition_by=["b"])
    assert table.facts().partition_columns == ("b",)


@pytest.mark.parametrize("mode", ["overwrite", "upsert", "update", "delete"])
def test_a_write_from_an_old_version_is_a_conflict_naming_both(table, mode):
    table.write(pl.DataFrame({"id": [1]}))
    table.write(pl.DataFrame({"id": [2]}), "append")
    with pytest.raises(Conflict, match="version 0 became 1"):
        table.write(pl.DataFrame({"id": [9]}), mode, base=0, merge_keys=["id"])
    assert table.rows() == [(1,), (2,)]


@pytest.mark.parametrize("mode", ["overwrite", "upsert"])
def test_rows_appended_while_it_runs_are_a_conflict_and_stay(table, mode):
    table.write(pl.DataFrame({"id": [1]}))

    def meanwhile(values):
        if table.facts().version == 0:
            table.write(pl.DataFrame({"id": [2]}), "append")
        return values

    slow = pl.LazyFrame({"id": [9]}).with_columns(pl.col("id").map_batches(meanwhile))
    with pytest.raises(Conflict, match="version 0 became 1"):
        table.write(slow, mode, base=0, merge_keys=["id"])
    assert table.rows() == [(1,), (2,)]


APPENDER = """
import sys
from concurrent.futures import ThreadPoolExecutor
import polars as pl
from flowcat_jupyter.formats.delta import DeltaFormat
for n in range(5):
    row = pl.DataFrame({"id": [int(sys.argv[2]) * 100 + n]})
    DeltaFormat().write(row, location=sys.argv[1], mode="append", base_version=None)
"""


@pytest.mark.slow
def test_four_processes_append_and_every_row_arrives(table):
    table.write(pl.DataFrame({"id": [-1]}))
    running = [
        subprocess.Popen(  # noqa: S603 - this file's own text
            [sys.executable, "-c", APPENDER, table.location, str(number)]
        )
        for number in range(4)
    ]
    assert [process.wait(timeout=60) for process in running] == [0] * 4
    wanted = {number * 100 + n for number in range(4) for n in range(5)} | {-1}
    assert {row[0] for row in table.rows()} == wanted
    assert table.facts().version == 20


def test_upsert_changes_what_matches_and_inserts_the_rest(table):
    table.write(pl.DataFrame({"id": [1, 2, None], "n": ["a", "b", "c"], "x": [1, 2, 3]}))
    table.write(
        pl.DataFrame({"ID": [2, 3, None], "n": ["B", "C", "D"]}), "upsert", merge_keys=["Id"]
    )
    assert table.rows(["id", "n"]) == [
        (1, "a", 1),
        (2, "B", 2),
        (3, "C", None),
        (None, "D", None),
        (None, "c", 3),
    ]


def test_update_inserts_nothing_and_delete_needs_only_keys(table):
    table.write(pl.DataFrame({"a b": [1, 2], "`x`": ["p", "q"]}))
    table.write(pl.LazyFrame({"a b": [2, 3], "`x`": ["Q", "R"]}), "update", merge_keys=["a b"])
    assert table.rows() == [(1, "p"), (2, "Q")]
    table.write(pl.DataFrame({"a b": [1, None]}), "delete", merge_keys=["a b"])
    assert table.rows() == [(2, "Q")]


def test_a_repeated_key_is_refused_naming_up_to_ten(table):
    table.write(pl.DataFrame({"id": [1], "v": [1]}))
    repeated = pl.DataFrame({"id": [*range(20)] * 2, "v": [*range(40)]})
    for mode in ("upsert", "update"):
        with pytest.raises(Invalid, match=r"the same id: 0, 1, 2, 3, 4, 5, 6, 7, 8, 9\.") as caught:
            table.write(repeated, mode, merge_keys=["id"])
        assert caught.value.condition == "MERGE_CARDINALITY_VIOLATION"
    assert table.facts().version == 0
    table.write(repeated.select("id"), "delete", merge_keys=["id"])
    assert table.rows() == []


def test_merging_needs_keys_that_exist_on_both_sides(table):
    table.write(pl.DataFrame({"id": [1], "v": [1]}))
    with pytest.raises(Invalid, match="which columns identify a row"):
        table.write(pl.DataFrame({"id": [1]}), "upsert")
    with pytest.raises(Invalid, match="no column nope"):
        table.write(pl.DataFrame({"id": [1]}), "upsert", merge_keys=["nope"])
    with pytest.raises(Invalid, match="rows have no column id"):
        table.write(pl.DataFrame({"v": [1]}), "update", merge_keys=["id"])


@pytest.mark.parametrize("mode", ["append", "overwrite", "upsert"])
def test_rows_that_cannot_be_computed_change_nothing(table, mode):
    table.write(pl.DataFrame({"id": [1]}))
    bad = pl.LazyFrame({"id": ["one"]}).select(pl.col("id").cast(pl.Int64))
    with pytest.raises(Invalid, match="cannot be computed: "):
        table.write(bad, mode, merge_keys=["id"])
    assert table.rows() == [(1,)]
    assert table.facts().version == 0


def test_an_update_of_nothing_but_keys_is_refused(table):
    table.write(pl.DataFrame({"id": [1], "v": [1]}))
    with pytest.raises(Invalid, match="nothing to update"):
        table.write(pl.DataFrame({"id": [1]}), "update", merge_keys=["id"])


@pytest.mark.parametrize("mode", ["append", "upsert"])
@pytest.mark.parametrize("key", ["CURRENT_DEFAULT", "delta.generationExpression"])
def test_a_column_another_engine_would_compute_is_never_filled_with_null(table, mode, key):
    fields = [
        {"name": "id", "type": "long", "nullable": True, "metadata": {}},
        {"name": "twice", "type": "long", "nullable": True, "metadata": {key: "id * 2"}},
    ]
    table.write(pl.DataFrame({"id": [1], "twice": [2]}))
    meta = table.actions("metaData")[0]
    schema = json.dumps({"type": "struct", "fields": fields})
    table.commit({"metaData": {**meta, "schemaString": schema}})
    with pytest.raises(Invalid, match="twice has a default or is generated"):
        table.write(pl.DataFrame({"id": [2]}), mode, merge_keys=["id"])


def test_of_racing_creators_one_wins_and_the_others_hear_of_it(table):
    def create(number):
        try:
            return table.write(pl.DataFrame({"id": [number]}))
        except AlreadyExists:
            return "taken"

    with ThreadPoolExecutor(4) as pool:
        answers = list(pool.map(create, range(4)))
    assert sorted(map(str, answers)) == ["0", "taken", "taken", "taken"]
    assert len(table.rows()) == 1


def test_an_unknown_mode_is_refused(table):
    with pytest.raises(Invalid, match="not a way to write"):
        table.write(pl.DataFrame({"id": [1]}), "replace")


def test_commit_info_is_kept(table):
    table.write(pl.DataFrame({"a": [1]}), commit_info={"flowcat.run": "r1"})
    assert table.actions("commitInfo")[0]["flowcat.run"] == "r1"
