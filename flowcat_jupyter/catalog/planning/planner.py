"""One statement of a text becomes a plan a worker can run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from flowcat_jupyter.catalog.planning.functions import FunctionText, OneRoutine
from flowcat_jupyter.catalog.planning.gate import Authorised, Gate
from flowcat_jupyter.catalog.planning.headings import headings
from flowcat_jupyter.catalog.planning.relations import Named
from flowcat_jupyter.catalog.planning.resolver import Resolver
from flowcat_jupyter.catalog.planning.statements import Select, too_deep
from flowcat_jupyter.catalog.planning.views import Key, ViewText
from flowcat_jupyter.shared.errors import Invalid
from flowcat_jupyter.shared.wire import QueryPlan
from flowcat_jupyter.sql.constant import Setting
from flowcat_jupyter.sql.tree import dump_tree


@dataclass(frozen=True)
class QueryOptions:
    """What a request says beside its text.

    ``now`` is the instant (ISO 8601, UTC) that every ``current_timestamp`` of the request means.
    ``frames`` are those sent with it, where they lie by name; ``variables`` are as the plan has
    them.
    """

    dialect: str = "house"
    engine: str | None = None
    prefers: str = "polars"
    params: dict[str, Any] = field(default_factory=dict)
    time_zone: str = "UTC"
    now: str = ""
    user: str = ""
    max_cell_bytes: int = 1 << 26
    frames: dict[str, str] = field(default_factory=dict)
    variables: dict[str, str] = field(default_factory=dict)


@dataclass
class Defining:
    """A view or function that is to be defined; ``uses`` are the temporary views and ``calls``
    the temporary functions that it names, once it is planned.
    """

    view: ViewText | FunctionText
    uses: frozenset[Key] = frozenset()
    calls: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Planned:
    """A plan, the ids of the catalog's tables it reads, and the views as `Relations` has them."""

    plan: QueryPlan
    tables: tuple[int, ...]
    views: Sequence[Named] = ()


def plan_select(
    statement: Select,
    resolver: Resolver,
    options: QueryOptions,
    defined: ViewText | FunctionText | None = None,
) -> Planned:
    """Authorise and pack one query: that of the view which is ``defined``, or a call of the
    function which is, whatever else has its name.

    :raises SqlError: see `Gate.authorise`; or the query is nested too deeply.
    """
    try:
        return _planned(statement, resolver, options, defined)
    except RecursionError as error:
        raise too_deep(statement.piece) from error


def _planned(
    statement: Select,
    resolver: Resolver,
    options: QueryOptions,
    defined: ViewText | FunctionText | None,
) -> Planned:
    if isinstance(defined, FunctionText):
        routines = OneRoutine(defined, resolver.routines)
        resolver = replace(resolver, routines=routines, defining=defined)
    within = () if defined is None or isinstance(defined, FunctionText) else (defined,)
    gate = Gate(resolver, statement.piece, _setting(options), options.frames, within)
    authorised: Authorised = gate.authorise(statement.tree)
    plan = QueryPlan(
        tree=dump_tree(authorised.tree),
        sources=authorised.sources,
        headings=headings(statement.tree, statement.piece.text, options.dialect),
        text=statement.piece.text,
        offset=statement.piece.offset,
        line=statement.piece.line,
        column=statement.piece.column,
        dialect=options.dialect,
        engine=options.engine,
        prefers=options.prefers,
        params=options.params,
        time_zone=options.time_zone,
        now=options.now,
        user=options.user,
        max_cell_bytes=options.max_cell_bytes,
        variables=options.variables,
        hidden=tuple(dict.fromkeys(authorised.hidden)),
    )
    return Planned(plan, authorised.tables, authorised.views)


def zone_of(name: str) -> ZoneInfo:
    """The time zone of that name.

    :raises Invalid: there is none.
    """
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError) as error:
        raise Invalid(
            f"{name!r} is not a time zone.",
            condition="INVALID_TIMEZONE",
            sqlstate="22009",
            hint="Use a name such as Europe/Paris or UTC.",
        ) from error


def _setting(options: QueryOptions) -> Setting:
    zone = zone_of(options.time_zone)
    now = datetime.fromisoformat(options.now) if options.now else datetime.now(UTC)
    return Setting(zone, now, options.params)
