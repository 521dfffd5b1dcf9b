"""JSON lines in a folder as a data source.

Options: ``path``, the folder. It is made by the first write.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any
from uuid import uuid4

from flowcat_jupyter.formats.data_source import (
    DataSource,
    DataSourceReader,
    DataSourceWriter,
    InputPartition,
    Schema,
    WriterCommitMessage,
)

ENDING = ".jsonl"
TYPES = {bool: "BOOLEAN", int: "BIGINT", Decimal: "DOUBLE", str: "STRING"}
"""The column's type for a value of JSON, where nobody declares the columns."""

FROM_TEXT: dict[str, Callable[[Any], Any]] = {
    "date": date.fromisoformat,
    "timestamp": datetime.fromisoformat,
    "timestamp_ntz": datetime.fromisoformat,
    "double": float,
    "float": float,
}
"""What makes a value of a declared type from what stands in a line."""


class JsonLines(DataSource):
    """One JSON object a line, in every file of a folder."""

    @classmethod
    def name(cls) -> str:
        """The word after USING; the entry point has the same."""
        return "jsonl_demo"

    @property
    def folder(self) -> Path:
        """Where the files are."""
        if "path" not in self.options:
            raise ValueError("the option path is missing: it names the folder")
        return Path(self.options["path"])

    def exists(self) -> bool:
        """Whether there are any rows: the modes error and ignore ask."""
        return bool(files_in(self.folder))

    def schema(self) -> str:
        """The columns of the first line, for who declares none."""
        for file in files_in(self.folder):
            with file.open(encoding="utf-8") as lines:
                for line in lines:
                    values = values_of(line)
                    types = ((name, TYPES.get(type(item))) for name, item in values.items())
                    return ", ".join(f"`{name}` {kind or 'STRING'}" for name, kind in types)
        raise ValueError(f"{self.folder} is empty: list the columns, (id BIGINT, name STRING)")

    def reader(self, schema: Schema) -> JsonLinesReader:
        """Reads what is there now."""
        return JsonLinesReader(files_in(self.folder), schema)

    def writer(self, schema: Schema, overwrite: bool) -> JsonLinesWriter:
        """Writes one more file, or one in place of all."""
        return JsonLinesWriter(self.folder, schema, overwrite)


class JsonLinesReader(DataSourceReader):
    """A part for each file."""

    def __init__(self, files: list[Path], schema: Schema) -> None:
        """Read ``files``, giving the columns of ``schema``."""
        self.files = files
        self.columns = [(field.name, made_by(field.type)) for field in schema]

    def partitions(self) -> list[InputPartition]:
        """The files."""
        return [InputPartition(file) for file in self.files]

    def read(self, partition: InputPartition) -> Iterator[tuple[Any, ...]]:
        """The rows of a file, one at a time: a generator keeps nothing in memory."""
        with partition.value.open(encoding="utf-8") as lines:
            for line in lines:
                values = values_of(line)
                yield tuple(
                    None if (value := values.get(name)) is None else made(value)
                    for name, made in self.columns
                )


class Written(WriterCommitMessage):
    """The file that holds the rows, not yet under a name that a reader looks for."""

    def __init__(self, partial: Path) -> None:
        """Say which file."""
        self.partial = partial


class JsonLinesWriter(DataSourceWriter):
    """Writes a hidden file, and gives it its name in the commit."""

    def __init__(self, folder: Path, schema: Schema, overwrite: bool) -> None:
        """Write rows of ``schema`` into ``folder``."""
        self.folder = folder
        self.names = schema.names
        self.replaced = files_in(folder) if overwrite else []
        self.partial = folder / f".{uuid4().hex}{ENDING}"

    def write(self, iterator: Iterator[Any]) -> Written:
        """Write every row, one at a time."""
        self.folder.mkdir(parents=True, exist_ok=True)
        with self.partial.open("w", encoding="utf-8") as file:
            for row in iterator:
                line = dict(zip(self.names, row, strict=True))
                file.write(json.dumps(line, default=as_text, ensure_ascii=False) + "\n")
        return Written(self.partial)

    def commit(self, messages: list[Any]) -> None:
        """Show the new file, and take away those it replaces."""
        for message in messages:
            message.partial.rename(message.partial.with_name(message.partial.name[1:]))
        for file in self.replaced:
            file.unlink(missing_ok=True)

    def abort(self, messages: list[Any]) -> None:
        """Leave nothing behind."""
        self.partial.unlink(missing_ok=True)


def files_in(folder: Path) -> list[Path]:
    """The files that hold rows; hidden ones are not finished."""
    if not folder.is_dir():
        return []
    return sorted(file for file in folder.glob(f"*{ENDING}") if not file.name.startswith("."))


def values_of(line: str) -> dict[str, Any]:
    """The object in a line; numbers keep all their digits."""
    values: dict[str, Any] = json.loads(line, parse_float=Decimal)
    return values


def as_text(value: Any) -> str:
    """How a value is written for which JSON has no way of its own."""
    if isinstance(value, (date, Decimal)):
        return str(value)
    raise TypeError(f"{type(value).__name__} has no place in JSON")


def made_by(kind: str) -> Callable[[Any], Any]:
    """What makes a value of a type from what stands in a line."""
    if kind.startswith("decimal"):
        return lambda value: Decimal(str(value))
    return FROM_TEXT.get(kind, lambda value: value)
