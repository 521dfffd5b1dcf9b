"""JSON files: an array of objects, one object, or an object on every line (NDJSON)."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import islice
from typing import Any

import polars as pl

from flowcat_jupyter.formats.csv_dialect import column_names
from flowcat_jupyter.formats.csv_records import LINE, BadRows
from flowcat_jupyter.formats.files_bytes import FileBytes, encoding_warning, find_encoding
from flowcat_jupyter.formats.files_cast import typed_frame
from flowcat_jupyter.formats.files_infer import (
    EXAMPLE_LENGTH,
    EXAMPLES,
    TEXT_TIMES,
    Decision,
    Profile,
)
from flowcat_jupyter.formats.files_options import FileOptions
from flowcat_jupyter.formats.files_reading import HEAD_ROWS, Reading, Request, decide
from flowcat_jupyter.formats.files_values import Convention
from flowcat_jupyter.formats.json_objects import Numbered, json_objects, ndjson_objects
from flowcat_jupyter.formats.json_types import Shape, as_text
from flowcat_jupyter.formats.types import polars_type
from flowcat_jupyter.shared.errors import Conflict, Invalid
from flowcat_jupyter.shared.wire import ProposedColumn

CHUNK_ROWS = 20_000
CHUNK_CHARS = 8 << 20
MAX_COLUMNS = 10_000
# Only NULL itself is NULL in JSON; a text "NA" is a text.
_CONVENTION = Convention(null_values=())


@contextmanager
def read_json(packed: FileBytes, options: FileOptions, request: Request) -> Iterator[Reading]:
    """Read an array of objects, or one object; see `read_ndjson`."""
    yield _JsonFile(packed, "json", options, request).reading(request)


@contextmanager
def read_ndjson(packed: FileBytes, options: FileOptions, request: Request) -> Iterator[Reading]:
    """Read a file with an object on every line.

    Columns are all keys of all objects, in the order they first appear.

    :raises Invalid: it holds no objects, is not JSON, or a type does not suit it.
    :raises NotFound: a type is given for a column it does not have.
    """
    yield _JsonFile(packed, "ndjson", options, request).reading(request)


class _JsonFile:
    """One JSON file, whose objects have been looked at once."""

    def __init__(
        self, packed: FileBytes, kind: str, options: FileOptions, request: Request
    ) -> None:
        self._packed = packed
        self._kind = kind
        self._options = options
        self._sample_above = request.sample_above if kind == "ndjson" else None
        self._encoding = options.encoding or find_encoding(
            packed, self._sample_above, request.report
        )
        self._stamp = self._file_stamp()
        self._shapes: dict[str, Shape] = {}
        self._times: dict[str, Profile] = {}
        self._head: list[Numbered] = []
        self._bad = BadRows()
        self._rows = 0
        self._scan(request)
        self._keys = list(self._shapes)
        names, warnings = column_names(self._keys)
        self._warnings = (*encoding_warning(options.encoding, self._encoding), *warnings)
        self._names = dict(zip(self._keys, names, strict=True))

    def _file_stamp(self) -> tuple[int, int]:
        stat = self._packed.path.stat()
        return stat.st_size, stat.st_mtime_ns

    def _chunks(self, bad: BadRows, sample_above: int | None) -> Iterator[list[Numbered]]:
        with self._packed.text(self._encoding, sample_above) as text:
            ndjson = self._kind == "ndjson"
            objects = ndjson_objects(text, bad) if ndjson else json_objects(text)
            yield from _chunked(objects)

    def _scan(self, request: Request) -> None:
        for chunk in self._chunks(self._bad, self._sample_above):
            for item in chunk:
                for key, value in item.row.items():
                    shape = self._shapes.get(key)
                    if shape is None:
                        shape = self._shapes[key] = Shape()
                    shape.see(value)
            self._see_times(chunk)
            self._head = self._head or chunk[:HEAD_ROWS]
            self._rows += len(chunk)
            self._check_columns()
            request.report(self._rows)
        if not self._shapes and not self._bad.count:
            raise Invalid(f"{self._packed.path.name} holds no objects that have keys.")

    def _check_columns(self) -> None:
        if len(self._shapes) > MAX_COLUMNS:
            raise Invalid(
                f"{self._packed.path.name} has more than {MAX_COLUMNS:,} different keys.",
                hint="Its keys look like data; turn them into values first.",
            )

    def _see_times(self, chunk: list[Numbered]) -> None:
        for key, shape in self._shapes.items():
            if shape.kinds != {"string"}:
                continue
            profile = self._times.setdefault(key, Profile([key], _CONVENTION, TEXT_TIMES))
            if profile.columns[key].alive:
                values = [item.row.get(key) for item in chunk]
                profile.add(pl.DataFrame({key: pl.Series(values, dtype=pl.String)}))

    def _infer(self, key: str) -> Decision:
        shape = self._shapes[key]
        if shape.kinds == {"string"}:
            found = self._times[key].decide(key, _CONVENTION)
            if found.ddl != "string":
                return found
        return Decision(shape.type.ddl, shape.reason)

    def reading(self, request: Request) -> Reading:
        """What was read; taking the rows reads the file again."""
        decisions = decide(self._names, request, self._infer)
        sampled = self._packed.is_sampled(self._encoding, self._sample_above)
        columns = [
            ProposedColumn(self._names[key], found.ddl, found.reason, self._examples(key))
            for key, found in decisions.items()
        ]
        types = {key: found.ddl for key, found in decisions.items()}
        return Reading(
            format=self._kind,
            options={
                "encoding": self._encoding,
                "bad_rows": "skip" if self._options.skip_bad else "stop",
            },
            columns=tuple(columns),
            rows=self._rows,
            bad=BadRows() if sampled else self._bad,
            skip_bad=self._options.skip_bad,
            warnings=self._warnings,
            sampled=sampled,
            frames=lambda: self._frames(types),
            head=lambda size: self._frame(self._head[:size], types),
        )

    def _examples(self, key: str) -> tuple[str, ...]:
        texts = (as_text(item.row[key]) for item in self._head if item.row.get(key) is not None)
        return tuple(islice(dict.fromkeys(text[:EXAMPLE_LENGTH] for text in texts), EXAMPLES))

    def _frames(self, types: dict[str, str]) -> Iterator[pl.DataFrame]:
        for chunk in self._chunks(BadRows(), None):
            yield self._frame(chunk, types)
        if self._file_stamp() != self._stamp:
            raise Conflict(
                f"{self._packed.path.name} changed while it was read; nothing was imported.",
                hint="Import it again when nothing writes to it.",
            )

    def _frame(self, chunk: list[Numbered], types: dict[str, str]) -> pl.DataFrame:
        lines = pl.Series(LINE, [item.line for item in chunk], dtype=pl.UInt64)
        columns = [
            self._column(key, ddl, [item.row.get(key) for item in chunk], lines)
            for key, ddl in types.items()
        ]
        return pl.DataFrame(columns)

    def _column(self, key: str, ddl: str, values: list[Any], lines: pl.Series) -> pl.Series:
        name = self._names[key]
        shape = self._shapes[key]
        if ddl == shape.type.ddl:
            if convert := shape.converter:
                values = [None if value is None else convert(value) for value in values]
            return pl.Series(name, values, dtype=polars_type(ddl), strict=True)
        texts = pl.Series("0", [None if v is None else as_text(v) for v in values], dtype=pl.String)
        frame = pl.DataFrame([texts, lines])
        return typed_frame(frame, {"0": ddl}, {"0": name}, _CONVENTION)[name]


def _chunked(objects: Iterator[Numbered]) -> Iterator[list[Numbered]]:
    chunk: list[Numbered] = []
    size = 0
    for item in objects:
        chunk.append(item)
        size += item.size
        if len(chunk) >= CHUNK_ROWS or size >= CHUNK_CHARS:
            yield chunk
            chunk, size = [], 0
    if chunk:
        yield chunk
