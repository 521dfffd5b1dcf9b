"""Expressions: each node becomes a value by the handler registered for its class."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Protocol, cast

from sqlglot import exp

from flowcat_jupyter.shared.errors import SqlError
from flowcat_jupyter.shared.types import DataType
from flowcat_jupyter.sql import typing as types
from flowcat_jupyter.sql.dialect import place, refusal
from flowcat_jupyter.sql.lowering import casts, text
from flowcat_jupyter.sql.lowering.arguments import check_arguments
from flowcat_jupyter.sql.lowering.context import Context
from flowcat_jupyter.sql.lowering.scope import Scope
from flowcat_jupyter.sql.lowering.steps import Steps, is_conditional
from flowcat_jupyter.sql.lowering.values import Value

_MAX_DEPTH = 400
_WHILE_RUNNING = frozenset(
    (
        "ARITHMETIC_OVERFLOW",
        "CAST_INVALID_INPUT",
        "CAST_OVERFLOW",
        "DIVIDE_BY_ZERO",
        "NUMERIC_VALUE_OUT_OF_RANGE",
    )
)
"""Conditions of what fails on values, not on what is written."""
_DEEP = 30
_DEEP_TEXT = 200
_LONGEST = 500_000
_MOST_LEVELS = 3
"""Planning a column computed from one computed before takes the engine ever longer."""


@dataclass(frozen=True, slots=True)
class Output:
    """A column of a query: its name in the generated text, its heading and its type."""

    id: str
    name: str
    type: DataType


@dataclass(frozen=True, slots=True)
class Query:
    """A lowered query.

    ``physical`` are the names its text gives the columns, where they are not the outputs' ids.
    ``taken`` says whether the engine takes its conditions on outer columns as they are, and
    ``met`` is whether it has rows, for each row outside, where that was found otherwise.
    ``single`` says that it has one row at most, whatever its tables hold.
    """

    sql: str
    columns: tuple[Output, ...]
    correlated: bool = False
    physical: tuple[str, ...] = ()
    taken: bool = True
    met: Value | None = None
    single: bool = False


class Grouping(Protocol):
    """How a binder sees groups: it may replace a node by a key or an aggregate of its own."""

    def intercept(self, node: exp.Expression) -> Value | None:
        """The value of ``node`` where it is a key; None where it is not."""

    def aggregate(self, node: exp.Expression) -> Value:
        """The value of an aggregate call."""

    def column(self, value: Value, name: str, node: exp.Expression) -> Value:
        """A column of the sources as the groups see it."""


@dataclass(slots=True)
class Binder:
    """Binds expressions in one scope.

    ``subquery`` lowers a nested query; ``clause`` names the place, for refusals; ``windows``
    says whether window functions may stand here; ``steps`` are the columns computed between texts,
    None where there can be none.
    """

    context: Context
    scope: Scope
    subquery: Callable[[exp.Expression, Scope, bool], Query]
    clause: str = "the select list"
    grouping: Grouping | None = None
    windows: bool = False
    steps: Steps | None = None
    lateral: dict[str, Value] = field(default_factory=dict)
    variables: dict[str, Value] = field(default_factory=dict)
    _depth: int = 0

    def bind(self, node: exp.Expression) -> Value:
        """The value of an expression.

        :raises SqlError: a name, type or construct in it is wrong or not supported.
        """
        if self.grouping is not None:
            hit = self.grouping.intercept(node)
            if hit is not None:
                return hit
        handler = _handler(self.context.target.name, type(node))
        if handler is None:
            raise refusal(f"the expression {_spelled(node)}", node)
        check_arguments(node)
        self._depth += 1
        if self._depth > _MAX_DEPTH:
            raise refusal(f"an expression nested more than {_MAX_DEPTH} deep", node)
        try:
            return self.shallow(handler(self, node), node)
        except SqlError as error:
            if error.line is None:
                error.line, error.column = place(node)
            raise
        finally:
            self._depth -= 1

    def untaken(self, node: exp.Expression) -> Value:
        """The value of what no row evaluates: its type matters, its failing does not."""
        try:
            return self.bind(node)
        except SqlError as error:
            if error.condition not in _WHILE_RUNNING:
                raise
        to = node.args.get("to")
        return Value("NULL", self._type_of(to) if isinstance(to, exp.DataType) else types.VOID)

    def _type_of(self, node: exp.DataType) -> DataType:
        null = exp.Cast(this=exp.Null(), to=node.copy())
        return self.bind(null).type

    def shallow(self, value: Value, node: exp.Expression) -> Value:
        """``value``, computed as a column of its own where its text is nested too deeply.

        That cannot be done with what may fail inside a condition, nor with a window or an
        aggregate that is not yet whole.
        """
        if len(value.sql) < _DEEP_TEXT:
            return value
        if len(value.sql) > _LONGEST and text.depth(value.sql) >= _DEEP:
            raise too_complex(node)
        if self.steps is None or self.scope.outer_used:
            return value
        if len(self.steps.levels) >= _MOST_LEVELS or text.OVER in value.sql:
            return value
        if text.depth(value.sql) < _DEEP:
            return value
        if value.type.kind == "void" or (value.raises and is_conditional(node)):
            return value
        return self.steps.add("value", [value], value.type, node)

    def step(
        self,
        name: str,
        arguments: list[Value],
        kind: DataType,
        node: exp.Expression,
        options: tuple[Any, ...] = (),
    ) -> Value:
        """What an expression of the engine's own, which its SQL lacks, makes of ``arguments``.

        :raises SqlError: such a value cannot be computed here.
        """
        if self.steps is None:
            raise refusal(f"this function in {self.clause}", node)
        return self.steps.add(name, arguments, kind, node, options)

    def bind_as(self, node: exp.Expression, kind: DataType) -> Value:
        """The value of an expression, cast to ``kind`` where that is implied.

        :raises SqlError: it is of a type that is not cast without being asked.
        """
        return self.coerce(self.bind(node), kind, node)

    def coerce(self, value: Value, kind: DataType, node: exp.Expression) -> Value:
        """``value`` as ``kind``.

        :raises SqlError: it is of a type that is not cast without being asked.
        """
        if value.type == kind:
            return value
        if not implied(value.type, kind):
            line, column = place(node)
            raise SqlError(
                f"This needs a value of type {kind.ddl}, and it is {value.type.ddl}.",
                condition="DATATYPE_MISMATCH.UNEXPECTED_INPUT_TYPE",
                sqlstate="42K09",
                line=line,
                column=column,
                hint=f"Write CAST(… AS {kind.ddl.upper()}) if that is meant.",
            )
        return casts.cast(value, kind, self.context)

    def condition(self, node: exp.Expression) -> Value:
        """The value of a condition.

        :raises SqlError: it is not a boolean.
        """
        return self.bind_as(node, types.BOOLEAN)


def _spelled(node: exp.Expression) -> str:
    """A kind of expression in words: AtTimeZone is AT TIME ZONE."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])", " ", type(node).__name__).upper()


