"""What a statement that changes something did, and its errors as the statement's own."""

from __future__ import annotations

from dataclasses import dataclass

from flowcat_jupyter.catalog.planning.places import place
from flowcat_jupyter.shared.errors import (
    AlreadyExists,
    Conflict,
    FlowcatError,
    Invalid,
    NotFound,
    SqlError,
)
from flowcat_jupyter.shared.wire import UsedTable
from flowcat_jupyter.shared.wire_writes import ChangedRows, RowChangeOutcome, SqlWriteOutcome
from flowcat_jupyter.sql.dialect import Piece


@dataclass(frozen=True)
class Done:
    """What a statement did.

    ``rows`` are those it wrote, None where it is not about rows. One that found what it wanted
    already so has not ``changed`` anything, and ``warnings`` say why. ``note`` tells what rows do
    not.
    """

    kind: str
    rows: ChangedRows | None = None
    engine: str = ""
    used_tables: tuple[UsedTable, ...] = ()
    warnings: tuple[str, ...] = ()
    worker_ms: float = 0.0
    changed: bool = True
    note: str | None = None


def told_of(kind: str, rows: ChangedRows, told: SqlWriteOutcome | RowChangeOutcome) -> Done:
    """What a worker told of rows it wrote."""
    return Done(kind, rows, told.engine, told.used_tables, told.warnings, told.worker_ms)


def placed(error: FlowcatError, piece: Piece) -> FlowcatError:
    """What is the statement's fault, as an error of it; a lost race or a missing right is not."""
    told = isinstance(error, (NotFound, AlreadyExists, Invalid)) or (
        isinstance(error, Conflict) and error.condition == "SCHEMA_NOT_EMPTY"
    )
    if not told or (isinstance(error, SqlError) and error.line is not None):
        return error
    return SqlError.of(error, place=place(piece, 0))
