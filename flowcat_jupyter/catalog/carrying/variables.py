"""DECLARE, SET VARIABLE and DROP TEMPORARY VARIABLE, whose values a worker computes."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from sqlglot import exp

from flowcat_jupyter.catalog.carrying.carrier import Carrier
from flowcat_jupyter.catalog.carrying.done import Done
from flowcat_jupyter.catalog.planning.statements import Select
from flowcat_jupyter.catalog.planning.variables import (
    DECLARE,
    DROP,
    SET,
    Declare,
    DropVariable,
    SetVariables,
    Value,
    Variable,
    check_type,
    literal,
)
from flowcat_jupyter.shared.errors import LimitExceeded, SqlError
from flowcat_jupyter.shared.names import name_key
from flowcat_jupyter.shared.wire import Column, QueryJob, QueryPlan, ResultInfo
from flowcat_jupyter.sql.dialect import Piece

MOST_VARIABLES = 1000
MOST_BYTES = 1 << 20
"""The size that the values of one statement may have, as JSON."""


async def declare(carrier: Carrier, change: Declare) -> Done:
    """Make variables; they begin with their default, or with NULL."""
    variables = carrier.asking.session.variables
    taken = [name for name in change.names if name_key(name) in variables]
    if taken and not change.replace:
        raise SqlError(
            f"There is already a variable {taken[0]}.",
            condition="VARIABLE_ALREADY_EXISTS",
            sqlstate="42723",
            hint="Use DECLARE OR REPLACE, or SET VARIABLE.",
        )
    if len(variables) + len(change.names) > MOST_VARIABLES:
        raise LimitExceeded(
            f"A session has at most {MOST_VARIABLES:,} variables.",
            hint="Drop some with DROP TEMPORARY VARIABLE.",
        )
    kind, sql = change.type or "", literal(None, change.type or "")
    if change.value is not None and change.value.tree is not None:
        [(kind, sql)] = await _computed(carrier, [change.value], [change.type])
    for name in change.names:
        variables[name_key(name)] = Variable(name, kind, sql, sql)
    return Done(DECLARE)


async def set_variables(carrier: Carrier, change: SetVariables) -> Done:
    """Give variables values, all at once."""
    variables = carrier.asking.session.variables
    known: list[Variable] = []
    for name in change.names:
        variable = variables.get(name_key(name))
        if variable is None:
            raise _unknown(name, "UNRESOLVED_VARIABLE")
        known.append(variable)
    types = [variable.type for variable in known]
    if change.from_query:
        found = await _of_query(carrier, change.values[0], types)
    else:
        asked = [(value, kind) for value, kind in zip(change.values, types, strict=True)]
        asked = [(value, kind) for value, kind in asked if value.tree is not None]
        made = iter(await _computed(carrier, [v for v, _ in asked], [k for _, k in asked]))
        found = [
            (variable.type, variable.default) if value.tree is None else next(made)
            for value, variable in zip(change.values, known, strict=True)
        ]
    for variable, (kind, sql) in zip(known, found, strict=True):
        variables[name_key(variable.name)] = Variable(variable.name, kind, sql, variable.default)
    return Done(SET)


async def drop_variable(carrier: Carrier, change: DropVariable) -> Done:
    """Forget a variable."""
    if carrier.asking.session.variables.pop(name_key(change.name), None) is not None:
        return Done(DROP)
    error = _unknown(change.name, "VARIABLE_NOT_FOUND")
    if not change.if_exists:
        raise error
    return Done(DROP, warnings=(error.message,), changed=False)


def _unknown(name: str, condition: str) -> SqlError:
    return SqlError(
        f"There is no variable {name}.",
        condition=condition,
        sqlstate="42883",
        hint="Make it with DECLARE.",
    )


async def _computed(
    carrier: Carrier, values: Sequence[Value], types: Sequence[str | None]
) -> list[tuple[str, str]]:
    """The type and the SQL of each of some values."""
    found: list[tuple[str, str]] = []
    for value, kind in zip(values, types, strict=True):
        if value.tree is None:
            continue
        tree = value.tree.copy()
        if kind is not None:
            item = tree.expressions[0]
            inner = item.this if isinstance(item, exp.Alias) else item
            tree.set("expressions", [exp.cast(inner.copy(), exp.DataType.build(kind))])
        columns, rows = await _rows(carrier, value.piece, tree)
        found.append(_typed(value.piece, columns[0], rows[0][0]))
    return found


async def _of_query(carrier: Carrier, value: Value, types: Sequence[str]) -> list[tuple[str, str]]:
    """The type and the SQL of each column of a query's one row; NULLs where it has none."""
    if value.tree is None:
        return []
    names = [f"v{at}" for at in range(len(types))]
    alias = exp.TableAlias(
        this=exp.to_identifier("q"), columns=[exp.to_identifier(name) for name in names]
    )
    query = exp.Subquery(this=value.tree.copy(), alias=alias)
    items = [
        exp.cast(exp.column(name), exp.DataType.build(kind))
        for name, kind in zip(names, types, strict=True)
    ]
    await _check_count(carrier, value, len(types))
    tree = exp.select(*items).from_(query)
    columns, rows = await _rows(carrier, value.piece, tree)
    if len(rows) > 1:
        raise SqlError(
            "The query has more than one row.",
            condition="ROW_SUBQUERY_TOO_MANY_ROWS",
            sqlstate="21000",
            hint="Let it give one row: use LIMIT 1, or an aggregate.",
        )
    if not rows:
        return [(kind, literal(None, kind)) for kind in types]
    pairs = zip(columns, rows[0], strict=True)
    return [_typed(value.piece, column, item) for column, item in pairs]


