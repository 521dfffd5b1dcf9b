"""Judging an engine's answers by recorded ones: right, refused by name, or wrong and how."""

from __future__ import annotations

import json
import math
import tempfile
from dataclasses import dataclass, field
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import polars as pl

from flowcat_jupyter.engines.polars_types import polars_type
from flowcat_jupyter.engines.protocol import Engine
from flowcat_jupyter.shared.errors import FlowcatError, SqlError
from flowcat_jupyter.shared.types import parse_type
from flowcat_jupyter.shared.wire import Column
from tests.support import awkward
from tests.support.engines import Tables, plan_for

REFUSALS = ("UNSUPPORTED_FEATURE", "UNRESOLVED_ROUTINE")


def frames() -> Tables:
    """The awkward tables as the engines read them."""
    found: Tables = {}
    for name, (columns, rows) in awkward.TABLES.items():
        series = [
            pl.Series(column, [row[at] for row in rows], dtype=polars_type(parse_type(kind)))
            for at, (column, kind) in enumerate(columns.items())
        ]
        known = tuple(Column(column, kind) for column, kind in columns.items())
        found[name] = (pl.LazyFrame(series), known)
    return found


@dataclass(frozen=True)
class Outcome:
    """Types and rows, or the condition of an error."""

    types: tuple[str, ...] = ()
    rows: tuple[Any, ...] = ()
    error: str | None = None
    message: str = ""
    early: bool = False
    warnings: tuple[str, ...] = ()

    @property
    def refused(self) -> bool:
        """Whether it was said before running that there will be no answer."""
        return self.early or self.error in REFUSALS


def ask(engine: Engine, sql: str, tables: Tables, zone: str = "UTC") -> Outcome:
    """What an engine answers."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "result.arrow"
        prepared = None
        try:
            plan, relations = plan_for(sql, tables, time_zone=zone)
            prepared = engine.prepare(plan, relations)
            prepared.sink(path, limit=10_000, max_bytes=10**8)
        except SqlError as error:
            early = prepared is None and error.line is not None
            return Outcome(error=error.condition or "", message=error.message, early=early)
        except FlowcatError as error:
            return Outcome(error=type(error).__name__, message=error.message)
        frame = pl.read_ipc(path)
    frame = frame.with_columns(
        pl.col(name).dt.convert_time_zone("UTC").dt.replace_time_zone(None)
        for name, kind in frame.schema.items()
        if isinstance(kind, pl.Datetime) and kind.time_zone
    )
    try:
        rows = tuple(tuple(map(plain, row)) for row in frame.rows())
    except (ValueError, pl.exceptions.PanicException):
        return Outcome(error=REFUSALS[0], message="Python holds no date of that year")
    return Outcome(tuple(item.type for item in prepared.columns), rows, warnings=prepared.warnings)


def plain(value: Any) -> Any:
    """A cell as the recorded answers write it."""
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    if isinstance(value, Decimal):
        return f"{value:f}"
    if isinstance(value, datetime):
        value = value.replace(tzinfo=None)
    if isinstance(value, (datetime, date)):
        return value.isoformat(*" " if isinstance(value, datetime) else "")
    if isinstance(value, bytes):
        return value.hex()
    if isinstance(value, dict):
        value = list(value.values())
    return [plain(item) for item in value] if isinstance(value, list) else value


def recorded(answer: dict[str, Any]) -> Outcome:
    """A recorded answer."""
    if "error" in answer:
        return Outcome(error=answer["error"])
    rows = tuple(tuple(row) for row in answer["rows"])
    return Outcome(tuple(answer["types"]), rows)


def same(got: Any, wanted: Any) -> bool:
    """Whether two cells, or rows of cells, are equal; doubles to six digits."""
    if isinstance(got, (list, tuple)) and isinstance(wanted, (list, tuple)):
        return len(got) == len(wanted) and all(map(same, got, wanted))
    if isinstance(got, bool) or isinstance(wanted, bool):
        return got is wanted
    if isinstance(got, (int, float)) and isinstance(wanted, (int, float)):
        return got == wanted or math.isclose(got, wanted, rel_tol=1e-6, abs_tol=1e-12)
    return bool(got == wanted)


def rows_agree(got: Outcome, wanted: Outcome, *, ordered: bool) -> bool:
    """Whether the rows are equal, in their order where that was asked for."""
    if ordered:
        return same(got.rows, wanted.rows)
    return same(sorted(got.rows, key=_key), sorted(wanted.rows, key=_key))


def _key(row: Any) -> str:
    """A row's place: floats by few digits, so that nearly equal ones lie beside each other."""
    return repr([f"{cell + 0.0:.6g}" if isinstance(cell, float) else cell for cell in row])


RIGHT, REFUSED, LOUD, DECLARED = "right", "refused", "loud", "declared"
WIDER = "DATATYPE_MISMATCH.UNEXPECTED_INPUT_TYPE"
"""Spark takes no BIGINT where a function wants an INT; here it is cast, and fails on overflow."""


def is_ordered(sql: str) -> bool:
    """Whether the whole statement has an order, not only a window or a sub-query in it."""
    return "ORDER BY" in sql[sql.rfind(")") + 1 :]


def verdict(got: Outcome, wanted: Outcome, *, ordered: bool = True) -> str:
    """What an answer is.

    ``right``, ``refused``, ``loud`` for an error where there is an answer, ``declared`` for other
    numbers that a warning tells of, or else what is wrong.
    """
    if got.error is not None and wanted.error is not None:
        return RIGHT
    if got.refused:
        return REFUSED
    if got.error is not None:
        return LOUD
    if wanted.error is not None:
        right = wanted.error == WIDER
        return RIGHT if right else f"answers {got.rows}, and {wanted.error} is right"
    return _compared(got, wanted, ordered=ordered)


def _compared(got: Outcome, wanted: Outcome, *, ordered: bool) -> str:
    agree = rows_agree(got, wanted, ordered=ordered)
    if got.warnings and not (agree and got.types == wanted.types):
        return DECLARED
    if not agree:
        return f"{got.rows} instead of {wanted.rows}"
    if got.types != wanted.types:
        return f"is of type {got.types} instead of {wanted.types}"
    return RIGHT


@dataclass
class Report:
    """The verdicts over many questions."""

    asked: int = 0
    refused: list[str] = field(default_factory=list)
    loud: list[str] = field(default_factory=list)
    declared: list[str] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)

    def add(self, sql: str, got: Outcome, said: str) -> None:
        """Keep what was said of one answer."""
        self.asked += 1
        if said == REFUSED:
            self.refused.append(f"{sql}\n    {got.message}")
        elif said == LOUD:
            self.loud.append(f"{sql}\n    {got.error}: {got.message}")
        elif said == DECLARED:
            self.declared.append(f"{sql}\n    {'; '.join(got.warnings)}")
        elif said != RIGHT:
            self.wrong.append(f"{sql}\n    {said}")


def judge(engine: Engine, path: Path) -> Report:
    """Every recorded answer of a file against the engine's."""
    file = json.loads(path.read_text(encoding="utf-8"))
    report, tables = Report(), frames()
    for answer in file["answers"]:
        got = ask(engine, answer["sql"], tables, file["zone"])
        said = verdict(got, recorded(answer), ordered=is_ordered(answer["sql"]))
        report.add(answer["sql"], got, said)
    return report
