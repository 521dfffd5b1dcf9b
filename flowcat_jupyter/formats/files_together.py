"""Several files as one table."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import polars as pl

from flowcat_jupyter.formats.files_reading import Reading
from flowcat_jupyter.formats.types import exactly, polars_type
from flowcat_jupyter.shared.errors import Invalid
from flowcat_jupyter.shared.names import name_key
from flowcat_jupyter.shared.types import DataType, parse_type
from flowcat_jupyter.shared.wire import ProposedColumn

_DIGITS = {"tinyint": 3, "smallint": 5, "int": 10, "bigint": 19}
_LISTED = 3
_LISTED_WARNINGS = 20


@dataclass(frozen=True)
class _Column:
    """A column of the one table: in the spelling and with the type it gets, and why that."""

    name: str
    type: str
    reason: str
    examples: tuple[str, ...]


def unified_types(readings: Sequence[Reading]) -> dict[str, str]:
    """The type in which each column takes every file's values, by name."""
    found: dict[str, tuple[str, str]] = {}
    for reading in readings:
        for column in reading.columns:
            key = name_key(column.name)
            if _is_empty(column):
                found.setdefault(key, (column.name, ""))
            elif key in found and found[key][1]:
                found[key] = (found[key][0], widest(found[key][1], column.type))
            else:
                spelled = found[key][0] if key in found else column.name
                found[key] = (spelled, column.type)
    return {name: ddl or "string" for name, ddl in found.values()}


def _is_empty(column: ProposedColumn) -> bool:
    # Without values a column is text only until some file has values for it.
    return column.type == "string" and "text until a type is given" in column.reason


def widest(one: str, other: str) -> str:
    """The type that takes the values of both, exactly; text where no other does."""
    a, b = parse_type(one), parse_type(other)
    if a == b:
        return one
    whole = max(_whole(a), _whole(b))
    scale = max(a.scale, b.scale)
    exact = {"decimal", *_DIGITS}
    if a.is_integer and b.is_integer:
        return one if _DIGITS[a.kind] > _DIGITS[b.kind] else other
    if {a.kind, b.kind} <= exact and whole + scale <= 38:
        return f"decimal({whole + scale},{scale})"
    if {a.kind, b.kind} <= {"tinyint", "smallint", "int", "float", "double"}:
        return "double"
    return "string"


def _whole(kind: DataType) -> int:
    if kind.kind == "decimal":
        return kind.precision - kind.scale
    return _DIGITS.get(kind.kind, 0)


def together(readings: Sequence[Reading], file_column: str | None) -> Reading:
    """The readings of several files, each in the types of `unified_types`, as one.

    :raises Invalid: the column for the files' names is already one of theirs.
    """
    columns = _columns(readings)
    if file_column is not None:
        _check_free(file_column, columns)
    rows = _Together(readings, {c.name: polars_type(c.type) for c in columns}, file_column)
    named = [ProposedColumn(c.name, c.type, c.reason, c.examples) for c in columns]
    if file_column is not None:
        names = tuple(reading.files[0].name for reading in readings[:_LISTED])
        named.append(ProposedColumn(file_column, "string", "the file each row is from", names))
    return replace(
        readings[0],
        columns=tuple(named),
        rows=sum(reading.rows for reading in readings),
        bad=tuple(bad for reading in readings for bad in reading.bad),
        warnings=(*_warnings(readings), *_differences(readings)),
        sampled=any(reading.sampled for reading in readings),
        frames=rows.frames,
        head=rows.head,
        own=_own(readings),
        files=tuple(file for reading in readings for file in reading.files),
    )


@dataclass(frozen=True)
class _Together:
    """The rows of several readings, one file after the other, in the columns of all."""

    readings: Sequence[Reading]
    schema: Mapping[str, pl.DataType]
    file_column: str | None

    def frames(self) -> Iterator[pl.DataFrame]:
        for reading in self.readings:
            for frame in reading.frames():
                yield self._shaped(reading, frame)

    def head(self, size: int) -> pl.DataFrame:
        rows = self._shaped(self.readings[0], self.readings[0].head(size))
        for reading in self.readings[1:]:
            if rows.height >= size:
                break
            rows = rows.vstack(self._shaped(reading, reading.head(size - rows.height)))
        return rows

    def _shaped(self, reading: Reading, frame: pl.DataFrame) -> pl.DataFrame:
        return _shaped(frame, self.schema, self.file_column, reading.files[0].name)


def _own(readings: Sequence[Reading]) -> dict[str, str]:
    """The types that the columns have by themselves in all files together."""
    found: dict[str, tuple[str, str]] = {}
    for reading in readings:
        for name, ddl in reading.own.items():
            known, was = found.get(name_key(name), (name, "void"))
            both = widest(was, ddl) if "void" not in (was, ddl) else (ddl if was == "void" else was)
            found[name_key(name)] = (known, both)
    return dict(found.values())


