"""Which engine runs a query: decided from what it is made of, before anything of it has run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from flowcat_jupyter.engines.lowered import lowered
from flowcat_jupyter.engines.protocol import Engine, Prepared, Relation
from flowcat_jupyter.shared.errors import NotInstalled, SqlError
from flowcat_jupyter.shared.registry import Registry
from flowcat_jupyter.shared.wire import QueryPlan
from flowcat_jupyter.sql.capabilities import ENGINES, EXTRAS, is_uncovered, titled


@dataclass(frozen=True)
class Choice:
    """The engine a query was given to, the query as it prepared it, and why it was that engine."""

    engine: Engine
    prepared: Prepared
    reason: str


def choose(plan: QueryPlan, relations: Mapping[str, Relation], engines: Registry[Engine]) -> Choice:
    """The engine asked for; else the preferred one, or another where that lacks something.

    A query that failed is never tried again elsewhere: only what cannot be prepared is.

    :raises NotFound: there is no engine of the name asked for.
    :raises NotInstalled: the engine asked for is not installed.
    :raises SqlError: no engine that is installed covers the query; it names what is missing.
    """
    if plan.engine:
        engine = engines.get(plan.engine)
        reason = "It is the one that was asked for."
        return Choice(engine, engine.prepare(plan, relations), reason)
    first = engines.get(plan.prefers)
    try:
        prepared = first.prepare(plan, relations)
    except SqlError as error:
        if not is_uncovered(error):
            raise
        return _other(plan, relations, engines, first.name, error)
    known = "default" if first.name == ENGINES[0] else "one the settings prefer"
    return Choice(first, prepared, f"It is the {known} and has everything that this query uses.")


def _other(
    plan: QueryPlan,
    relations: Mapping[str, Relation],
    engines: Registry[Engine],
    first: str,
    lacking: SqlError,
) -> Choice:
    for name in ENGINES:
        if name == first or not _covers(plan, relations, name):
            continue
        try:
            engine = engines.get(name)
        except NotInstalled as missing:
            raise _not_there(lacking, name) from missing
        try:
            prepared = engine.prepare(plan, relations)
        except SqlError as error:
            if is_uncovered(error):
                continue
            raise
        what = lacking.message.rstrip(".").removeprefix("Not supported: ")
        reason = f"{titled(first)} does not have this: {what}. {titled(name)} has."
        return Choice(engine, prepared, reason)
    raise lacking


def _covers(plan: QueryPlan, relations: Mapping[str, Relation], name: str) -> bool:
    """Whether an engine covers a query, which is known without its being installed."""
    try:
        lowered(plan, relations, name)
    except SqlError as error:
        return not is_uncovered(error)
    return True


def _not_there(lacking: SqlError, name: str) -> SqlError:
    """The error for what only an engine that is not installed has."""
    return SqlError(
        f"{lacking.message.rstrip('.')}. {titled(name)} has it and is not installed.",
        condition=lacking.condition,
        sqlstate=lacking.sqlstate,
        line=lacking.line,
        column=lacking.column,
        hint=f"Run: pip install '{EXTRAS[name]}'.{_alternative(lacking)}",
    )


def _alternative(lacking: SqlError) -> str:
    return f" Or: {lacking.hint}" if lacking.hint else ""
