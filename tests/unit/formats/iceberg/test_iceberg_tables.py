"""Iceberg tables: what is written is read."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from pathlib import Path

import polars as pl
import pytest
from polars.testing import assert_frame_equal

from flowcat_jupyter.formats.iceberg import FORMAT
from flowcat_jupyter.shared.conditions import Condition, Op
from flowcat_jupyter.shared.errors import (
    AlreadyExists,
    Conflict,
    Forbidden,
    Gone,
    Invalid,
    NotFound,
)
from flowcat_jupyter.shared.wire import Column, Source
from flowcat_jupyter.shared.wire_writes import RowAction, RowShape
from tests.unit.formats.iceberg.conftest import Kept

EVERYTHING = pl.DataFrame(
    {
        "id": [1, 2, None],
        "small": pl.Series([1, -2, None], dtype=pl.Int32),
        "flag": [True, None, False],
        "real": pl.Series([1.5, float("nan"), None], dtype=pl.Float32),
        "double": [0.1, float("inf"), None],
        "money": pl.Series([Decimal("12.30"), Decimal("-0.01"), None], dtype=pl.Decimal(10, 2)),
        "text": ["a", "", None],
        "bytes": [b"\x00\xff", b"", None],
        "day": [date(1582, 10, 15), date(9999, 12, 31), None],
        "at": [datetime(2024, 1, 1, 12, 0, 0, 123456, UTC), datetime(1969, 1, 1, tzinfo=UTC), None],
        "wall": ["2024-01-01 12:00:00", "0001-01-01 00:00:00", None],
        "items": [[1, None], [], None],
        "part": [{"x": 1, "y": ["q"]}, {"x": None, "y": None}, None],
    },
    schema_overrides={
        "at": pl.Datetime("us", "UTC"),
        "part": pl.Struct({"x": pl.Int64, "y": pl.List(pl.String)}),
    },
).with_columns(pl.col("wall").str.to_datetime())


def test_every_type_comes_back_as_it_was_written(kept: Kept) -> None:
    facts = kept.write(EVERYTHING, "create")
    assert [column.type for column in facts.columns] == [
        "bigint",
        "int",
        "boolean",
        "float",
        "double",
        "decimal(10,2)",
        "string",
        "binary",
        "date",
        "timestamp",
        "timestamp_ntz",
        "array<bigint>",
        "struct<x:bigint,y:array<string>>",
    ]
    assert (facts.row_count, facts.files) == (3, 1)
    assert_frame_equal(kept.rows(), EVERYTHING)


def test_rows_are_added_and_replaced_and_old_snapshots_stay_readable(kept: Kept) -> None:
    first = kept.write(pl.DataFrame({"id": [1, 2]}), "create")
    second = kept.write(pl.DataFrame({"id": [3]}))
    kept.write(pl.DataFrame({"id": [9]}), "overwrite")
    assert kept.rows()["id"].to_list() == [9]
    assert kept.rows(second.version)["id"].to_list() == [1, 2, 3]
    assert kept.rows(first.version)["id"].to_list() == [1, 2]
    history = FORMAT.history(kept.source(), 10)
    assert [(e.mode, e.rows_added, e.rows_removed, e.user) for e in history.entries] == [
        ("overwrite", 1, 3, "me"),
        ("append", 1, None, "me"),
        ("create", 2, None, "me"),
    ]
    assert history.total == 3


def test_the_table_is_what_the_pointer_says_whatever_else_lies_in_its_folder(kept: Kept) -> None:
    kept.write(pl.DataFrame({"id": [1]}), "create")
    lost = kept.begin()
    lost.write(
        pl.DataFrame({"id": [2]}),
        location=kept.location,
        mode="append",
        base_version=None,
        keep_columns=True,
    )
    assert kept.rows()["id"].to_list() == [1]


def test_numbers_of_snapshots_are_ones_that_a_browser_can_hold(kept: Kept) -> None:
    kept.write(pl.DataFrame({"id": [1]}), "create")
    kept.write(pl.DataFrame({"id": [2]}))
    assert all(0 < e.version < 2**53 for e in FORMAT.history(kept.source(), 5).entries)


def test_an_append_that_lost_a_race_is_added_to_what_won(kept: Kept) -> None:
    kept.write(pl.DataFrame({"id": [1]}), "create")
    late = kept.begin()
    late.write(
        pl.DataFrame({"id": [2]}),
        location=kept.location,
        mode="append",
        base_version=None,
        keep_columns=True,
        commit_info={"flowcat_write": "late"},
    )
    lost = late.facts(kept.source())
    kept.write(pl.DataFrame({"id": [3]}))
    again = kept.begin()
    again.replay(str(lost.pointer), location=kept.location)
    kept.record(again)
    assert kept.rows()["id"].to_list() == [1, 2, 3]
    newest = FORMAT.history(kept.source(), 1).entries[0]
    assert (newest.write_id, newest.rows_added) == ("late", 1)


def test_a_lost_append_is_not_added_to_a_table_of_other_columns(kept: Kept) -> None:
    kept.write(pl.DataFrame({"id": [1]}), "create")
    late = kept.begin()
    late.write(
        pl.DataFrame({"id": [2]}),
        location=kept.location,
        mode="append",
        base_version=None,
        keep_columns=True,
    )
    lost = late.facts(Source("r", "table", ("t",), "iceberg", kept.location))
    job = kept.begin()
    job.add_columns([Column("more", "int")], location=kept.location, base_version=None)
    kept.record(job)
    with pytest.raises(Conflict):
        kept.begin().replay(str(lost.pointer), location=kept.location)


def test_added_columns_are_null_in_the_rows_there_are(kept: Kept) -> None:
    kept.write(pl.DataFrame({"id": [1]}), "create")
    job = kept.begin()
    job.add_columns(
        [Column("more", "struct<a:int,b:array<string>>", comment="new")],
        location=kept.location,
        base_version=None,
    )
    facts = kept.record(job)
    assert facts.columns[1] == Column("more", "struct<a:int,b:array<string>>", comment="new")
    kept.write(pl.DataFrame({"id": [2], "more": [{"a": 5, "b": ["x"]}]}))
    assert kept.rows()["more"].to_list() == [None, {"a": 5, "b": ["x"]}]
    with pytest.raises(Invalid, match="already"):
        kept.begin().add_columns([Column("ID", "int")], location=kept.location, base_version=None)


def test_columns_that_may_not_be_null_are_not(kept: Kept) -> None:
    job = kept.begin()
    columns = [Column("id", "bigint", nullable=False), Column("name", "string")]
    job.define(columns, location=kept.location, base_version=None)
    facts = kept.record(job)
    assert (facts.version, facts.row_count, facts.columns) == (None, 0, tuple(columns))
    assert kept.rows().height == 0
    before = kept.files
    with pytest.raises(Invalid, match="may not be NULL"):
        kept.write(pl.DataFrame({"id": [1, None], "name": ["a", "b"]}))
    assert kept.files == before
    kept.write(pl.DataFrame({"id": [1]}))
    assert kept.rows().rows() == [(1, None)]


def test_what_does_not_fit_a_column_is_refused_before_there_is_a_file(kept: Kept) -> None:
    kept.write(pl.DataFrame({"n": pl.Series([1], dtype=pl.Int32)}), "create")
    before = kept.files
    with pytest.raises(Invalid, match="cannot take"):
        kept.write(pl.DataFrame({"n": [2**40]}))
    assert kept.files == before


def test_a_failed_create_leaves_no_file(kept: Kept) -> None:
    with pytest.raises(Invalid):
        kept.write(pl.DataFrame({"n": [1]}), "create", ("hours(`n`)",))
    assert not kept.files
    kept.write(pl.DataFrame({"n": [1]}), "create")
    with pytest.raises(AlreadyExists):
        kept.write(pl.DataFrame({"n": [1]}), "create")


PARTITIONED = pl.DataFrame(
    {
        "id": [1, 2, 4, None],
        "name": ["apple", "apricot", "", None],
        "at": [datetime(2024, 1, day, 5, tzinfo=UTC) for day in (1, 1, 2, 3)],
        "day": [date(2023, 5, 1), date(2024, 5, 1), None, date(2024, 6, 1)],
    },
    schema_overrides={"at": pl.Datetime("us", "UTC")},
)


@pytest.mark.parametrize(
    ("by", "files"),
    [
        (("name",), 4),
        (("days(`at`)",), 3),
        (("hours(`at`)",), 3),
        (("years(`day`)", "bucket(2, `id`)"), 4),
        (("months(`day`)",), 4),
        (("truncate(`name`, 2)",), 3),
        (("truncate(`id`, 3)",), 3),
    ],
)
def test_rows_lie_in_partitions_and_are_found_there(
    kept: Kept, by: tuple[str, ...], files: int
) -> None:
    facts = kept.write(PARTITIONED, "create", by)
    assert (facts.partition_columns, facts.files) == (by, files)
    assert_frame_equal(kept.rows(), PARTITIONED)
    wanted = ((Condition("id", "=", (1,)),),)
    scan = FORMAT.open(kept.source()).scan(wanted)
    assert scan.reading is not None
    assert scan.reading.files_skipped > 0
    assert scan.frame.filter(pl.col("id") == 1).collect().height == 1


@pytest.mark.parametrize("op", ["<", "<=", ">", ">="])
def test_a_partition_without_a_value_is_read_where_one_place_of_several_wants_it(
    kept: Kept, op: Op
) -> None:
    kept.write(PARTITIONED, "create", ("name",))
    places = ((Condition("id", "is_null"),), (Condition("name", op, ("apricot",)),))
    rows = FORMAT.open(kept.source()).scan(places).frame.collect()
    assert None in rows["name"]


def test_files_are_left_out_by_times_and_dates_and_texts(kept: Kept) -> None:
    kept.write(PARTITIONED, "create", ("days(`at`)",))
    at = datetime(2024, 1, 2, tzinfo=UTC)
    for condition, left in [
        (Condition("at", ">=", (at,)), 2),
        (Condition("at", "in", (at + timedelta(hours=5),)), 1),
        (Condition("day", "<", (date(2024, 1, 1),)), 1),
        (Condition("day", "is_null"), 1),
        (Condition("name", "=", ("apple",)), 1),
    ]:
        scan = FORMAT.open(kept.source()).scan(((condition,),))
        assert scan.reading is not None
        assert (condition, scan.reading.files_skipped) == (condition, 3 - left)


def test_a_branch_a_tag_and_a_time_are_read(kept: Kept) -> None:
    first = kept.write(pl.DataFrame({"id": [1]}), "create")
    second = kept.write(pl.DataFrame({"id": [2]}))
    table = FORMAT.open(kept.source()).at.table
    assert first.version is not None
    with table.manage_snapshots() as manage:
        manage.create_tag(first.version, "old").create_branch(first.version, "work")
    kept.pointer = table.catalog.pointer  # type: ignore[attr-defined]
    for ref, ids in (("old", [1]), ("work", [1]), ("main", [1, 2])):
        frame = FORMAT.scan(kept.source(ref=ref)).frame.collect()
        assert sorted(frame["id"].to_list()) == ids
    assert second.written_at is not None
    frame = FORMAT.scan(kept.source(timestamp=second.written_at)).frame.collect()
    assert frame.height == 2
    with pytest.raises(Invalid, match="branch or tag 'nope'") as told:
        FORMAT.open(kept.source(ref="nope"))
    assert "old, work" in str(told.value.hint)
    with pytest.raises(Invalid, match="version 5"):
        FORMAT.open(kept.source(version=5))
    with pytest.raises(Invalid, match="as old as"):
        FORMAT.open(kept.source(timestamp="2001-01-01 00:00:00"))
    with pytest.raises(Invalid, match="future"):
        FORMAT.open(kept.source(timestamp="2901-01-01 00:00:00"))


def test_a_table_goes_back_to_a_snapshot_and_on_from_there(kept: Kept) -> None:
    first = kept.write(pl.DataFrame({"id": [1]}), "create")
    kept.write(pl.DataFrame({"id": [2]}), "overwrite")
    job = kept.begin()
    done = job.restore(location=kept.location, base_version=None, label="t", version=first.version)
    facts = kept.record(job)
    assert (done, facts.version, facts.row_count) == (first.version, first.version, 1)
    kept.write(pl.DataFrame({"id": [3]}))
    assert kept.rows()["id"].to_list() == [1, 3]


def test_a_replaced_table_has_other_columns_and_begins_anew(kept: Kept) -> None:
    kept.write(pl.DataFrame({"id": [1]}), "create")
    job = kept.begin()
    job.write(
        pl.DataFrame({"name": ["a"]}),
        location=kept.location,
        mode="overwrite",
        base_version=None,
        keep_columns=False,
        partition_by=("name",),
    )
    facts = kept.record(job)
    assert [column.name for column in facts.columns] == ["name"]
    assert kept.rows().rows() == [("a",)]
    assert FORMAT.history(kept.source(), 9).total == 1


def test_vacuum_removes_what_nothing_needs_and_only_when_it_is_old(kept: Kept) -> None:
    import os

    kept.write(pl.DataFrame({"id": [1]}), "create")
    orphan = kept.begin()
    orphan.write(
        pl.DataFrame({"id": [7]}),
        location=kept.location,
        mode="append",
        base_version=None,
        keep_columns=True,
    )
    kept.write(pl.DataFrame({"id": [2]}))
    args = {"location": kept.location, "base_version": None}
    assert not kept.begin().vacuum(hours=None, **args)  # type: ignore[arg-type]
    for name in kept.files:
        os.utime(Path(kept.location, name), (0, 0))
    found = kept.begin().vacuum(hours=None, dry_run=True, **args)  # type: ignore[arg-type]
    before = kept.files
    # A data file, a manifest, a list of manifests and two metadata files.
    assert len(found) == 5
    gone = kept.begin().vacuum(hours=None, **args)  # type: ignore[arg-type]
    assert (gone, kept.files) == (found, before - {name for name, _ in found})
    assert kept.rows()["id"].to_list() == [1, 2]
    with pytest.raises(Invalid, match="young"):
        kept.begin().vacuum(hours=1, **args)  # type: ignore[arg-type]


def test_a_file_that_is_gone_is_told(kept: Kept) -> None:
    kept.write(pl.DataFrame({"id": [1]}), "create")
    for path in Path(kept.location).rglob("*.parquet"):
        path.unlink()
    with pytest.raises(Gone):
        FORMAT.scan(kept.source())
    Path(str(kept.pointer)).unlink()
    with pytest.raises(NotFound):
        FORMAT.scan(Source("r", "table", ("t",), "iceberg", kept.location))


def test_metadata_outside_the_folder_are_not_opened(kept: Kept, tmp_path: Path) -> None:
    kept.write(pl.DataFrame({"id": [1]}), "create")
    other = Kept(str(tmp_path / "other"))
    other.write(pl.DataFrame({"secret": [1]}), "create")
    with pytest.raises(Forbidden):
        FORMAT.open(Source("r", "table", ("t",), "iceberg", kept.location, pointer=other.pointer))


def test_columns_may_have_any_name(kept: Kept) -> None:
    given = pl.DataFrame(
        {"a b": [1], "é": ["x"], "*": [2], "^x$": [3], "1st": [4], "a.b": [5], "`": [[{"c d": 1}]]}
    )
    kept.write(given, "create")
    kept.write(given)
    assert_frame_equal(kept.rows(), pl.concat([given, given]))
    job = kept.begin()
    shape = RowShape(("a b", "*"), (RowAction("update", new=False, columns=("é",)),), once=False)
    rows = pl.LazyFrame({"a b": [1], "*": [2], "a": [1], "v": ["y"]})
    told = job.change(rows, location=kept.location, base_version=0, shape=shape)
    kept.record(job)
    assert told.updated == 2
    assert kept.rows()["é"].to_list() == ["y", "y"]
    scan = FORMAT.open(kept.source()).scan(((Condition("a b", "=", (1,)),),))
    assert scan.frame.collect().height == 2


@pytest.mark.parametrize(
    "condition",
    [
        Condition("id", "=", (2**70,)),
        Condition("id", "<", (-(2**70),)),
        Condition("small", "in", tuple(range(2**31 - 2, 2**31 + 500))),
        Condition("text", ">=", ("z" * 100,)),
        Condition("flag", "=", (1,)),
        Condition("money", "=", (12.3,)),
        Condition("day", "=", (date(1, 1, 1),)),
        Condition("at", "<", (datetime(1, 1, 1, tzinfo=UTC),)),
        Condition("wall", "not_null"),
        Condition("items", "is_null"),
        Condition("nope", "=", (1,)),
    ],
)
def test_no_condition_is_more_than_files_can_be_asked(kept: Kept, condition: Condition) -> None:
    kept.write(EVERYTHING, "create")
    scan = FORMAT.open(kept.source()).scan(((condition,),))
    assert scan.frame.collect().height in (0, 3)
