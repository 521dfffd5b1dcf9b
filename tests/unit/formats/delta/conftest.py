from __future__ import annotations

import json
from pathlib import Path

import polars as pl
import pytest
from deltalake import DeltaTable, write_deltalake

from flowcat_jupyter.formats.delta import DeltaFormat
from flowcat_jupyter.shared.wire import Source
from tests.support.deletion_vectors import deletion_vector


class Table:
    """A Delta table at a path, read and written through the format under test."""

    def __init__(self, path: Path) -> None:
        self.format = DeltaFormat()
        self.path = path
        self.location = str(path)

    def source(self, **options) -> Source:
        return Source("r1", "table", ("main", "default", "t"), "delta", self.location, **options)

    def write(self, frame, mode="create", *, base=None, **options) -> int:
        return self.format.write(
            frame, location=self.location, mode=mode, base_version=base, **options
        )

    def scan(self, **options):
        return self.format.scan(self.source(**options))

    def rows(self, by=None, **options) -> list[tuple]:
        frame = self.scan(**options).frame.collect()
        return frame.sort(by or frame.columns, nulls_last=True).rows()

    def facts(self, **options):
        return self.format.facts(self.source(**options))

    def history(self, limit=100):
        return self.format.history(self.source(), limit)

    def files(self) -> set[str]:
        return {str(p.relative_to(self.path)) for p in self.path.rglob("*") if p.is_file()}

    def commit(self, *actions) -> None:
        """Add a commit as a foreign writer would."""
        log = self.path / "_delta_log"
        version = len(list(log.glob("*.json")))
        lines = [{"commitInfo": {"timestamp": 1, "operation": "FOREIGN"}}, *actions]
        text = "\n".join(json.dumps(line) for line in lines)
        (log / f"{version:020}.json").write_text(text)

    def actions(self, kind: str) -> list[dict]:
        found = []
        for commit in sorted((self.path / "_delta_log").glob("*.json")):
            lines = [json.loads(line) for line in commit.read_text().splitlines()]
            found += [line[kind] for line in lines if kind in line]
        return found

    def protocol(self, *reader_features: str) -> dict:
        features = list(reader_features)
        return {
            "protocol": {
                "minReaderVersion": 3,
                "minWriterVersion": 7,
                "readerFeatures": features,
                "writerFeatures": features,
            }
        }


@pytest.fixture
def table(tmp_path) -> Table:
    return Table(tmp_path / "t")


@pytest.fixture
def make_table(tmp_path):
    return lambda *parts: Table(tmp_path.joinpath(*parts))


@pytest.fixture
def with_deletions():
    """Marks rows of a table's first file as deleted, as another engine would."""

    def mark(table: Table, rows: list[int]) -> None:
        add = table.actions("add")[0]
        table.commit(
            table.protocol("deletionVectors"),
            {"remove": {"path": add["path"], "dataChange": True, "deletionTimestamp": 1}},
            {"add": {**add, "deletionVector": deletion_vector(rows)}},
        )

    return mark


@pytest.fixture
def foreign():
    """Writes with the library alone."""

    def write(table: Table, frame: pl.DataFrame, **options) -> DeltaTable:
        write_deltalake(table.location, frame, **options)
        return DeltaTable(table.location)

    return write
