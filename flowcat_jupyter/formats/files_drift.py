"""How the columns of files differ from those of the table they are to be added to."""

from __future__ import annotations

from collections.abc import Sequence

from flowcat_jupyter.formats.files_reading import Reading
from flowcat_jupyter.shared.errors import Conflict
from flowcat_jupyter.shared.names import name_key
from flowcat_jupyter.shared.types import DataType, parse_type
from flowcat_jupyter.shared.wire import Column, Drift, DriftColumn

_WIDTHS = {"tinyint": 0, "smallint": 1, "int": 2, "bigint": 3}
_FRACTIONS = ("decimal", "float", "double")


def drift_from(reading: Reading, table: Sequence[Column]) -> Drift | None:
    """How ``reading`` differs from the columns of ``table``; None where it does not.

    A column has changed where the type that its values have by themselves holds values that the
    table's type does not.
    """
    known = {name_key(column.name): column for column in table}
    given = {name_key(column.name) for column in reading.columns}
    own = {name_key(name): ddl for name, ddl in reading.own.items()}
    added = tuple(
        DriftColumn(column.name, column.type)
        for column in reading.columns
        if name_key(column.name) not in known
    )
    missing = tuple(
        DriftColumn(column.name, column.type) for key, column in known.items() if key not in given
    )
    changed = tuple(
        DriftColumn(column.name, own[key], column.type)
        for key, column in known.items()
        if key in own and not takes(parse_type(column.type), parse_type(own[key]))
    )
    found = Drift(added, missing, changed)
    return found if found != Drift() else None


def takes(kind: DataType, own: DataType) -> bool:
    """Whether a column of one type takes what values of type ``own`` usually are."""
    if kind == own or kind.kind in ("string", "binary") or own.kind == "void":
        return True
    if kind.is_integer:
        return own.is_integer and _WIDTHS[own.kind] <= _WIDTHS[kind.kind]
    if kind.kind in _FRACTIONS:
        return own.is_integer or own.kind in _FRACTIONS
    if kind.kind in ("timestamp", "timestamp_ntz"):
        # Files give every timestamp as an instant, and the text of one without a zone fits both.
        return own.kind in ("date", "timestamp", "timestamp_ntz")
    return False


def described(drift: Drift) -> str:
    """The drift in one phrase."""
    parts = []
    if drift.added:
        parts.append(f"new: {', '.join(f'{c.name} {c.type}' for c in drift.added)}")
    if drift.missing:
        parts.append(f"missing: {', '.join(c.name for c in drift.missing)}")
    if drift.changed:
        changes = (f"{c.name} {c.type} instead of {c.was}" for c in drift.changed)
        parts.append(f"of another type: {', '.join(changes)}")
    return "; ".join(parts)


def refuse_drift(drift: Drift) -> Conflict:
    """The error for a drift that nobody has accepted."""
    return Conflict(
        f"The files' columns are not the table's ({described(drift)}); nothing was imported.",
        condition="DELTA_SCHEMA_MISMATCH",
        sqlstate="42KDG",
        hint="Accept the drift to import them all the same: missing columns become NULL, new ones "
        "are added to the table, and values that do not fit are rejected.",
    )
