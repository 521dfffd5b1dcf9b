"""SHOW and DESCRIBE, each answered by its family."""

from __future__ import annotations

from collections.abc import Callable

from flowcat_jupyter.catalog.commanding.functions import describe_function
from flowcat_jupyter.catalog.commanding.listing import (
    show_catalogs,
    show_columns,
    show_current,
    show_extended,
    show_functions,
    show_schemas,
    show_tables,
    show_views,
)
from flowcat_jupyter.catalog.commanding.logs import (
    describe_detail,
    describe_history,
    show_partitions,
)
from flowcat_jupyter.catalog.commanding.making import show_create, show_properties
from flowcat_jupyter.catalog.commanding.rows import Read, Rows
from flowcat_jupyter.catalog.commanding.scene import Scene
from flowcat_jupyter.catalog.commanding.schemas import describe_catalog, describe_schema
from flowcat_jupyter.catalog.commanding.tables import describe_table
from flowcat_jupyter.catalog.planning import describing
from flowcat_jupyter.catalog.planning.describing import Describe
from flowcat_jupyter.catalog.planning.places import place
from flowcat_jupyter.catalog.planning.showing import Show
from flowcat_jupyter.shared.errors import FlowcatError, SqlError


def answer(scene: Scene, statement: Show | Describe) -> Rows | Read:
    """The rows of a SHOW or DESCRIBE, or what a worker has to read for them.

    :raises SqlError: what it names is not there; with its place.
    :raises Forbidden: it may not be read.
    """
    try:
        if isinstance(statement, Show):
            return _SHOW[statement.what](scene, statement)
        return _DESCRIBE[statement.what](scene, statement)
    except FlowcatError as error:
        raise placed(error, statement) from error


def placed(error: FlowcatError, statement: Show | Describe) -> FlowcatError:
    """An error as one of the statement's, with its place."""
    if error.line is not None:
        return error
    return SqlError.of(error, place=place(statement.piece, 0))


_SHOW: dict[str, Callable[[Scene, Show], Rows | Read]] = {
    "CATALOGS": show_catalogs,
    "SCHEMAS": show_schemas,
    "TABLES": show_tables,
    "TABLE EXTENDED": show_extended,
    "VIEWS": show_views,
    "COLUMNS": show_columns,
    "TBLPROPERTIES": show_properties,
    "PARTITIONS": show_partitions,
    "CREATE TABLE": show_create,
    "FUNCTIONS": show_functions,
    "CURRENT SCHEMA": show_current,
}
_DESCRIBE: dict[str, Callable[[Scene, Describe], Rows | Read]] = {
    describing.TABLE: describe_table,
    describing.SCHEMA: describe_schema,
    describing.CATALOG: describe_catalog,
    describing.FUNCTION: describe_function,
    describing.HISTORY: describe_history,
    describing.DETAIL: describe_detail,
}
