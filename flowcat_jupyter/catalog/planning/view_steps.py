"""A view as a step of the statement that reads it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any, cast

from sqlglot import exp

from flowcat_jupyter.catalog.planning.headings import headings
from flowcat_jupyter.catalog.planning.relations import BEYOND, Named
from flowcat_jupyter.catalog.planning.statements import Select, parse
from flowcat_jupyter.catalog.planning.views import MOST_DEEP, ViewText
from flowcat_jupyter.shared.errors import FlowcatError, SqlError
from flowcat_jupyter.sql.dialect import House, Piece
from flowcat_jupyter.sql.tree import OF_A_VIEW


class ViewFault(SqlError):
    """Something is wrong in a view's definition; who reads the view learns that it is so."""


@lru_cache(maxsize=32)
def definition(text: str, dialect: str) -> tuple[Piece, exp.Expression]:
    """A view's query, parsed; the tree is not to be changed.

    :raises SqlError: it is none.
    """
    (statement, *more) = parse(text, dialect)
    if more or not isinstance(statement, Select) or statement.explain or statement.described:
        raise SqlError("A view is one query.", condition="PARSE_SYNTAX_ERROR", sqlstate="42601")
    return statement.piece, statement.tree


def check_within(view: ViewText, within: tuple[ViewText, ...]) -> None:
    """Check that a view does not lead back to itself, nor too deep.

    :raises ViewFault: it does.
    """
    if view.identity in [other.identity for other in within]:
        path = " → ".join(item.sql_name for item in (*within, view))
        shown = path if all(item.told for item in within) else "it reads itself"
        raise ViewFault(
            f"The view {view.sql_name} leads back to itself: {shown}.",
            condition="RECURSIVE_VIEW",
            sqlstate="42K0H",
            hint="Change one of these views so that it reads tables alone.",
        )
    if len(within) >= MOST_DEEP:
        told = all(item.told for item in within)
        path = " → ".join(item.sql_name for item in (*within, view))
        raise ViewFault(
            f"Views stand at most {MOST_DEEP} deep one within the other"
            + (f", and here are more: {path}." if told else "."),
            condition="VIEW_EXCEED_MAX_NESTED_DEPTH",
            sqlstate="54K00",
            hint="Let the inner ones read tables, or keep their rows in a table.",
        )


def fault(error: FlowcatError, view: ViewText) -> ViewFault:
    """What is wrong in a view's definition, as an error of who reads the view."""
    if isinstance(error, ViewFault) and view.told:
        return error
    hint = error.hint
    message = f"In the view {view.sql_name}: {error.message}"
    if not view.told:
        message = f"The view {view.sql_name} reads what is not there, or what you may not read."
        hint = "Ask its owner for the level use on what it reads."
        if isinstance(error, ViewFault) and error.condition != "TABLE_OR_VIEW_NOT_FOUND":
            message, hint = f"The view {view.sql_name} cannot be read.", "Tell its owner."
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
    """An error of a statement, at the place where the view is named that it is in."""
    if error.line is None or error.line < BEYOND:
        return error
    number = error.line - BEYOND
    if number >= len(views):
        return SqlError.of(error, place=(None, None))
    place, name = views[number]
    return ViewFault.of(error, message=f"In the view {name}: {error.message}", place=place)


def _named(item: exp.Expression, text: str | None) -> exp.Expression:
    if isinstance(item, (exp.Alias, exp.Aliases, exp.Column, exp.Dot)) or item.is_star:
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
