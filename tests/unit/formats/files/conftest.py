from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from flowcat_jupyter.formats.files import read_files
from flowcat_jupyter.formats.files_reading import Reading, Request


@dataclass(frozen=True)
class Read:
    """A file that was read: the reading, its types and reasons by column, and all rows."""

    reading: Reading
    rows: list[tuple[Any, ...]]

    @property
    def types(self) -> dict[str, str]:
        return {column.name: column.type for column in self.reading.columns}

    @property
    def reasons(self) -> dict[str, str]:
        return {column.name: column.reason for column in self.reading.columns}

    @property
    def names(self) -> list[str]:
        return list(self.types)

    def column(self, name: str) -> list[Any]:
        index = self.names.index(name)
        return [row[index] for row in self.rows]

    @property
    def warnings(self) -> str:
        return "\n".join(self.reading.all_warnings())


def read_path(
    path: Path,
    options: dict[str, str] | None = None,
    types: dict[str, str] | None = None,
    format: str | None = None,
) -> Read:
    request = Request(types=types or {})
    with read_files([path], format=format, options=options, request=request) as reading:
        reading.refuse_bad_rows()
        rows = [row for frame in reading.frames() for row in frame.iter_rows()]
        assert all(
            frame.columns == [c.name for c in reading.columns]
            for frame in (reading.head(5), pl.DataFrame(schema=reading.head(1).schema))
        )
        return Read(reading, rows)


ReadText = Callable[..., Read]


@pytest.fixture
def read(tmp_path: Path) -> ReadText:
    """Writes content to a file without a telling name, and reads it."""

    def run(
        content: str | bytes,
        *,
        types: dict[str, str] | None = None,
        name: str = "data",
        format: str | None = None,
        **options: str,
    ) -> Read:
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return read_path(path, options, types, format)

    return run
