"""A view as a step of the statement that reads it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any, cast

from sqlglot import exp

from flowcat_jupyter.catalog.planning.functions import MOST_DEEP as MOST_FUNCTIONS
from flowcat_jupyter.catalog.planning.headings import headings, names_itself
from flowcat_jupyter.catalog.planning.relations import BEYOND, Named
from flowcat_jupyter.catalog.planning.statements import Select, parse
from flowcat_jupyter.catalog.planning.views import MOST_DEEP, Definition, ViewText
from flowcat_jupyter.shared.errors import FlowcatError, SqlError
from flowcat_jupyter.sql.dialect import House, Piece
from flowcat_jupyter.sql.tree import OF_A_VIEW

_MOST_DEEP = {"view": MOST_DEEP, "function": MOST_FUNCTIONS}


class ViewFault(SqlError):
    """Something is wrong in the definition of a view or function; who reads it learns that it is
    so.
    """


@lru_cache(maxsize=32)
def definition(text: str, dialect: str) -> tuple[Piece, exp.Expression]:
    """A view's query, parsed; the tree is not to be changed.

    :raises SqlError: it is none.
    """
    (statement, *more) = parse(text, dialect)
    if more or not isinstance(statement, Select) or statement.explain or statement.described:
        raise SqlError("A view is one query.", condition="PARSE_SYNTAX_ERROR", sqlstate="42601")
    return statement.piece, statement.tree


def check_within(inner: Definition, within: tuple[Definition, ...]) -> None:
    """Check that a view or function does not lead back to itself, nor too deep.

    :raises ViewFault: it does.
    """
    path = " → ".join(item.sql_name for item in (*within, inner))
    told = all(item.told for item in within)
    if inner.identity in [other.identity for other in within]:
        raise ViewFault(
            f"The {inner.kind} {inner.sql_name} leads back to itself: "
            f"{path if told else 'it reads itself'}.",
            condition=f"RECURSIVE_{inner.kind.upper()}",
            sqlstate="42K0H",
            hint="Change one of these so that it reads tables alone.",
        )
    most = _MOST_DEEP[inner.kind]
    if sum(item.kind == inner.kind for item in within) >= most:
        raise ViewFault(
            f"{inner.kind.capitalize()}s stand at most {most} deep one within the other"
            + (f", and here are more: {path}." if told else "."),
            condition=f"{inner.kind.upper()}_EXCEED_MAX_NESTED_DEPTH",
            sqlstate="54K00",
            hint="Let the inner ones read tables, or keep their rows in a table.",
        )


def fault(error: FlowcatError, inner: Definition) -> ViewFault:
    """What is wrong in the definition of a view or function, as an error of who reads it."""
    if isinstance(error, ViewFault) and inner.told:
        return error
    hint = error.hint
    name = f"{inner.kind} {inner.sql_name}"
    message = f"In the {name}: {error.message}"
    if not inner.told:
        message = f"The {name} reads what is not there, or what you may not read."
        hint = "Ask its owner for the level use on what it reads."
        if isinstance(error, ViewFault) and error.condition != "TABLE_OR_VIEW_NOT_FOUND":
            message, hint = f"The {name} cannot be read.", "Tell its owner."
    return ViewFault(message, condition=error.condition, sqlstate=error.sqlstate, hint=hint)


def named(tree: exp.Expression, view: ViewText) -> exp.Expression:
    """The query with a name for each of its columns, as it was typed where it has no other."""
    if view.names:
        return tree
    select: Any = tree
    while isinstance(select, (exp.SetOperation, exp.Subquery)):
        select = select.this
    if isinstance(select, exp.Select):
        slices = headings(tree, view.text, view.dialect) or (None,) * len(select.expressions)
        items = zip(select.expressions, slices, strict=True)
        select.set("expressions", [_named(item, text) for item, text in items])
    return tree


def told(error: SqlError, views: Sequence[Named]) -> SqlError:
    """An error of a statement, at the place where the view or function is named it is in."""
    if error.line is None or error.line < BEYOND:
        return error
    number = error.line - BEYOND
    if number >= len(views):
        return SqlError.of(error, place=(None, None))
    place, name = views[number]
    return ViewFault.of(error, message=f"In the {name}: {error.message}", place=place)


def _named(item: exp.Expression, text: str | None) -> exp.Expression:
    if names_itself(item):
        return item
    alias = exp.to_identifier(text or item.sql(dialect=House), quoted=True)
    return cast(exp.Expression, exp.Alias(this=item, alias=alias))


def settled(tree: exp.Expression, line: int, *, persistent: bool) -> exp.Expression:
    """The query with one line, beyond those of any text, for all that is in it."""
    at = {"line": line, "col": 1, "start": 0, "end": 0}
    for node in tree.walk():
        node.meta.clear()
        node.meta.update(at)
        if persistent and isinstance(node, exp.Column):
            node.meta[OF_A_VIEW] = True
    return tree
