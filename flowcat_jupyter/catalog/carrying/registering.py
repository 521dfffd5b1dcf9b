"""Files that are there taken in as a table without a statement, as one USING their format would."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from uuid import uuid4

from flowcat_jupyter.catalog.access import Actor
from flowcat_jupyter.catalog.carrying.carrier import Carrier
from flowcat_jupyter.catalog.carrying.files import make_file_table
from flowcat_jupyter.catalog.deps import Deps
from flowcat_jupyter.catalog.planning.formats import LAKES
from flowcat_jupyter.catalog.planning.planner import Defining
from flowcat_jupyter.catalog.planning.statements import Select
from flowcat_jupyter.catalog.planning.using import FileTable
from flowcat_jupyter.catalog.sql_commits import Asking
from flowcat_jupyter.catalog.unit import Unit
from flowcat_jupyter.shared.errors import Invalid
from flowcat_jupyter.shared.names import TableName
from flowcat_jupyter.shared.wire import QueryPlan
from flowcat_jupyter.sql.dialect import Piece


async def register_files(
    actor: Actor,
    deps: Deps,
    table: TableName,
    location: str,
    *,
    format: str,
    options: Mapping[str, str],
    description: str | None,
    place: tuple[str, str],
) -> None:
    """``CREATE TABLE table USING format OPTIONS (…) LOCATION location``.

    ``place`` is the current catalog and schema.

    :raises Forbidden: paths are not for this actor, or this one is outside the allowed roots.
    :raises NotFound: nothing is there.
    :raises AlreadyExists: the name is taken.
    :raises Invalid: an option is unknown or wrong, or the files cannot be read so.
    """
    if options and format.casefold() in LAKES:
        raise Invalid(
            f"A {format} table takes no options: {', '.join(sorted(options))}.",
            hint="Leave them out, or name the format of the files.",
        )
    asking = Asking(*place, str(uuid4()), Path(), _no_query, _go_on)
    carrier = Carrier(actor, deps, asking)
    change = FileTable(
        Piece(""),
        table,
        format.casefold(),
        comment=description,
        options=dict(options),
        location=location,
    )
    await make_file_table(carrier, change)


def _no_query(unit: Unit, query: Select, /, defining: Defining | None = None) -> QueryPlan:
    raise Invalid("Files are taken in as they are, without a query.")


def _go_on() -> None:
    """Nobody cancels it."""
