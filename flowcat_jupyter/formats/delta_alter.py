"""Changing what a Delta table's log says of it: constraints, defaults, NOT NULL, properties."""

from __future__ import annotations

from collections.abc import Mapping

from flowcat_jupyter.formats.delta_commit import WriteRequest, base_of, current
from flowcat_jupyter.formats.delta_defaults import check_default
from flowcat_jupyter.formats.delta_definition import commit_definition, defined
from flowcat_jupyter.formats.delta_log import Snapshot, checked_location
from flowcat_jupyter.formats.delta_versions import has_log
from flowcat_jupyter.shared.errors import Invalid, NotFound
from flowcat_jupyter.shared.names import name_key
from flowcat_jupyter.shared.wire import Column
from flowcat_jupyter.shared.wire_alter import Definition


def alter_table(
    location: str,
    request: WriteRequest,
    change: Definition,
    operation: str,
    parameters: Mapping[str, str],
) -> int:
    """Carry out a change and return the version it made; see `AlterableFormat.alter`."""
    snapshot = to_alter(location, request)
    _check(snapshot, change)
    before = defined(snapshot)
    after = before.changed(change)
    if after == before:
        return snapshot.version
    return commit_definition(snapshot, request, after, operation, parameters)


def to_alter(location: str, request: WriteRequest) -> Snapshot:
    """The table as the request's base version says, which is the newest.

    :raises Conflict: it is not.
    """
    location = checked_location(location)
    if not has_log(location):
        raise NotFound("table data", location)
    snapshot = current(location)
    base_of(snapshot, request)
    return snapshot


def _check(snapshot: Snapshot, change: Definition) -> None:
    for name, text in change.defaults.items():
        column = column_of(snapshot, name)
        if text is not None:
            check_default(column, text)
    for name in change.required:
        column_of(snapshot, name)


def column_of(snapshot: Snapshot, name: str) -> Column:
    """The table's column of that name, whatever its case.

    :raises Invalid: it has none.
    """
    for column in snapshot.columns:
        if name_key(column.name) == name_key(name):
            return column
    raise Invalid(
        f"The table has no column {name}.",
        condition="UNRESOLVED_COLUMN.WITH_SUGGESTION",
        sqlstate="42703",
        hint=f"It has: {', '.join(column.name for column in snapshot.columns)}.",
    )
