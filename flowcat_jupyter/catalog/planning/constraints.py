"""What a table's definition says of rows to come: defaults and constraints."""

from __future__ import annotations

from typing import cast

from sqlglot import exp

from flowcat_jupyter.shared.wire import TableFacts
from flowcat_jupyter.sql.dialect import parse_statement


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
    return cast(exp.Expression, item.pop())