def _columns(readings: Sequence[Reading]) -> list[_Column]:
    """The columns of all files, in the order they first appear."""
    found: dict[str, _Column] = {}
    for reading in readings:
        for column in reading.columns:
            key = name_key(column.name)
            was = found.get(key)
            if was is None:
                found[key] = _Column(column.name, column.type, column.reason, column.examples)
            elif not was.examples:
                found[key] = replace(was, examples=column.examples)
    return [_with_reason(column, readings) for column in found.values()]


def _with_reason(column: _Column, readings: Sequence[Reading]) -> _Column:
    """The column, saying what it is in each file where that differs."""
    kinds: dict[str, str] = {}
    missing = [
        reading.files[0].name
        for reading in readings
        if not any(name_key(other.name) == name_key(column.name) for other in reading.columns)
    ]
    for reading in readings:
        for name, ddl in reading.own.items():
            if name_key(name) == name_key(column.name):
                kinds.setdefault(ddl, reading.files[0].name)
    parts = [column.reason]
    if len(kinds) > 1 and not column.reason.startswith(("as asked", "as in the table")):
        parts = [", ".join(f"{ddl} in {file}" for ddl, file in list(kinds.items())[:_LISTED])]
        if column.type not in kinds:
            parts[0] += f"; {column.type} takes them all"
    if missing:
        parts.append(f"NULL where it is missing ({_some(missing)})")
    return replace(column, reason="; ".join(parts))


def _some(names: Sequence[str]) -> str:
    more = f" and {len(names) - _LISTED:,} more" if len(names) > _LISTED else ""
    return f"{', '.join(names[:_LISTED])}{more}"


def _check_free(file_column: str, columns: Sequence[_Column]) -> None:
    if any(name_key(column.name) == name_key(file_column) for column in columns):
        raise Invalid(
            f"The files have a column {file_column} of their own.",
            hint="Choose another name for the option file_column.",
        )


def _shaped(
    frame: pl.DataFrame, schema: Mapping[str, pl.DataType], file_column: str | None, file: str
) -> pl.DataFrame:
    given = {name_key(name): name for name in frame.columns}
    parts: list[pl.Expr] = []
    for name, dtype in schema.items():
        source = given.get(name_key(name))
        part = pl.lit(None, dtype=dtype) if source is None else exactly(source).cast(dtype)
        parts.append(part.alias(name))
    if file_column is not None:
        parts.append(pl.lit(file, dtype=pl.String).alias(file_column))
    # Literals alone would make one row.
    return frame.with_row_index("\0").select(pl.col("\0"), *parts).drop("\0")


def _warnings(readings: Sequence[Reading]) -> Iterator[str]:
    if len(readings) == 1:
        yield from readings[0].warnings
        return
    told = 0
    for reading in readings:
        for warning in reading.warnings:
            told += 1
            if told <= _LISTED_WARNINGS:
                yield f"{reading.files[0].name}: {warning}"
    if told > _LISTED_WARNINGS:
        yield f"{told - _LISTED_WARNINGS:,} more warnings about other files are not shown."


def _differences(readings: Sequence[Reading]) -> Iterator[str]:
    """How the files' columns differ, file by file against the first."""
    first = {name_key(c.name): c.name for c in readings[0].columns}
    extra: dict[str, list[str]] = {}
    missing: dict[str, list[str]] = {}
    for reading in readings[1:]:
        names = {name_key(c.name): c.name for c in reading.columns}
        for key, name in names.items():
            if key not in first:
                extra.setdefault(name, []).append(reading.files[0].name)
        for key, name in first.items():
            if key not in names:
                missing.setdefault(name, []).append(reading.files[0].name)
    for name, files in missing.items():
        yield f"Column {name} is missing in {_some(files)}; it is NULL there."
    for name, files in extra.items():
        yield f"Column {name} first appears in {_some(files)}; it is NULL in the files before."


def in_types(readings: Sequence[Reading], asked: Mapping[str, str]) -> list[Reading]:
    """The readings, each in the types that all of them share, but for those ``asked``."""
    given = {name_key(name) for name in asked}
    wanted = {
        name_key(name): ddl
        for name, ddl in unified_types(readings).items()
        if name_key(name) not in given
    }
    return [
        reading.retyped(wanted) if _differs(reading, wanted) else reading for reading in readings
    ]


def _differs(reading: Reading, wanted: Mapping[str, str]) -> bool:
    return any(
        wanted.get(name_key(column.name), column.type) != column.type for column in reading.columns
    )
