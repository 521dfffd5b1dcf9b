"""Plans of texts over tables that a test names itself."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from flowcat_jupyter.catalog.planning.planner import QueryOptions, plan_select
from flowcat_jupyter.catalog.planning.resolver import Entry, Resolver
from flowcat_jupyter.catalog.planning.statements import Select, parse
from flowcat_jupyter.shared.errors import NotFound
from flowcat_jupyter.shared.names import name_key
from flowcat_jupyter.shared.wire import QueryPlan


class Tables:
    """A catalog of these tables alone."""

    def __init__(self, *entries: Entry) -> None:
        self._entries = entries

    def tables_named(self, name: str) -> Sequence[Entry]:
        return [item for item in self._entries if name_key(item.path[-1]) == name_key(name)]

    def table_paths(self, limit: int) -> Sequence[tuple[str, ...]]:
        return [item.path for item in self._entries[:limit]]

    def path_table(self, format: str, path: str) -> Entry:
        raise NotFound("file", path)


def table(location: str, kind: str = "delta", path: tuple[str, ...] = ("m", "s", "t")) -> Entry:
    """A table at a place."""
    return Entry(1, path, kind, location)


def select(text: str) -> Select:
    """The only statement of ``text``, a SELECT."""
    (statement,) = parse(text)
    assert isinstance(statement, Select)
    return statement


def planned(text: str, *tables: Entry, **options: Any) -> QueryPlan:
    """The plan of a SELECT; the first table's catalog and schema are the current ones."""
    catalog, schema, _ = tables[0].path
    resolver = Resolver(Tables(*tables), catalog, schema)
    return plan_select(select(text), resolver, QueryOptions(**options)).plan
