"""Reading: one version from end to end, the declared types, the right rows or a refusal."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta

import polars as pl
import pyarrow as pa
import pyarrow.parquet
import pytest
from deltalake import DeltaTable

from flowcat_jupyter.shared.errors import Invalid
from flowcat_jupyter.shared.wire import Column


def test_a_scan_is_a_snapshot_however_late_it_is_collected(table):
    table.write(pl.DataFrame({"v": [1]}))
    scan = table.scan()
    table.write(pl.DataFrame({"v": [2]}), "overwrite")
    assert scan.version == 0
    assert scan.frame.collect().rows() == [(1,)]
    assert table.scan().version == 1


def test_a_version_that_does_not_exist_names_those_that_do(table):
    table.write(pl.DataFrame({"v": [1]}))
    table.write(pl.DataFrame({"v": [1]}), "append")
    for version in (2, -1, 2**40):
        with pytest.raises(Invalid, match=f"no version {version}") as caught:
            table.scan(version=version)
        assert caught.value.condition == "DELTA_VERSION_NOT_FOUND"
        assert caught.value.hint == "Versions 0 to 1 can be read."


def test_a_time_means_the_newest_version_at_or_before_it(table):
    table.write(pl.DataFrame({"v": [1]}))
    table.write(pl.DataFrame({"v": [2]}), "overwrite")
    first, second = (c["timestamp"] for c in table.actions("commitInfo"))
    moment = datetime.fromtimestamp(first / 1000, UTC)
    assert table.scan(timestamp=moment.isoformat()).version == (0 if first < second else 1)
    now = datetime.now(UTC)
    assert table.scan(timestamp=now.isoformat()).version == 1
    assert table.scan(timestamp=now.replace(tzinfo=None).isoformat(sep=" ")).version == 1
    with pytest.raises(Invalid, match="not a time"):
        table.scan(timestamp="yesterday")


def test_a_time_in_the_future_or_before_the_first_version_is_refused_as_spark_does(table):
    table.write(pl.DataFrame({"v": [1]}))
    early, late = "2001-01-01T00:00:00Z", (datetime.now(UTC) + timedelta(hours=1)).isoformat()
    with pytest.raises(Invalid, match="no version as old as 2001") as caught:
        table.scan(timestamp=early)
    assert caught.value.condition == "DELTA_TIMESTAMP_EARLIER_THAN_COMMIT_RETENTION"
    with pytest.raises(Invalid, match="lies in the future") as caught:
        table.scan(timestamp=late)
    assert caught.value.condition == "DELTA_TIMESTAMP_GREATER_THAN_COMMIT"
    assert str(caught.value.hint).startswith("Its newest version is 0, of ")


def test_a_commit_of_a_clock_ahead_of_ours_can_be_asked_for(table):
    table.write(pl.DataFrame({"v": [1]}))
    ahead = datetime.now(UTC) + timedelta(days=2)
    commit = {"commitInfo": {"timestamp": int(ahead.timestamp() * 1000), "operation": "WRITE"}}
    (table.path / "_delta_log" / f"{1:020}.json").write_text(json.dumps(commit))
    assert table.scan(timestamp=ahead.isoformat()).version == 1
    with pytest.raises(Invalid, match="lies in the future"):
        table.scan(timestamp=(ahead + timedelta(days=1)).isoformat())


def test_narrow_integers_are_read_wide_and_declared_as_they_are(table):
    frame = pl.DataFrame(
        {"a": [2_000_000_000] * 2, "l": [[1, 2], None]},
        schema={"a": pl.Int32, "l": pl.List(pl.Int8)},
    )
    table.write(frame)
    scan = table.scan()
    assert scan.columns == (Column("a", "int"), Column("l", "array<tinyint>"))
    assert scan.frame.collect_schema() == {"a": pl.Int64, "l": pl.List(pl.Int64)}
    assert scan.frame.select(pl.col("a").sum()).collect().item() == 4_000_000_000
    assert scan.declared().collect_schema() == frame.schema
    assert scan.declared().collect().equals(frame)


def test_timestamps_as_spark_stores_them_are_instants_in_utc(table):
    moment = datetime(2020, 1, 1, 12, tzinfo=UTC)
    table.write(pl.DataFrame({"t": [moment, None]}))
    (file,) = table.path.glob("*.parquet")
    stamps = pa.array([moment.replace(tzinfo=None), None], pa.timestamp("ns"))
    pa.parquet.write_table(pa.table({"t": stamps}), file, use_deprecated_int96_timestamps=True)
    assert table.rows() == [(moment,), (None,)]
    assert table.scan().frame.filter(pl.col("t") == moment).collect().height == 1


def test_maps_are_read_as_lists_of_entries_and_their_writing_is_refused(table, foreign):
    values = pa.array([[("a", 1), ("b", None)], None], pa.map_(pa.string(), pa.int32()))
    foreign(table, pa.table({"m": values, "v": [1, 2]}))
    scan = table.scan()
    assert scan.columns[0] == Column("m", "map<string,int>")
    assert scan.frame.collect()["m"].to_list() == [
        [{"key": "a", "value": 1}, {"key": "b", "value": None}],
        None,
    ]
    for rows in (scan.frame, pl.DataFrame({"v": [3]})):
        with pytest.raises(Invalid, match="m holds maps, which can be read but not written"):
            table.write(rows, "append")
    table.write(pl.DataFrame({"v": [1]}), "delete", merge_keys=["v"])
    assert table.facts().row_count == 1


def test_a_predicate_reaches_the_files(table):
    table.write(pl.DataFrame({"a": [1, 2], "p": ["x", "y"]}), partition_by=["p"])
    assert "SELECTION" in table.scan().frame.filter(pl.col("a") > 1).explain()


def test_files_of_other_partitions_are_not_opened(table):
    table.write(pl.DataFrame({"a": [1, 2], "p": ["x y", "ü"]}), partition_by=["p"])
    scan = table.scan()
    for file in (table.path / "p=%C3%BC").glob("*.parquet"):
        file.write_bytes(b"torn")
    assert scan.frame.filter(pl.col("p") == "x y").collect().rows() == [(1, "x y")]


def test_a_partitioned_table_in_a_folder_that_looks_like_a_partition(make_table):
    table = make_table("p=9", "q=1", "t")
    table.write(pl.DataFrame({"p": ["a", "b", None], "v": [1, 2, 3]}), partition_by=["p"])
    assert table.rows("v") == [("a", 1), ("b", 2), (None, 3)]


def test_a_thousand_partitions_are_one_scan(table):
    names = [f"k{n}" for n in range(1000)]
    table.write(pl.DataFrame({"p": names, "v": range(1000)}), partition_by=["p"])
    frame = table.scan().frame
    assert frame.explain().count("Parquet SCAN") == 1
    assert frame.filter(pl.col("p") == "k77").collect().rows() == [("k77", 77)]


def test_a_column_added_later_is_null_in_older_files(table, foreign):
    foreign(table, pl.DataFrame({"a": [1], "s": [{"x": 1}]}))
    foreign(
        table,
        pl.DataFrame({"a": [2], "s": [{"x": 2, "y": "n"}], "b": ["new"]}),
        mode="append",
        schema_mode="merge",
    )
    assert table.rows("a") == [
        (1, {"x": 1, "y": None}, None),
        (2, {"x": 2, "y": "n"}, "new"),
    ]


def test_a_table_without_files_has_no_rows(table):
    table.write(pl.DataFrame({"a": [1]}).clear())
    assert table.rows() == []
    assert table.facts().row_count == 0


def test_deleted_rows_are_never_shown(make_table, with_deletions):
    table = make_table("José #1", "t")
    table.write(pl.DataFrame({"a": [10, 20, 30, 40]}, schema={"a": pl.Int32}))
    with_deletions(table, [0, 2])
    assert table.rows() == [(20,), (40,)]
    frame = table.scan().frame
    assert frame.filter(pl.col("a") > 20).collect().rows() == [(40,)]
    assert frame.select(pl.len()).collect().item() == 2
    assert frame.head(1).collect().rows() == [(20,)]
    assert frame.collect_schema().names() == ["a"]
    assert table.facts().row_count == 2
    assert table.rows(version=0) == [(10,), (20,), (30,), (40,)]


def test_deleted_rows_in_a_partitioned_table(table, with_deletions):
    table.write(pl.DataFrame({"a": [1, 2, 3], "p": ["x", "x", "y"]}), partition_by=["p"])
    with_deletions(table, [0])
    assert table.facts().row_count == 2
    assert len(table.rows()) == 2


def test_a_renamed_column_is_read_by_its_name_and_the_table_not_written(table):
    table.write(pl.DataFrame({"a": [1]}))
    meta = table.actions("metaData")[0]
    field = {
        "name": "renamed",
        "type": "long",
        "nullable": True,
        "metadata": {"delta.columnMapping.id": 1, "delta.columnMapping.physicalName": "a"},
    }
    table.commit(
        {"protocol": {"minReaderVersion": 2, "minWriterVersion": 5}},
        {
            "metaData": {
                **meta,
                "schemaString": json.dumps({"type": "struct", "fields": [field]}),
                "configuration": {
                    "delta.columnMapping.mode": "name",
                    "delta.columnMapping.maxColumnId": "1",
                },
            }
        },
    )
    assert table.scan().frame.collect().to_dicts() == [{"renamed": 1}]
    assert table.facts().columns == (Column("renamed", "bigint"),)
    before = table.files()
    for mode in ("append", "overwrite", "upsert"):
        with pytest.raises(Invalid, match="column mapping") as caught:
            table.write(pl.DataFrame({"renamed": [2]}), mode, merge_keys=["renamed"])
        assert caught.value.condition == "DELTA_UNSUPPORTED_FEATURES_FOR_WRITE"
    assert table.files() == before


@pytest.mark.parametrize("feature", ["fooBar", "typeWidening"])
def test_a_feature_nobody_here_knows_is_refused_by_name(table, feature):
    table.write(pl.DataFrame({"a": [1]}))
    table.commit(table.protocol(feature))
    with pytest.raises(Invalid, match=feature):
        table.scan()


def test_comments_and_not_null_are_part_of_the_columns(table):
    fields = [
        {"name": "id", "type": "long", "nullable": False, "metadata": {}},
        {"name": "n", "type": "string", "nullable": True, "metadata": {"comment": "a <b>"}},
    ]
    table.write(pl.DataFrame({"id": [1], "n": ["x"]}))
    meta = table.actions("metaData")[0]
    schema = json.dumps({"type": "struct", "fields": fields})
    table.commit({"metaData": {**meta, "schemaString": schema}})
    assert table.facts().columns == (
        Column("id", "bigint", nullable=False),
        Column("n", "string", comment="a <b>"),
    )


def test_a_checkpoint_and_a_cleaned_log_still_open(table):
    table.write(pl.DataFrame({"v": [0]}))
    for _ in range(3):
        table.write(pl.DataFrame({"v": [1]}), "append")
    DeltaTable(table.location).create_checkpoint()
    for old in range(3):
        (table.path / "_delta_log" / f"{old:020}.json").unlink()
    assert len(table.rows()) == 4
    with pytest.raises(Invalid, match="no version 1") as caught:
        table.scan(version=1)
    assert caught.value.hint == "Versions 3 to 3 can be read."


def test_maintenance_moves_the_version_but_not_the_datas(table):
    table.write(pl.DataFrame({"v": [1]}))
    table.write(pl.DataFrame({"v": [2]}), "append", commit_info={"user": "ada"})
    before = table.facts()
    DeltaTable(table.location).optimize.compact()
    DeltaTable(table.location).vacuum(
        retention_hours=0, enforce_retention_duration=False, dry_run=False
    )
    after = table.facts()
    assert (before.version, before.data_files_version) == (1, 1)
    assert after.version > 1
    assert (after.data_files_version, after.row_count) == (1, 2)
    kinds = [(entry.operation, entry.maintenance) for entry in table.history().entries]
    assert kinds[-2:] == [("WRITE", False), ("WRITE", False)]
    assert all(maintenance for _, maintenance in kinds[:-2])
    assert table.history().entries[-2].user == "ada"


def test_history_says_how_many_rows_came_and_went(table):
    table.write(pl.DataFrame({"id": [1, 2, 3]}))
    table.write(pl.DataFrame({"id": [3, 4]}), "upsert", merge_keys=["id"])
    table.write(pl.DataFrame({"id": [1]}), "delete", merge_keys=["id"])
    entries = table.history().entries
    assert [(e.version, e.rows_added, e.rows_removed) for e in entries][1:] == [
        (1, 1, 0),
        (0, 3, None),
    ]
    assert (entries[0].rows_added, entries[0].rows_removed) == (0, 1)
    assert entries[0].timestamp.endswith("+00:00")
    assert len(table.history(2).entries) == 2
    assert table.history(2).total == 3


def test_history_up_to_an_old_version_has_that_versions_commits(table):
    for number in range(4):
        table.write(pl.DataFrame({"v": [number]}), "append" if number else "create")
    old = table.format.history(table.source(version=1), 10)
    assert [entry.version for entry in old.entries] == [1, 0]
    assert old.total == 2
    assert table.facts(version=1).data_files_version == 1


def test_rows_are_counted_from_footers_when_the_log_has_no_counts(table):
    table.write(pl.DataFrame({"v": [1, 2, 3]}))
    add = table.actions("add")[0]
    log = table.path / "_delta_log" / f"{0:020}.json"
    log.write_text(log.read_text().replace(json.dumps(add["stats"]), "null"))
    assert table.facts().row_count == 3
    (table.path / add["path"]).unlink()
    assert table.facts().row_count is None
