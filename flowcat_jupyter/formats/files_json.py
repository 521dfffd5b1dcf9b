"""JSON files: an array of objects, one object, or an object on every line (NDJSON)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from itertools import islice

import polars as pl

from flowcat_jupyter.formats.csv_dialect import column_names
from flowcat_jupyter.formats.csv_told import compression
from flowcat_jupyter.formats.files_ahead import ahead
from flowcat_jupyter.formats.files_bytes import FileBytes
from flowcat_jupyter.formats.files_cast import Typed, typed
from flowcat_jupyter.formats.files_encoding import CHOICES, asked_encoding, find_encoding
from flowcat_jupyter.formats.files_infer import (
    EXAMPLE_LENGTH,
    EXAMPLES,
    TEXT_TIMES,
    Decision,
    Profile,
)
from flowcat_jupyter.formats.files_misfits import Misfits, Tried
from flowcat_jupyter.formats.files_options import BAD_ROWS, FileOptions, given_options
from flowcat_jupyter.formats.files_reading import HEAD_ROWS, Reading, Request, decide, widened
from flowcat_jupyter.formats.files_rejects import BadRows
from flowcat_jupyter.formats.files_values import Convention
from flowcat_jupyter.formats.json_objects import Numbered, json_objects, ndjson_objects
from flowcat_jupyter.formats.json_types import Shape, as_text
from flowcat_jupyter.formats.types import polars_type
from flowcat_jupyter.shared.errors import Invalid
from flowcat_jupyter.shared.types import parse_type
from flowcat_jupyter.shared.wire import Detected, ImportFile, ProposedColumn

CHUNK_ROWS = 20_000
CHUNK_CHARS = 8 << 20
MAX_COLUMNS = 10_000
# Only NULL itself is NULL in JSON; a text "NA" is a text.
_CONVENTION = Convention(null_values=())


@contextmanager
def read_json(packed: FileBytes, options: FileOptions, request: Request) -> Iterator[Reading]:
    """Read an array of objects, or one object; see `read_ndjson`."""
    yield _JsonFile(packed, "json", options, request).reading()


@contextmanager
def read_ndjson(packed: FileBytes, options: FileOptions, request: Request) -> Iterator[Reading]:
    """Read a file with an object on every line.

    Columns are all keys of all objects, in the order they first appear.

    :raises Invalid: it holds no objects, is not JSON, or a type does not suit it.
    :raises NotFound: a type is given for a column it does not have.
    """
    yield _JsonFile(packed, "ndjson", options, request).reading()


class _JsonFile:
    """One JSON file, whose objects have been looked at once."""

    def __init__(
        self, packed: FileBytes, kind: str, options: FileOptions, request: Request
    ) -> None:
        self._packed = packed
        self._kind = kind
        self._options = options
        self._request = request
        self._sample_above = request.sample_above if kind == "ndjson" else None
        self._encoding = asked_encoding(options.encoding) or find_encoding(
            packed, self._sample_above, request.report
        )
        self._sampled = packed.is_sampled(self._encoding.name, self._sample_above)
        self._stamp = packed.stamp()
        self._shapes: dict[str, Shape] = {}
        self._times: dict[str, Profile] = {}
        self._head: list[Numbered] = []
        self._bad = BadRows(packed.label, request.keep)
        self._rows = 0
        self._scan(request)
        keys = list(self._shapes)
        names, self._warnings = column_names(keys)
        self._names = dict(zip(keys, names, strict=True))
        self._decide()

    def _chunks(self, bad: BadRows, sample_above: int | None) -> Iterator[list[Numbered]]:
        with self._packed.text(self._encoding.name, sample_above) as text:
            read = ndjson_objects if self._kind == "ndjson" else json_objects
            yield from _chunked(read(text, bad))

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
        if self._sampled:
            self._bad = BadRows(self._packed.label)
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

    def _decide(self) -> None:
        self._decisions = decide(self._names, self._request, self._infer)
        unsure = {
            key: found
            for key, found in self._decisions.items()
            if found.ddl not in ("string", self._infer(key).ddl)
        }
        if unsure and not self._sampled:
            look = Misfits(self._names, self._tried, self._bad, self._options.bad_rows)
            self._decisions, lost = look.settle(self._decisions, unsure)
            self._rows -= lost

    def _retyped(self, types: Mapping[str, str]) -> Reading:
        self._decisions = widened(self._decisions, self._names, types)
        return self.reading()

    def reading(self) -> Reading:
        """What was read; taking the rows reads the file again."""
        columns = [
            ProposedColumn(self._names[key], found.ddl, found.reason, self._examples(key))
            for key, found in self._decisions.items()
        ]
        encoding = self._encoding
        return Reading(
            format=self._kind,
            options={"encoding": encoding.name, **given_options(self._kind, self._options)},
            columns=tuple(columns),
            rows=self._rows,
            bad=(self._bad,),
            bad_rows=self._options.bad_rows,
            warnings=(*encoding.warnings, *self._warnings),
            sampled=self._sampled,
            frames=self._frames,
            head=lambda size: self._typed(self._head[:size], self._decisions).fitting(),
            retyped=self._retyped,
            own={
                name: self._infer(key).ddl if self._shapes[key].kinds else "void"
                for key, name in self._names.items()
            },
            detected=(
                compression(self._packed),
                Detected("encoding", encoding.name, encoding.reason),
            ),
            choices={"encoding": CHOICES, "bad_rows": BAD_ROWS},
            files=(ImportFile(self._packed.label, self._packed.size),),
        )

    def _examples(self, key: str) -> tuple[str, ...]:
        texts = (as_text(item.row[key]) for item in self._head if item.row.get(key) is not None)
        return tuple(islice(dict.fromkeys(text[:EXAMPLE_LENGTH] for text in texts), EXAMPLES))

    def _frames(self) -> Iterator[pl.DataFrame]:
        yield from ahead(found.typed.fitting() for found in self._tried(self._decisions))
        self._packed.check_unchanged(self._stamp)

    def _tried(self, decisions: Mapping[str, Decision]) -> Iterator[Tried]:
        for chunk in self._chunks(BadRows(), None):
            yield Tried(
                self._typed(chunk, decisions),
                pl.Series([item.line for item in chunk], dtype=pl.UInt64),
                partial(_row_text, chunk),
            )

    def _typed(self, chunk: list[Numbered], decisions: Mapping[str, Decision]) -> Typed:
        """Some objects as rows: from text what is not of the type that the values have."""
        own = {key: found for key, found in decisions.items() if self._is_own(key, found.ddl)}
        other = {key: found for key, found in decisions.items() if key not in own}
        texts = pl.DataFrame([self._texts(key, chunk) for key in other])
        read = typed(texts, self._names, other, _CONVENTION)
        columns = {key: self._values(key, chunk) for key in own}
        columns |= {key: read.frame[self._names[key]] for key in other}
        frame = pl.DataFrame([columns[key] for key in decisions])
        return Typed(frame, read.wrong, read.text, read.decisions)

    def _is_own(self, key: str, ddl: str) -> bool:
        return parse_type(ddl) == self._shapes[key].type

    def _texts(self, key: str, chunk: list[Numbered]) -> pl.Series:
        values = (item.row.get(key) for item in chunk)
        texts = [None if value is None else as_text(value) for value in values]
        return pl.Series(key, texts, dtype=pl.String)

    def _values(self, key: str, chunk: list[Numbered]) -> pl.Series:
        values = [item.row.get(key) for item in chunk]
        if convert := self._shapes[key].converter:
            values = [None if value is None else convert(value) for value in values]
        dtype = polars_type(self._shapes[key].type.ddl)
        return pl.Series(self._names[key], values, dtype=dtype, strict=True)


def _row_text(chunk: list[Numbered], row: int) -> str:
    return as_text(chunk[row].row)


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
