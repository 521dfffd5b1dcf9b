"""Iceberg tables in folders that another engine wrote, and ours as another engine reads them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import polars as pl
import pyarrow as pa
import pytest
from pyiceberg.catalog.sql import SqlCatalog
from pyiceberg.table import StaticTable, Table
from pyiceberg.types import LongType, StringType

from flowcat_jupyter.formats.iceberg import FORMAT
from flowcat_jupyter.shared.errors import Forbidden, Invalid, NotFound
from flowcat_jupyter.shared.wire import Source
from tests.unit.formats.iceberg.conftest import Kept


@pytest.fixture
def table(tmp_path: Path) -> Iterator[Table]:
    """A table that pyiceberg keeps in a catalog of its own."""
    catalog = SqlCatalog("c", uri=f"sqlite:///{tmp_path}/c.db", warehouse=f"file://{tmp_path}/w")
    catalog.create_namespace("n")
    made = catalog.create_table("n.t", schema=pa.schema([("id", pa.int32()), ("a", pa.string())]))
    made.append(pa.table({"id": pa.array([1, 2], pa.int32()), "a": ["x", "y"]}))
    yield made
    catalog.close()


def source(table: Table, **more: Any) -> Source:
    location = table.location().removeprefix("file://")
    return Source("r", "table", ("iceberg", location), "iceberg", location, **more)


def rows(table: Table, **more: Any) -> list[tuple[Any, ...]]:
    return FORMAT.scan(source(table, **more)).declared().collect().sort("id").rows()


def test_a_folder_is_read_by_its_newest_metadata_file(table: Table) -> None:
    assert rows(table) == [(1, "x"), (2, "y")]
    table.append(pa.table({"id": pa.array([3], pa.int32()), "a": ["z"]}))
    assert rows(table) == [(1, "x"), (2, "y"), (3, "z")]
    first = table.metadata.snapshots[0].snapshot_id
    assert rows(table, version=first) == [(1, "x"), (2, "y")]
    facts = FORMAT.facts(source(table))
    assert (facts.row_count, facts.files) == (3, 2)
    entries = FORMAT.history(source(table), 5).entries
    assert [(entry.operation, entry.rows_added) for entry in entries] == [
        ("APPEND", 1),
        ("APPEND", 2),
    ]


def test_columns_are_found_by_their_number(table: Table) -> None:
    with table.update_schema(allow_incompatible_changes=True) as update:
        update.rename_column("a", "b")
        update.update_column("id", field_type=LongType())
        update.add_column("c", LongType())
    with table.update_schema(allow_incompatible_changes=True) as update:
        update.delete_column("c")
    with table.update_schema() as update:
        update.add_column("a", StringType())
        update.add_column("c", StringType())
    table.append(pa.table({"id": [3], "b": ["z"], "a": ["new"], "c": ["c"]}))
    assert rows(table) == [(1, "x", None, None), (2, "y", None, None), (3, "z", "new", "c")]
    found = FORMAT.scan(source(table)).frame.filter(pl.col("id") > 1).select("c").collect()
    assert sorted(found["c"].to_list(), key=str) == [None, "c"]
    assert FORMAT.scan(source(table)).frame.select(pl.len()).collect().item() == 3
    assert FORMAT.scan(source(table)).frame.head(2).collect().height == 2
    first = table.metadata.snapshots[0].snapshot_id
    assert rows(table, version=first) == [(1, "x"), (2, "y")]


def test_it_is_not_guessed_which_of_several_newest_files_is_the_table(table: Table) -> None:
    newest = Path(table.metadata_location.removeprefix("file://"))
    other = newest.name.replace(newest.name[6:14], "0" * 8)
    (newest.parent / other).write_text(newest.read_text())
    with pytest.raises(Invalid, match="cannot be told"):
        rows(table)


def test_a_hint_says_which_metadata_file_is_the_table(table: Table) -> None:
    folder = Path(table.location().removeprefix("file://"), "metadata")
    first, newest = sorted(folder.glob("0*.metadata.json"))
    (folder / "v1.metadata.json").write_text(newest.read_text())
    (folder / "v2.metadata.json").write_text(first.read_text())
    assert rows(table) == []
    (folder / "version-hint.text").write_text("1\n")
    assert rows(table) == [(1, "x"), (2, "y")]


def rewrite(table: Table, change: Any) -> None:
    newest = Path(table.metadata_location.removeprefix("file://"))
    told = json.loads(newest.read_text())
    change(told)
    newest.write_text(json.dumps(told))


@pytest.mark.parametrize("place", ["/etc/passwd", "file:///etc/passwd", "{root}/../../c.db"])
def test_metadata_that_name_a_file_elsewhere_are_refused(table: Table, place: str) -> None:
    root = table.location().removeprefix("file://")

    def elsewhere(told: dict[str, Any]) -> None:
        told["snapshots"][-1]["manifest-list"] = place.format(root=root)

    rewrite(table, elsewhere)
    with pytest.raises(Forbidden):
        rows(table)


def test_metadata_that_name_another_machine_are_refused(table: Table) -> None:
    def elsewhere(told: dict[str, Any]) -> None:
        told["snapshots"][-1]["manifest-list"] = "s3://bucket/list.avro"

    rewrite(table, elsewhere)
    with pytest.raises(Invalid, match="this machine"):
        rows(table)


def test_data_that_lie_elsewhere_are_refused(tmp_path: Path, table: Table) -> None:
    with table.transaction() as change:
        change.set_properties({"write.data.path": f"file://{tmp_path}/elsewhere"})
    table.append(pa.table({"id": pa.array([3], pa.int32()), "a": ["z"]}))
    with pytest.raises(Forbidden):
        rows(table)


def test_a_link_out_of_the_folder_is_refused(tmp_path: Path, table: Table) -> None:
    root = Path(table.location().removeprefix("file://"))
    (file,) = root.rglob("*.parquet")
    file.rename(tmp_path / "moved.parquet")
    file.symlink_to(tmp_path / "moved.parquet")
    with pytest.raises(Forbidden):
        rows(table)


@pytest.mark.parametrize("text", ["", "{}", "[1, 2", '{"format-version": 9}'])
def test_damaged_metadata_are_told(table: Table, text: str) -> None:
    Path(table.metadata_location.removeprefix("file://")).write_text(text)
    with pytest.raises(Invalid, match="cannot be read"):
        rows(table)


def test_a_folder_without_a_table_is_told(tmp_path: Path) -> None:
    with pytest.raises(NotFound):
        FORMAT.open(Source("r", "table", ("t",), "iceberg", str(tmp_path)))


def test_types_that_would_come_out_wrong_are_refused(table: Table) -> None:
    def odd(told: dict[str, Any]) -> None:
        for schema in told["schemas"]:
            schema["fields"][1]["type"] = "uuid"

    rewrite(table, odd)
    with pytest.raises(Invalid, match="Column a is of the Iceberg type uuid"):
        rows(table)


def test_others_read_what_we_write(kept: Kept, monkeypatch: pytest.MonkeyPatch) -> None:
    # Else it warns that a faster reader is not installed.
    monkeypatch.setenv("POLARS_ICEBERG_PLANNER", "pyiceberg")
    given = pl.DataFrame({"id": [1, 2, 3], "name": ["a", None, "c"]})
    kept.write(given, "create", ("bucket(2, `id`)",))
    kept.write(given.head(1))
    read = StaticTable.from_metadata(str(kept.pointer)).scan().to_arrow()
    assert sorted(read.column("id").to_pylist()) == [1, 1, 2, 3]
    theirs = pl.scan_iceberg(StaticTable.from_metadata(str(kept.pointer)), reader_override="native")
    assert theirs.collect().height == 4
