"""Turning text into typed columns without ever changing what it says."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

import polars as pl

from flowcat_jupyter.formats import files_times as times
from flowcat_jupyter.formats import files_values as values
from flowcat_jupyter.formats.files_infer import Decision
from flowcat_jupyter.formats.files_values import Convention
from flowcat_jupyter.formats.types import UTC_TIMESTAMP, exactly, polars_type
from flowcat_jupyter.shared.errors import Invalid
from flowcat_jupyter.shared.types import DataType, parse_type

MAX_SHOWN = 80
_Read = Callable[[pl.Expr, DataType, Convention], pl.Expr]


@dataclass(frozen=True)
class Typed:
    """Rows in their types, values that do not fit as NULL, and where those are by column."""

    frame: pl.DataFrame
    wrong: Mapping[str, pl.Series]
    text: pl.DataFrame
    decisions: Mapping[str, Decision]

    def fitting(self) -> pl.DataFrame:
        """The rows of which every value fits."""
        kept = self.frame
        if self.wrong:
            any_wrong = pl.DataFrame(list(self.wrong.values())).select(pl.any_horizontal(pl.all()))
            kept = kept.filter(~any_wrong.to_series())
        return kept

    def misfits(self) -> Iterator[tuple[int, str]]:
        """The other rows, in order, by number from 0: and which column's value does not fit."""
        reasons: dict[int, str] = {}
        for column, wrong in self.wrong.items():
            for row in wrong.arg_true().to_list():
                value = str(self.text[column][row])
                reasons.setdefault(row, misfit(column, value, self.decisions[column].ddl))
        yield from sorted(reasons.items())


def misfit(column: str, value: str, ddl: str) -> str:
    """Why a value does not fit, in words."""
    shown = value if len(value) <= MAX_SHOWN else value[:MAX_SHOWN] + "…"
    return f"column {column}: {shown!r} is not a value of type {ddl}"


def not_of_type(place: str, reason: str, more: int) -> Invalid:
    """The error for a file with a value that does not fit, and ``more`` rows like it."""
    rest = f" ({more:,} more rows do not fit either)" if more else ""
    return Invalid(
        f"{place}, {reason}{rest}.",
        condition="CAST_INVALID_INPUT",
        sqlstate="22018",
        hint="Give the column another type (string takes everything), correct the file, or set "
        "the option bad_rows to skip or text.",
    )


def typed(
    frame: pl.DataFrame,
    names: Mapping[str, str],
    decisions: Mapping[str, Decision],
    convention: Convention,
) -> Typed:
    """The text columns of ``frame`` in their types, renamed to ``names``.

    ``decisions`` and ``names`` have the frame's columns as keys; others go.
    """
    text = frame.select(exactly(key).alias(names[key]) for key in decisions)
    by_name = {names[key]: found for key, found in decisions.items()}
    plain = {name: found.clean for name, found in by_name.items()}
    read = _read_all(text, by_name, plain, convention)
    before, after = (part.null_count().row(0, named=True) for part in (text, read))
    # What is clean in one file, or in a sample, may not be so in another.
    again = [name for name in plain if plain[name] and before[name] != after[name]]
    if again:
        anew = _read_all(text, {name: by_name[name] for name in again}, {}, convention)
        read = read.with_columns(anew.get_columns())
    wrong = {
        name: found
        for name in by_name
        if before[name] != read[name].null_count()
        and by_name[name].ddl != "string"
        and (found := _wrong(text[name], read[name], convention)).any()
    }
    return Typed(read, wrong, text, by_name)


def _read_all(
    text: pl.DataFrame,
    decisions: Mapping[str, Decision],
    plain: Mapping[str, bool],
    convention: Convention,
) -> pl.DataFrame:
    return text.select(
        _read(exactly(name), found, convention, plain=plain.get(name, False)).alias(name)
        for name, found in decisions.items()
    )


def _wrong(text: pl.Series, read: pl.Series, convention: Convention) -> pl.Series:
    stripped = text.str.strip_chars()
    marker = stripped.is_in(convention.nulls).fill_null(value=True)
    return (read.is_null() & ~marker).alias(text.name)


