"""Statements that change something, each carried out by its family."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from flowcat_jupyter.catalog.access import Actor
from flowcat_jupyter.catalog.carrying.alter import add_columns, redefine
from flowcat_jupyter.catalog.carrying.carrier import Carrier
from flowcat_jupyter.catalog.carrying.done import Done, placed
from flowcat_jupyter.catalog.carrying.elsewhere import change_elsewhere, target_of
from flowcat_jupyter.catalog.carrying.file_views import create_file_view
from flowcat_jupyter.catalog.carrying.files import make_file_table, write_directory
from flowcat_jupyter.catalog.carrying.functions import create_function, drop_function
from flowcat_jupyter.catalog.carrying.inserts import insert
from flowcat_jupyter.catalog.carrying.liking import create_like
from flowcat_jupyter.catalog.carrying.namespaces import create_schema, drop, edit_words
from flowcat_jupyter.catalog.carrying.reshape import reshape
from flowcat_jupyter.catalog.carrying.row_changes import change_rows
from flowcat_jupyter.catalog.carrying.tables import create_table
from flowcat_jupyter.catalog.carrying.upkeep import maintain
from flowcat_jupyter.catalog.carrying.variables import declare, drop_variable, set_variables
from flowcat_jupyter.catalog.carrying.views import alter_view, create_view, drop_view
from flowcat_jupyter.catalog.deps import Deps
from flowcat_jupyter.catalog.planning.alter import AddColumns, Comment, RenameTable
from flowcat_jupyter.catalog.planning.function_reading import CreateFunction, DropFunction
from flowcat_jupyter.catalog.planning.inserting import Insert
from flowcat_jupyter.catalog.planning.liking import CreateLike
from flowcat_jupyter.catalog.planning.maintenance import Maintain
from flowcat_jupyter.catalog.planning.redefining import Redefine, Reshape
from flowcat_jupyter.catalog.planning.row_changes import ChangeRows
from flowcat_jupyter.catalog.planning.using import FileTable, WriteDirectory
from flowcat_jupyter.catalog.planning.using_views import CreateFileView
from flowcat_jupyter.catalog.planning.variables import Declare, DropVariable, SetVariables
from flowcat_jupyter.catalog.planning.view_reading import AlterView, CreateView, DropView
from flowcat_jupyter.catalog.planning.views import SessionViews, not_a_table
from flowcat_jupyter.catalog.planning.writes import Change, CreateSchema, CreateTable, Drop
from flowcat_jupyter.catalog.providers.provided import Provided
from flowcat_jupyter.catalog.sql_commits import Asking
from flowcat_jupyter.shared.errors import FlowcatError
from flowcat_jupyter.shared.names import TableName


class SqlWrites:
    """Carries out one statement of one actor's."""

    def __init__(self, actor: Actor, deps: Deps, asking: Asking, provided: Provided) -> None:
        """Serve one actor; ``provided`` are catalogs that are not in the database."""
        self._carrier = Carrier(actor, deps, asking)
        self._provided = provided

    async def run(self, change: Change) -> Done:
        """Carry out a statement, wholly or not at all.

        :raises SqlError: what it names is not there, is there already, or does not fit.
        :raises Forbidden: the actor may not do so.
        :raises Conflict: somebody else wrote to the table meanwhile.
        :raises Cancelled: it was cancelled before it had done anything.
        """
        try:
            _refuse_temporary(self._carrier, change)
            target = target_of(change, self._carrier.place)
            provider = await self._provided.provider(target[0]) if target else None
            if provider is not None:
                return await change_elsewhere(self._carrier, provider, change)
            return await _FAMILIES[type(change)](self._carrier, change)
        except FlowcatError as error:
            raise placed(error, change.piece) from error


def _refuse_temporary(carrier: Carrier, change: Change) -> None:
    """Refuse to write to a temporary view, and so to a table that it hides.

    :raises SqlError: the statement names one.
    """
    name = change.name if isinstance(change, _ON_TABLES) else None
    session = carrier.asking.session
    if isinstance(name, TableName):
        view = SessionViews(session.views, session.global_views).find(name.parts)
        if view is not None:
            raise not_a_table(view.sql_name)


_ON_TABLES = (AddColumns, ChangeRows, Insert, Maintain, RenameTable)
_FAMILIES: dict[type[Any], Callable[[Carrier, Any], Awaitable[Done]]] = {
    AddColumns: add_columns,
    AlterView: alter_view,
    ChangeRows: change_rows,
    Comment: edit_words,
    CreateLike: create_like,
    CreateFileView: create_file_view,
    CreateSchema: create_schema,
    CreateTable: create_table,
    CreateView: create_view,
    CreateFunction: create_function,
    Declare: declare,
    DropFunction: drop_function,
    Drop: drop,
    DropVariable: drop_variable,
    SetVariables: set_variables,
    DropView: drop_view,
    FileTable: make_file_table,
    Insert: insert,
    Maintain: maintain,
    Redefine: redefine,
    RenameTable: edit_words,
    Reshape: reshape,
    WriteDirectory: write_directory,
}
