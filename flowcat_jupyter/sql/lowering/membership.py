"""IN and EXISTS of a query."""

from __future__ import annotations

from typing import ClassVar, cast

from sqlglot import exp

from flowcat_jupyter.shared.types import DataType
from flowcat_jupyter.sql import typing as types
from flowcat_jupyter.sql.dialect import refusal
from flowcat_jupyter.sql.lowering import casts, text
from flowcat_jupyter.sql.lowering.expressions import Binder, Query, child, handles
from flowcat_jupyter.sql.lowering.quantified import only_true_matters
from flowcat_jupyter.sql.lowering.values import Value

_NOT_PLAIN = ("group", "having", "qualify", "limit", "offset", "laterals", "windows")


class Bound(exp.Expression):
    """A value that is bound already, to stand inside a query that is not yet."""

    arg_types: ClassVar[dict[str, bool]] = {"this": True}


@handles(Bound)
def _bound(binder: Binder, node: exp.Expression) -> Value:
    binder.scope.outer_used = True
    return cast(Value, node.meta["value"])


@handles(exp.Exists)
def _exists(binder: Binder, node: exp.Expression) -> Value:
    inner = binder.subquery(child(node), binder.scope, True)
    return inner.met or Value(f"EXISTS ({inner.sql})", types.BOOLEAN)


def in_query(binder: Binder, node: exp.Expression, query: exp.Expression) -> Value:
    """``subject IN (SELECT …)``."""
    subject = binder.bind(child(node))
    # As the engine takes it, if it does; what would be added to the rows for it is not wanted yet.
    steps, binder.scope.steps = binder.scope.steps, None
    try:
        inner = binder.subquery(query, binder.scope, False)
    finally:
        binder.scope.steps = steps
    if len(inner.columns) != 1:
        raise refusal(f"IN with a query of {len(inner.columns)} columns", node)
    column = Value("", inner.columns[0].type)
    kind = types.common_type(subject.type, column.type)
    if kind is None:
        raise casts.mismatch(column.type, subject.type)
    left = casts.cast(subject, kind, binder.context)
    select = _plain_select(query)
    plain = inner.taken and column.type == kind and text.is_column(left.sql)
    if inner.correlated and steps is not None and select is not None and not plain:
        return _by_exists(binder, node, subject, select)
    return left.with_sql(f"({left.sql} IN ({_as(inner, kind, binder)}))", types.BOOLEAN)


def _as(inner: Query, kind: DataType, binder: Binder) -> str:
    output = inner.columns[0]
    if output.type == kind:
        return inner.sql
    outer = casts.cast(Value(f"q0.{output.id}", output.type), kind, binder.context)
    return text.select([f"{outer.sql} AS {output.id}"], text.nested(inner.sql, "q0"))


def _plain_select(query: exp.Expression) -> exp.Select | None:
    """A select of one value of each row."""
    while isinstance(query, exp.Subquery) and not any(
        query.args.get(name) for name in ("with_", "order", "limit", "offset")
    ):
        query = child(query)
    if not isinstance(query, exp.Select) or any(query.args.get(name) for name in _NOT_PLAIN):
        return None
    if query.args.get("with_") is not None or query.find(exp.Window) is not None:
        return None
    item = query.expressions[0]
    return None if item.is_star else query


def _by_exists(binder: Binder, node: exp.Expression, subject: Value, select: exp.Select) -> Value:
    """TRUE where a row has the value; else NULL where one might, one of the two being NULL."""
    item = select.expressions[0]
    value = child(item) if isinstance(item, exp.Alias) else item

    def exists(test: exp.Expression) -> Value:
        made = select.copy()
        made.set("expressions", [exp.Literal.number(1)])
        made.set("distinct", None)
        where = made.args.get("where")
        whole = test if where is None else exp.And(this=where.this, expression=test)
        made.set("where", exp.Where(this=whole))
        asked = exp.Exists(this=made)
        asked.parent = node.parent
        return binder.bind(asked)

    here = Bound(this=exp.Null())
    here.meta["value"] = subject
    found = exists(exp.EQ(this=value.copy(), expression=here))
    if only_true_matters(node):
        return found
    holes = [exp.Is(this=it, expression=exp.Null()) for it in (value.copy(), here.copy())]
    open_ = exists(exp.Paren(this=exp.Or(this=holes[0], expression=holes[1])))
    sql = f"CASE WHEN {found.sql} THEN TRUE WHEN {open_.sql} THEN NULL ELSE FALSE END"
    return found.with_sql(sql)
