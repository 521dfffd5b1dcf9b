"""Literals, columns, parameters, parentheses, CAST and struct fields."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import date, datetime
from decimal import Decimal, InvalidOperation
from math import isinf
from typing import Any, cast

from sqlglot import exp

from flowcat_jupyter.shared.errors import Invalid, SqlError
from flowcat_jupyter.shared.moments import BadText
from flowcat_jupyter.shared.names import name_key
from flowcat_jupyter.shared.types import MAX_PRECISION, DataType, parse_type
from flowcat_jupyter.sql import typing as types
from flowcat_jupyter.sql.dialect import House, parse_statement, place, refusal
from flowcat_jupyter.sql.hints import unbound
from flowcat_jupyter.sql.lowering import casts, constants, values
from flowcat_jupyter.sql.lowering.expressions import Binder, child, handles, unify
from flowcat_jupyter.sql.lowering.targets import Target
from flowcat_jupyter.sql.lowering.values import Value
from flowcat_jupyter.sql.quoting import is_pattern
from flowcat_jupyter.sql.tree import OF_A_VIEW

_SESSIONS = (("system", "session"), ("session",))
_TYPES = {
    "TEXT": "string",
    "VARCHAR": "string",
    "CHAR": "string",
    "NVARCHAR": "string",
    "TIMESTAMPLTZ": "timestamp",
    "TIMESTAMPTZ": "timestamp",
    "TIMESTAMPNTZ": "timestamp_ntz",
}


@handles(exp.Literal)
def _literal(_binder: Binder, node: exp.Expression) -> Value:
    written = str(node.this)
    if node.args.get("is_string"):
        return values.text(written)
    if "e" in written.lower():
        return _floating(float(written), node)
    number = _exact(Decimal(written), node)
    if "." in written:
        return values.exact(number)
    return replace(values.integer(int(number)), written=True)


def _floating(number: float, node: exp.Expression) -> Value:
    if isinf(number):
        raise refusal("a number larger than any DOUBLE", node)
    return values.floating(number)


def _exact(number: Decimal, node: exp.Expression | None) -> Decimal:
    if types.decimal_of(number).precision > MAX_PRECISION:
        raise refusal("a number of more than 38 digits", node)
    return number


@handles(exp.RawString, exp.National)
def _raw_string(_binder: Binder, node: exp.Expression) -> Value:
    return values.text(str(node.this))


@handles(exp.HexString)
def _bytes(binder: Binder, node: exp.Expression) -> Value:
    """``X'00ff'``: the bytes that its digits write, a half one at the front being whole."""
    digits = exp.Literal.string(str(node.this))
    call = exp.Anonymous(this="unhex", expressions=[digits])
    for made in (call, digits):
        made.meta.update(node.meta)
    return binder.bind(call)


@handles(exp.Boolean)
def _boolean(_binder: Binder, node: exp.Expression) -> Value:
    return values.boolean(bool(node.this))


@handles(exp.Null)
def _null(_binder: Binder, _node: exp.Expression) -> Value:
    return values.null()


@handles(exp.Paren)
def _paren(binder: Binder, node: exp.Expression) -> Value:
    return binder.bind(child(node))


@handles(exp.Column)
def _column(binder: Binder, node: exp.Expression) -> Value:
    parts = [part.name for part in cast(exp.Column, node).parts]
    if len(parts) == 1:
        known = binder.lateral.get(name_key(parts[0]))
        if known is not None and not binder.scope.columns_named(parts[0]):
            return known
    try:
        column, rest = binder.scope.resolve(parts, node)
    except SqlError as error:
        known = variable(binder, parts, node, error)
        if known is None:
            raise
        return known
    value = Value(column.sql, column.type, fields=frozenset((column.id,)))
    return struct_path(value, rest, node, binder.context.target)


def struct_path(value: Value, path: Sequence[str], node: exp.Expression, target: Target) -> Value:
    """A field of a struct, of a struct …

    :raises SqlError: something on the way is not a struct, or has no such field.
    """
    for name in path:
        fields = [item for item in value.type.fields if name_key(item.name) == name_key(name)]
        if len(fields) != 1:
            line, column = place(node)
            known = ", ".join(item.name for item in value.type.fields)
            raise SqlError(
                f"There is no field {name} in a value of type {value.type.ddl}.",
                condition="FIELD_NOT_FOUND",
                sqlstate="42704",
                line=line,
                column=column,
                hint=f"There are: {known}." if known else None,
            )
        if is_pattern(fields[0].name):
            raise refusal(f"reading a struct's field called {fields[0].name}", node)
        value = value.with_sql(target.field(value.sql, fields[0].name), fields[0].type)
    return value


def variable(
    binder: Binder, parts: Sequence[str], node: exp.Expression, error: SqlError
) -> Value | None:
    """The value of the session's variable that ``parts`` name, where they are no column's.

    None where they name none, or where ``error`` says that they do name columns.
    """
    if not str(error.condition).startswith("UNRESOLVED_COLUMN") or node.meta.get(OF_A_VIEW):
        return None
    keys = [name_key(part) for part in parts]
    skip = next((len(above) for above in _SESSIONS if tuple(keys[: len(above)]) == above), 0)
    for start in dict.fromkeys((skip, 0)):
        sql = binder.context.variables.get(keys[start]) if start < len(keys) else None
        if sql is not None:
            value = binder.bind(parse_statement(f"SELECT {sql}").expressions[0])
            return struct_path(value, parts[start + 1 :], node, binder.context.target)
    return None


@handles(exp.Dot)
def _dot(binder: Binder, node: exp.Expression) -> Value:
    names: list[str] = []
    inner: exp.Expression = node
    while isinstance(inner, exp.Dot):
        names.insert(0, inner.expression.name)
        inner = child(inner)
    if isinstance(inner, exp.Column):
        parts = [part.name for part in inner.parts]
        parts += names
        try:
            column, rest = binder.scope.resolve(parts, node)
        except SqlError as error:
            known = variable(binder, parts, inner, error)
            if known is None:
                raise
            return known
        value = Value(column.sql, column.type, fields=frozenset((column.id,)))
        return struct_path(value, rest, node, binder.context.target)
    return struct_path(binder.bind(inner), names, node, binder.context.target)


@handles(exp.Cast, exp.TryCast)
def _cast(binder: Binder, node: exp.Expression) -> Value:
    to = read_type(cast(exp.DataType, child(node, "to")), node)
    value = binder.bind(child(node))
    made = casts.cast(value, to, binder.context, safe=isinstance(node, exp.TryCast))
    return replace(made, written=False) if made.written else made


def read_type(node: exp.DataType, where: exp.Expression) -> DataType:
    """The type that a type's node spells.

    :raises SqlError: it is not one of Spark's.
    """
    name = node.this.value if isinstance(node.this, exp.DType) else str(node.this)
    known = _TYPES.get(name.upper())
    text = known or node.sql(dialect=House).lower()
    try:
        return parse_type(text)
    except Invalid:
        raise refusal(f"the type {text.upper()}", where) from None


@handles(exp.Placeholder)
def _placeholder(binder: Binder, node: exp.Expression) -> Value:
    name = str(node.this) if node.this else "?"
    if name not in binder.context.params:
        line, column = place(node)
        told, hint = unbound(name)
        raise SqlError(
            told,
            condition="UNBOUND_SQL_PARAMETER",
            sqlstate="42P02",
            line=line,
            column=column,
            hint=hint,
        )
    given = binder.context.params[name]
    if isinstance(given, (list, tuple)):
        items = [parameter(name, item, binder) for item in given]
        kinds = unify(items, binder.context, node)
        sql = f"ARRAY[{', '.join(item.sql for item in kinds)}]"
        return Value(sql, types.array_of(kinds[0].type if kinds else types.VOID))
    return parameter(name, given, binder)


def parameter(name: str, given: Any, binder: Binder) -> Value:
    """A bound value as a typed literal.

    :raises SqlError: it is of a kind that cannot be bound.
    """
    if given is None:
        return values.null()
    if isinstance(given, bool):
        return values.boolean(given)
    if isinstance(given, int):
        return replace(values.integer(int(_exact(Decimal(given), None))), written=True)
    if isinstance(given, float):
        return values.floating(given)
    if isinstance(given, str):
        return values.text(given)
    if isinstance(given, (Decimal, date, datetime)):
        return _tagged(binder, {type(given).__name__.lower(): str(given)}, name)
    return _tagged(binder, given, name)


_TAGS = {
    "date": types.DATE,
    "timestamp": types.TIMESTAMP,
    "datetime": types.TIMESTAMP,
}


def _tagged(binder: Binder, given: Any, name: str) -> Value:
    tag, written = next(iter(given.items())) if isinstance(given, dict) and given else ("", "")
    try:
        if tag == "decimal":
            number = Decimal(str(written))
            if number.is_finite():
                return values.exact(_exact(number, None))
        if tag in _TAGS:
            folded = constants.fold(values.text(str(written)), _TAGS[tag], binder.context.zone)
            if folded is not None:
                return folded
    except (InvalidOperation, BadText):
        pass
    raise SqlError(
        f"The parameter :{name} cannot be bound to {given!r}.",
        condition="INVALID_PARAMETER_VALUE",
        sqlstate="22023",
        hint='Pass a number, text, true, false, null, a list, {"date": …}, {"timestamp": …} or '
        '{"decimal": …}.',
    )
