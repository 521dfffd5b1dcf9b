"""Rows in files of a Delta table that no version has yet, until a commit of ours says so."""

from __future__ import annotations

import json
import shutil
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import uuid4

from deltalake import write_deltalake

from flowcat_jupyter.formats.delta_commit import Rows, committing
from flowcat_jupyter.formats.delta_definition import Protocol

_STAGE = "flowcat-stage-"
_STALE_S = 7 * 24 * 3600


@dataclass(frozen=True)
class Staged:
    """Files as a log would say them, the table of them alone, and what it needs of readers."""

    files: tuple[dict[str, Any], ...]
    metadata: dict[str, Any]
    protocol: Protocol

    @property
    def rows(self) -> int:
        """How many rows the files hold."""
        return sum(int(json.loads(file["stats"])["numRecords"]) for file in self.files)


@contextmanager
def staged(location: str, rows: Rows, partition_by: Sequence[str]) -> Iterator[Staged]:
    """Write rows to files in a table's folder; those of a block that fails are removed."""
    folder = Path(location)
    _sweep(folder)
    stage = folder / f"{_STAGE}{uuid4().hex}"
    placed: list[Path] = []
    try:
        with committing(rows):
            write_deltalake(
                str(stage), rows.reader(), mode="error", partition_by=list(partition_by) or None
            )
        log = stage / "_delta_log" / f"{0:020}.json"
        actions = [json.loads(line) for line in log.read_text("utf-8").splitlines()]
        for path in sorted(stage.rglob("*.parquet")):
            to = folder / path.relative_to(stage)
            to.parent.mkdir(parents=True, exist_ok=True)
            placed.append(to)
            path.rename(to)
        yield _read(actions)
        placed.clear()
    finally:
        shutil.rmtree(stage, ignore_errors=True)
        for path in placed:
            path.unlink(missing_ok=True)


def _sweep(folder: Path) -> None:
    """Remove what a rewrite has left that was killed; none takes so long."""
    for old in folder.glob(f"{_STAGE}*"):
        with suppress(OSError):
            if time.time() - old.stat().st_mtime > _STALE_S:
                shutil.rmtree(old, ignore_errors=True)


def _read(actions: Sequence[dict[str, Any]]) -> Staged:
    said = next(action["protocol"] for action in actions if "protocol" in action)
    return Staged(
        tuple(action["add"] for action in actions if "add" in action),
        next(action["metaData"] for action in actions if "metaData" in action),
        Protocol(
            int(said["minReaderVersion"]),
            int(said["minWriterVersion"]),
            frozenset(said.get("readerFeatures") or ()),
            frozenset(said.get("writerFeatures") or ()),
        ),
    )
