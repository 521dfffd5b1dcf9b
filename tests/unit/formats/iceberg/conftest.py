"""Tables of a test's own."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import polars as pl
import pytest

from flowcat_jupyter.formats.iceberg import FORMAT
from flowcat_jupyter.formats.iceberg_table import IcebergTable
from flowcat_jupyter.shared.wire import Source, TableFacts

NAME = ("main", "s", "t")


@dataclass
class Kept:
    """A table as our catalog keeps it: a folder, and the pointer that was recorded last."""

    location: str
    pointer: str | None = None
    pointers: list[str] = field(default_factory=list)

    def begin(self) -> IcebergTable:
        """What a job that writes is given."""
        return FORMAT.written_from(NAME, self.pointer)

    def record(self, job: IcebergTable) -> TableFacts:
        """Move the pointer to what a job has made."""
        facts = job.facts(self.source())
        assert facts.pointer is not None
        self.pointer = facts.pointer
        self.pointers.append(facts.pointer)
        return facts

    def source(
        self, version: int | None = None, timestamp: str | None = None, ref: str | None = None
    ) -> Source:
        """The table as a query opens it."""
        return Source(
            "r1",
            "table",
            NAME,
            "iceberg",
            self.location,
            version,
            timestamp,
            pointer=self.pointer,
            ref=ref,
        )

    def write(
        self, rows: pl.DataFrame, mode: str = "append", partition_by: tuple[str, ...] = ()
    ) -> TableFacts:
        """Write rows and record it."""
        job = self.begin()
        job.write(
            rows,
            location=self.location,
            mode=mode,
            base_version=None,
            partition_by=partition_by,
            keep_columns=True,
            commit_info={"user": "me", "flowcat_write": "w", "flowcat_statement": _said(mode)},
        )
        return self.record(job)

    def rows(self, version: int | None = None) -> pl.DataFrame:
        """All rows, in the declared types, in order."""
        frame = FORMAT.scan(self.source(version)).declared().collect()
        return frame.sort(frame.columns[0], nulls_last=True)

    @property
    def files(self) -> set[str]:
        """Every file in the table's folder."""
        root = Path(self.location)
        return {str(path.relative_to(root)) for path in root.rglob("*") if path.is_file()}


def _said(mode: str) -> str:
    return "CREATE TABLE" if mode == "create" else "INSERT"


@pytest.fixture
def kept(tmp_path: Path) -> Kept:
    """A table that is yet to be made."""
    return Kept(str(tmp_path / "a b#c"))
