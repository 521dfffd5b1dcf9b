"""What a table's definition says of rows to come: defaults and constraints."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from sqlglot import exp

from flowcat_jupyter.catalog.planning.portable import portable
from flowcat_jupyter.shared.errors import Invalid, SqlError
from flowcat_jupyter.shared.names import name_key
from flowcat_jupyter.shared.wire import Column, TableFacts
from flowcat_jupyter.sql.dialect import Piece, parse_statement


def defaults_of(facts: TableFacts | None) -> dict[str, exp.Expression]:
    """By column, as the table spells it, what a new row gets that says no value for it.

    A column that is not here gets NULL. The trees are new ones, to be put into a query.

    :raises SqlError: another engine has given a column a default that is not understood.
    """
    return {name: _expression(text) for name, text in (facts.defaults if facts else {}).items()}


def _expression(text: str) -> exp.Expression:
    """The tree of an expression that a table's log keeps as text."""
    tree = parse_statement(f"SELECT {text}")
    item = tree.expressions[0]
    for node in item.walk():
        # These are places in a text that the user never saw.
        node.meta.clear()
    found: exp.Expression = item.pop()
    return found


def columns_in(condition: str) -> set[str] | None:
    """The columns that a constraint's condition reads, folded; None where it is not understood."""
    try:
        tree = parse_statement(f"SELECT {condition}")
    except SqlError:
        return None
    return {name_key(column.name) for column in tree.find_all(exp.Column)}


class Constrained(Protocol):
    """What has columns, and constraints on them."""

    @property
    def columns(self) -> Sequence[Column]:
        """The columns."""
        ...

    @property
    def constraints(self) -> Mapping[str, str]:
        """Conditions by name."""
        ...


def check_understood(table: Constrained | None, name: str) -> None:
    """Check that each condition of a table means here what it means to whoever else writes it.

    :raises Invalid: one does not, or nobody here can say; rows of the table are not written then.
    """
    for key, text in table.constraints.items() if table is not None else ():
        try:
            tree = parse_statement(piece := Piece(f"SELECT {text}"))
            portable(piece, tree.expressions[0], table.columns if table else (), as_it_is=True)
        except (SqlError, IndexError) as error:
            why = error.message if isinstance(error, SqlError) else "It is no condition."
            raise Invalid(
                f"{name} has a constraint {key}, {text}, by which its rows cannot be judged here: "
                f"{why}",
                condition="DELTA_UNSUPPORTED_FEATURES_FOR_WRITE",
                sqlstate="56038",
                hint="Write it with the engine that made it, or take the constraint away: "
                f"ALTER TABLE … DROP CONSTRAINT {key}.",
            ) from error
