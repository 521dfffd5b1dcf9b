"""The names that a WITH clause gives."""

from __future__ import annotations

from sqlglot import exp

from flowcat_jupyter.shared.errors import SqlError
from flowcat_jupyter.shared.names import name_key
from flowcat_jupyter.sql.dialect import Piece, position


def check_cte_names(piece: Piece, clause: exp.With) -> None:
    """Check that each query has a name of its own.

    :raises SqlError: two have the same.
    """
    seen: set[str] = set()
    for cte in clause.expressions:
        if name_key(cte.alias) in seen:
            line, column = position(piece, cte.args["alias"])
            raise SqlError(
                f"WITH has two queries called {cte.alias}.",
                condition="DUPLICATED_CTE_NAMES",
                sqlstate="42602",
                line=line,
                column=column,
                hint="Give each of them a name of its own.",
            )
        seen.add(name_key(cte.alias))