def is_readable(ddl: str) -> bool:
    """Whether text can be read as the type."""
    return parse_type(ddl).kind in _READERS


def check_readable(column: str, ddl: str) -> str:
    """The DDL of a type that text can be read as.

    :raises Invalid: it is no type, or one that text cannot be read as.
    """
    kind = parse_type(ddl)
    if kind.kind not in _READERS:
        raise Invalid(
            f"Column {column} cannot be read as {kind.ddl}.",
            condition="UNSUPPORTED_DATATYPE",
            sqlstate="0A000",
            hint="Text can be read as numbers, dates, timestamps, booleans, strings and binary.",
        )
    return kind.ddl


def _read(column: pl.Expr, found: Decision, convention: Convention, *, plain: bool) -> pl.Expr:
    kind = parse_type(found.ddl)
    if kind.kind == "string":
        if convention.null_values is None:
            return column
        return pl.when(~column.is_in(convention.null_values)).then(column)
    if plain and (reader := _PLAIN.get(kind.kind)):
        return reader(column, kind, convention)
    stripped = column.str.strip_chars()
    value = pl.when(~stripped.is_in(convention.nulls)).then(stripped)
    if found.strptime and kind.kind in ("date", "timestamp", "timestamp_ntz"):
        return values.as_ordered(value, found.strptime).cast(polars_type(found.ddl))
    return _READERS[kind.kind](value, kind, convention)


def _integer(value: pl.Expr, kind: DataType, _: Convention) -> pl.Expr:
    digits = pl.when(value.str.contains(values.DIGITS)).then(value.str.strip_prefix("+"))
    return digits.cast(polars_type(kind.ddl), strict=False)


def _float(value: pl.Expr, kind: DataType, convention: Convention) -> pl.Expr:
    number = _number(value, convention).cast(pl.Float64, strict=False)
    finite = pl.when(number.is_finite()).then(number)
    narrowed = finite.cast(polars_type(kind.ddl), strict=False)
    return pl.when(narrowed.is_finite()).then(narrowed)


def _decimal(value: pl.Expr, kind: DataType, convention: Convention) -> pl.Expr:
    number = _number(value, convention)
    # A cast would round; digits that do not fit are a fault of the type, not of the value.
    fits = number.str.contains(rf"^[+-]?[0-9]*(?:\.[0-9]{{0,{kind.scale}}}0*)?$")
    return pl.when(fits).then(number).cast(polars_type(kind.ddl), strict=False)


def _number(value: pl.Expr, convention: Convention) -> pl.Expr:
    pattern = values.number_pattern(convention.decimal, strict=False)
    number = pl.when(value.str.contains(pattern)).then(value).str.strip_prefix("+")
    return number.str.replace(",", ".", literal=True) if convention.decimal == "," else number


def _plain_float(value: pl.Expr, kind: DataType, convention: Convention) -> pl.Expr:
    point = value.str.replace(",", ".", literal=True) if convention.decimal == "," else value
    return point.cast(polars_type(kind.ddl), strict=False)


_READERS: dict[str, _Read] = {
    **dict.fromkeys(("tinyint", "smallint", "int", "bigint"), _integer),
    "float": _float,
    "double": _float,
    "decimal": _decimal,
    "boolean": lambda value, _, __: values.as_flag(value),
    "date": lambda value, _, how: values.as_date(value, how.strptime),
    "timestamp": lambda value, _, how: values.as_instant(value, how.strptime),
    "timestamp_ntz": lambda value, _, how: values.as_naive(value, how.strptime),
    "string": lambda value, _, __: value,
    "binary": lambda value, _, __: value.cast(pl.Binary),
}
# Only for what was inferred, and so has been looked at value by value.
_PLAIN: dict[str, _Read] = {
    **dict.fromkeys(
        ("int", "bigint"),
        lambda value, kind, _: value.cast(polars_type(kind.ddl), strict=False),
    ),
    "double": _plain_float,
    "boolean": lambda value, _, __: value.str.to_lowercase() == "true",
    "date": lambda value, _, __: value.map_batches(times.known_dates, return_dtype=pl.Date()),
    "timestamp": lambda value, _, __: value.map_batches(
        times.known_instants, return_dtype=UTC_TIMESTAMP
    ),
}
