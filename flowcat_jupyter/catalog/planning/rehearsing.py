"""Which statements can be tried: told what they would change, without changing anything."""

from __future__ import annotations

from collections.abc import Sequence

from flowcat_jupyter.catalog.planning.inserting import Insert
from flowcat_jupyter.catalog.planning.places import place
from flowcat_jupyter.catalog.planning.row_changes import ChangeRows
from flowcat_jupyter.catalog.planning.statements import Statement
from flowcat_jupyter.shared.errors import Invalid, SqlError
from flowcat_jupyter.sql.dialect import Piece


def check_rehearsable(statements: Sequence[Statement]) -> None:
    """Check that a text is one statement which can be tried.

    :raises SqlError: it is several, or another one.
    """
    if len(statements) > 1:
        # The second would have to see what the first has not done.
        raise _refused(
            statements[1].piece,
            "Only one statement at a time can be tried without changing anything.",
            "Select one of them.",
        )
    for statement in statements:
        if isinstance(statement, Insert) and (statement.replaced or statement.unless_there):
            raise _refused(
                statement.piece,
                "What INSERT with REPLACE WHERE or IF NOT EXISTS would do cannot be told.",
                "Ask a query which rows its condition finds.",
            )
        if not isinstance(statement, (Insert, ChangeRows)):
            raise _refused(
                statement.piece,
                "Only INSERT, UPDATE, DELETE and MERGE can be tried without changing anything.",
                "Run the statement itself; VACUUM has DRY RUN.",
            )


def _refused(piece: Piece, message: str, hint: str) -> SqlError:
    error = Invalid(message, condition="UNSUPPORTED_FEATURE", sqlstate="0A000", hint=hint)
    return SqlError.of(error, place=place(piece, 0))
