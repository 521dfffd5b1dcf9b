"""Calls of functions that people made become what these stand for, before anything is authorised.

A body is read with the rights of whoever calls it. So that the statement means the same whatever
its tables and columns are called, names of a body are bound in the body (`function_bodies`), and
names of an argument where the call stands (`function_arguments`).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

from sqlglot import exp

from flowcat_jupyter.catalog.planning.function_arguments import (
    bound,
    guarded,
    syntax_error,
)
from flowcat_jupyter.catalog.planning.function_bodies import apart, marked, parsed, type_node
from flowcat_jupyter.catalog.planning.functions import BUILT_IN, FunctionText
from flowcat_jupyter.catalog.planning.headings import names_itself
from flowcat_jupyter.catalog.planning.relations import Relations
from flowcat_jupyter.catalog.planning.resolver import Resolver
from flowcat_jupyter.catalog.planning.view_steps import ViewFault, fault, settled
from flowcat_jupyter.catalog.planning.views import Definition
from flowcat_jupyter.shared.errors import FlowcatError, Forbidden, SqlError
from flowcat_jupyter.shared.names import TableName, name_key
from flowcat_jupyter.sql import functions
from flowcat_jupyter.sql.dialect import House, Piece, position

MOST_CALLS = 1000
"""Calls in one statement, each with those in the body that it becomes."""


class Gated(Protocol):
    """What authorises the statement, or a definition that it reads."""

    @property
    def resolver(self) -> Resolver:
        """What names mean there."""
        ...

    @property
    def piece(self) -> Piece:
        """The text."""
        ...

    @property
    def relations(self) -> Relations:
        """What the whole statement reads."""
        ...

    def entered(self, inner: Definition, node: exp.Expression) -> tuple[tuple[int, int], int]:
        """See `Gate.entered`."""
        ...

    def inner(self, definition: FunctionText, piece: Piece, at: tuple[int, int]) -> Gated:
        """See `Gate.inner`."""
        ...

    def walked(self, tree: exp.Expression) -> exp.Expression:
        """See `Gate.walked`."""
        ...


@dataclass(frozen=True)
class _Call:
    """A call, with the name's other parts (``whole``) where it has some."""

    node: exp.Anonymous
    whole: exp.Expression
    function: FunctionText


def expanded(tree: exp.Expression, gate: Gated) -> exp.Expression:
    """``tree``, which was authorised and is changed, with what its calls stand for.

    :raises SqlError: a function that is named is not there, may not be used, is called with
        wrong arguments, or reads what the caller may not read; with the place of the call.
    """
    calls = list(_calls(tree, gate))
    for call in calls:
        _keep_heading(call.whole)
    # The innermost first: what is in an argument is expanded where the call stands.
    for call in reversed(calls):
        _expand(call, gate)
    return tree


def _calls(tree: exp.Expression, gate: Gated) -> Iterator[_Call]:
    for node in list(tree.find_all(exp.Anonymous)):
        if isinstance(node.parent, exp.Table):
            # What may stand in FROM was looked at.
            continue
        whole, parts = _name(node)
        try:
            if len(parts) == 1 and _is_built_in(parts[0]):
                continue
            above = tuple(map(name_key, parts[:-1]))
            if above in BUILT_IN:
                whole.replace(node)
                continue
            found = gate.resolver.function(parts)
            if found is None:
                _refuse_unknown(parts)
                continue
            _check_use(found, whole)
            yield _Call(node, whole, found)
        except FlowcatError as error:
            raise SqlError.of(error, place=position(gate.piece, whole)) from error


def _is_built_in(name: str) -> bool:
    return name.startswith("__") or functions.lookup(name, None) is not None


def _name(call: exp.Anonymous) -> tuple[exp.Expression, tuple[str, ...]]:
    """A call with all of its name, and the name's parts."""
    last = call.name
    above = call.parent
    if not isinstance(above, exp.Dot) or call.arg_key != "expression":
        return call, (last,)
    parts = [last]
    left = above.this
    while isinstance(left, exp.Dot) and isinstance(left.expression, exp.Identifier):
        parts.insert(0, left.expression.name)
        left = left.this
    if not isinstance(left, (exp.Identifier, exp.Column)):
        return call, (last,)
    first = [part.name for part in left.parts] if isinstance(left, exp.Column) else [left.name]
    return above, (*first, *parts)


