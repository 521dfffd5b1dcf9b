"""Temporary views: a session's own, and those that all sessions of an actor share."""

from __future__ import annotations

from dataclasses import replace

from flowcat_jupyter.catalog.carrying.carrier import Carrier
from flowcat_jupyter.catalog.carrying.done import Done
from flowcat_jupyter.catalog.carrying.view_queries import checked, columns_of, refuse_values
from flowcat_jupyter.catalog.planning.refusals import refuse
from flowcat_jupyter.catalog.planning.view_reading import AlterView, CreateView
from flowcat_jupyter.catalog.planning.views import GLOBAL_TEMP, SessionViews, ViewText
from flowcat_jupyter.catalog.sql_sessions import Views
from flowcat_jupyter.shared.errors import LimitExceeded, SqlError
from flowcat_jupyter.shared.names import TableName, check_name, name_key

MOST_VIEWS = 1000
MOST_TEXT = 5_000_000
"""Characters of all the definitions together."""


async def create_temporary(carrier: Carrier, change: CreateView) -> Done:
    """Keep a query in the session, or with GLOBAL in all of the actor's."""
    kind = f"CREATE {change.kind}"
    name = check_name(change.name[0], "view")
    shared = change.kind.startswith("GLOBAL")
    path = (GLOBAL_TEMP, name) if shared else (name,)
    error = taken_temporary(carrier, path, replace=change.replace)
    if error is not None and not change.if_not_exists:
        raise error
    if error is not None:
        return Done(kind, warnings=(error.message,), changed=False)
    refuse_values(change.query)
    view = ViewText(
        path,
        change.query.piece.text,
        carrier.asking.dialect,
        *carrier.place,
        names=tuple(name for name, _ in change.columns),
        comment=change.comment,
        properties=change.properties,
    )
    view, found = await checked(carrier, change.query, view)
    keep_temporary(carrier, replace(view, columns=columns_of(change, found)))
    return Done(kind)


def taken_temporary(carrier: Carrier, path: tuple[str, ...], *, replace: bool) -> SqlError | None:
    """The error for a name that a temporary view has, unless it is to be replaced."""
    taken = name_key(path[-1]) in _views(carrier, len(path) > 1)
    return _taken(path) if taken and not replace else None


def keep_temporary(carrier: Carrier, view: ViewText) -> None:
    """Let a temporary view be read.

    :raises LimitExceeded: there are too many.
    """
    _keep(_views(carrier, len(view.path) > 1), name_key(view.path[-1]), view)


async def alter_temporary(carrier: Carrier, change: AlterView) -> bool:
    """Change a temporary view, if there is one of that name."""
    known = _known(carrier, change.name)
    if known is None:
        return False
    views, view = known
    key = name_key(view.path[-1])
    if change.query is not None:
        refuse_values(change.query)
        fresh = ViewText(view.path, change.query.piece.text, carrier.asking.dialect, *carrier.place)
        fresh, columns = await checked(carrier, change.query, fresh)
        _keep(views, key, replace(fresh, columns=columns, comment=view.comment))
    elif change.to is not None:
        (*above, name) = change.to
        if above:
            refuse(change.piece, "ALTER VIEW of a temporary view into a schema")
        check_name(name, "view")
        path = (*view.path[:-1], name)
        if name_key(name) in views and name_key(name) != key:
            raise _taken(path)
        views.pop(key, None)
        views[name_key(name)] = replace(view, path=path)
    else:
        refuse(change.piece, "ALTER VIEW … TBLPROPERTIES of a temporary view")
    return True


def drop_temporary(carrier: Carrier, name: tuple[str, ...]) -> bool:
    """Forget a temporary view, if there is one of that name."""
    known = _known(carrier, name)
    if known is None:
        return False
    views, view = known
    return views.pop(name_key(view.path[-1]), None) is not None


def _known(carrier: Carrier, name: tuple[str, ...]) -> tuple[Views, ViewText] | None:
    session = carrier.asking.session
    view = SessionViews(session.views, session.global_views).find(name)
    return None if view is None else (_views(carrier, len(view.path) > 1), view)


def _views(carrier: Carrier, shared: bool) -> Views:
    session = carrier.asking.session
    return session.global_views if shared else session.views


def _keep(views: Views, key: str, view: ViewText) -> None:
    others = [other for name, other in list(views.items()) if name != key]
    if len(others) >= MOST_VIEWS or sum(len(v.text) for v in others) + len(view.text) > MOST_TEXT:
        raise LimitExceeded(
            f"A session keeps at most {MOST_VIEWS:,} temporary views and {MOST_TEXT:,} characters "
            "of their queries.",
            hint="Drop some with DROP VIEW, or make views that last.",
        )
    views[key] = view


def _taken(path: tuple[str, ...]) -> SqlError:
    return SqlError(
        f"There is already a temporary view {TableName(path).sql}.",
        condition="TEMP_TABLE_OR_VIEW_ALREADY_EXISTS",
        sqlstate="42P07",
        hint="Use CREATE OR REPLACE, or drop it first.",
    )