_NUMBERS = ("tinyint", "smallint", "int", "bigint", "decimal", "float", "double")


def implied(origin: DataType, kind: DataType) -> bool:
    """Whether ANSI casts ``origin`` to ``kind`` without being asked."""
    if origin.kind in ("void", "string"):
        return (kind.kind != "binary" and not kind.is_nested) or origin.kind == "void"
    if kind.kind == "string":
        return not origin.is_nested and origin.kind != "binary"
    if origin.is_numeric and kind.is_numeric:
        return _NUMBERS.index(kind.kind) >= _NUMBERS.index(origin.kind) or (
            origin.is_integer and kind.is_integer
        )
    times = ("date", "timestamp", "timestamp_ntz")
    return origin.kind in times and kind.kind in times


Handler = Callable[[Binder, exp.Expression], Value]
_HANDLERS: dict[tuple[str | None, type[exp.Expression]], Handler] = {}


def _handler(target: str, kind: type[exp.Expression]) -> Handler | None:
    return _HANDLERS.get((target, kind)) or _HANDLERS.get((None, kind))


def handles(
    *kinds: type[exp.Expression], target: str | None = None
) -> Callable[[Handler], Handler]:
    """Register a handler for node classes; with ``target``, instead of the general one there."""

    def register(handler: Handler) -> Handler:
        for kind in kinds:
            if (target, kind) in _HANDLERS:
                raise ValueError(f"{kind.__name__} already has a handler")
            _HANDLERS[target, kind] = handler
        return handler

    return register


def too_complex(node: exp.Expression) -> SqlError:
    """The error for an expression whose text for the engine grows beyond all measure."""
    line, column = place(node)
    return SqlError(
        "The expression is nested too deeply.",
        condition="FAILED_TO_PARSE_TOO_COMPLEX",
        sqlstate="54001",
        line=line,
        column=column,
        hint="Compute inner parts in a WITH clause or a sub-query of their own.",
    )


def child(node: exp.Expression, name: str = "this") -> exp.Expression:
    """A node's argument that must be there."""
    return cast(exp.Expression, node.args[name])


def unify(values: list[Value], context: Context, node: exp.Expression) -> list[Value]:
    """All values as their common type.

    :raises SqlError: they have none.
    """
    kind = common(values, node)
    return [casts.cast(value, kind, context) for value in values]


def common(values: list[Value], node: exp.Expression) -> DataType:
    """The common type of values.

    :raises SqlError: there is none.
    """
    kinds = [value.type for value in values]
    kind = types.common_of(kinds)
    if kind is None:
        found = ", ".join(dict.fromkeys(item.ddl for item in kinds))
        line, column = place(node)
        raise SqlError(
            f"These have no type in common: {found}.",
            condition="DATATYPE_MISMATCH.DATA_DIFF_TYPES",
            sqlstate="42K09",
            line=line,
            column=column,
            hint="Cast one of them.",
        )
    return kind


def decimal_literal(value: Value, beside: list[Value]) -> DataType:
    """The type a whole-number literal has beside decimals in arithmetic: just its digits."""
    if value.written and any(item.type.kind == "decimal" for item in beside):
        return types.decimal_of(cast(int, value.constant))
    return value.type