def _refuse_unknown(parts: tuple[str, ...]) -> None:
    """Refuse a function that is not there; one of a single part is left to whoever types it."""
    if len(parts) > 1:
        raise SqlError(
            f"There is no function {TableName(parts).sql}.",
            condition="UNRESOLVED_ROUTINE",
            sqlstate="42883",
            hint="SHOW USER FUNCTIONS lists those that people made.",
        )


def _check_use(function: FunctionText, whole: exp.Expression) -> None:
    if not function.readable:
        hint = "Ask its owner for the level use."
        raise Forbidden("use", "function", function.sql_name, hint=hint)
    parent = whole.parent
    if isinstance(parent, exp.Lateral):
        raise SqlError(
            f"{function.sql_name} gives a value, and no rows for FROM.",
            condition="NOT_A_TABLE_FUNCTION",
            sqlstate="42887",
            hint="Call it in the list of columns, or make a view.",
        )
    if isinstance(parent, exp.Window):
        raise SqlError(
            f"{function.sql_name} is no window function.",
            condition="UNSUPPORTED_SQL_UDF_USAGE",
            sqlstate="0A000",
            hint="Call it without OVER.",
        )
    if isinstance(parent, (exp.Filter, exp.WithinGroup, exp.IgnoreNulls, exp.RespectNulls)):
        raise syntax_error(function, f"{parent.key.upper()} after it")


def _keep_heading(whole: exp.Expression) -> None:
    """Name the item of a sub-query's select list that a call is in as it is written, if it has no
    name; those of the outermost query get theirs from the text.
    """
    node: exp.Expr = whole
    while node.parent is not None and not isinstance(node.parent, exp.Query):
        node = node.parent
    item = node if isinstance(node, exp.Expression) else whole
    if item.arg_key != "expressions" or not isinstance(item.parent, exp.Select):
        return
    outer = item.parent.parent
    while isinstance(outer, (exp.SetOperation, exp.Subquery)):
        outer = outer.parent
    if outer is not None and not names_itself(item):
        text = item.sql(dialect=House, normalize_functions=False)
        alias = exp.to_identifier(text, quoted=True)
        holder = exp.Alias(this=exp.Null(), alias=alias)
        item.replace(holder)
        holder.set("this", item)


def _expand(call: _Call, gate: Gated) -> None:
    function = call.function
    try:
        if len(gate.relations.views) >= MOST_CALLS:
            raise SqlError(
                f"A statement calls functions at most {MOST_CALLS:,} times, with those that they "
                "call.",
                condition="STATEMENT_TOO_LARGE",
                sqlstate="54001",
                hint="Compute inner parts in a table, and read that.",
            )
        arguments = bound(call.node, function)
        at, line = gate.entered(function, call.whole)
        root = _body(function, gate, at, line)
        marks: dict[int, list[exp.Parameter]] = {}
        for mark in root.find_all(exp.Parameter):
            marks.setdefault(int(mark.name), []).append(mark)
        known = gate.relations.columns
        for number, found in marks.items():
            gate.relations.grow(arguments[number], len(found))
        made = [
            (mark, guarded(arguments[number], mark, root, call.whole, known))
            for number, found in marks.items()
            for mark in found
        ]
    except FlowcatError as error:
        kind = ViewFault if isinstance(error, ViewFault) else SqlError
        raise kind.of(error, place=position(gate.piece, call.whole)) from error
    for mark, argument in made:
        mark.replace(argument)
    whole: exp.Expression = exp.Paren(this=root.expressions[0])
    if function.returns is not None:
        whole = exp.Cast(this=whole, to=type_node(function.returns).copy())
    whole.meta.update(line=line, col=1, start=0, end=0)
    call.whole.replace(whole)


def _body(function: FunctionText, gate: Gated, at: tuple[int, int], line: int) -> exp.Select:
    """The function's body as the one item of a select, with marks for its parameters."""
    try:
        piece, body = parsed(function.body, function.dialect)
        inner = gate.inner(function, piece, at)
        walked = inner.walked(exp.Select(expressions=[body.copy()]))
        root = exp.Select(expressions=[walked.expressions[0].pop()])
        known = gate.relations.columns
        marked(root, function, known)
        apart(root, known, gate.relations.numbers)
        settled(root, line, persistent=function.lasts)
        expanded(root, inner)
    except FlowcatError as error:
        raise fault(error, function) from error
    return root