async def _check_count(carrier: Carrier, value: Value, wanted: int) -> None:
    tree = value.tree
    if tree is None:
        return
    columns, _ = await _rows(carrier, value.piece, tree, most=0)
    if len(columns) != wanted:
        raise SqlError(
            f"{wanted} variables cannot be set to {len(columns)} columns.",
            condition="ASSIGNMENT_ARITY_MISMATCH",
            sqlstate="42802",
            hint="Select one column for each variable.",
        )


def _typed(piece: Piece, column: Column, value: object) -> tuple[str, str]:
    check_type(piece, column.type)
    return column.type, literal(value, column.type)


async def _rows(
    carrier: Carrier, piece: Piece, tree: exp.Expression, most: int = 2
) -> tuple[tuple[Column, ...], list[list[Any]]]:
    """The columns and the first rows of a query."""

    def plan() -> QueryPlan:
        with carrier.begin(carrier.actor) as unit:
            return carrier.asking.plan(unit, Select(piece, tree))

    planned = await carrier.threads.run(plan)
    carrier.asking.check()
    files = carrier.deps.results.files
    spool, rows_json = files.new_path(), files.new_path()
    try:
        info: ResultInfo = await carrier.deps.executor.run(
            QueryJob(
                plan=planned,
                spool=str(spool),
                max_rows=most,
                max_bytes=carrier.deps.settings.result_max_bytes,
                json_path=str(rows_json),
            ),
            job_id=carrier.asking.job_id,
            deadline_s=carrier.deps.deadline_s,
        )
        rows = await carrier.threads.run(lambda: _read(rows_json))
    finally:
        files.remove(spool)
        files.remove(rows_json)
    return info.columns, rows


def _read(path: Path) -> list[list[Any]]:
    """Rows of a few values.

    :raises LimitExceeded: they are large.
    """
    size = path.stat().st_size
    if size > MOST_BYTES:
        raise LimitExceeded(
            f"The value takes {size:,} bytes, and a variable's at most {MOST_BYTES:,}.",
            hint="Keep it in a table, or in a temporary view.",
        )
    rows: list[list[Any]] = json.loads(path.read_text("utf-8"))
    return rows
