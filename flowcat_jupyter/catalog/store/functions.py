"""Functions: what a node of that kind holds beyond its name."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict
from typing import Any

from sqlalchemy import Connection, Row, Select

from flowcat_jupyter.catalog.store.rows import FunctionRow
from flowcat_jupyter.catalog.store.securables import ONE_UP, node_fields, node_select
from flowcat_jupyter.catalog.store.seen import Seen, storable
from flowcat_jupyter.shared.names import name_key
from flowcat_jupyter.shared.parameters import Parameter
from flowcat_jupyter.shared.schema import functions, securables


class Functions:
    """Functions as one caller sees them."""

    def __init__(self, connection: Connection, seen: Seen) -> None:
        """Read and write through ``connection`` what ``seen`` reveals."""
        self._connection = connection
        self._seen = seen

    def under(self, schema_id: int, name: str) -> FunctionRow | None:
        """The visible function of that name in a schema, compared as names are."""
        if not storable(name):
            return None
        query = self._select().where(
            securables.c.parent_id == schema_id, securables.c.name_key == name_key(name)
        )
        return next(iter(self._read(query)), None)

    def beneath(self, namespace_id: int) -> tuple[FunctionRow, ...]:
        """Every visible function under a catalog or schema, by name."""
        query = self._select().where(
            (securables.c.parent_id == namespace_id) | (ONE_UP.c.parent_id == namespace_id)
        )
        return self._read(query.order_by(securables.c.name_key, securables.c.id))

    def insert(self, function_id: int, **values: Any) -> None:
        """Add what makes a node a function; see `update` for what is given."""
        self._connection.execute(
            functions.insert().values(securable_id=function_id, **_stored(values))
        )

    def update(self, function_id: int, **values: Any) -> None:
        """Change ``parameters``, ``returns``, ``body``, ``dialect``, ``catalog``, ``schema`` or
        ``deterministic``.
        """
        self._connection.execute(
            functions.update()
            .where(functions.c.securable_id == function_id)
            .values(_stored(values))
        )

    def _select(self) -> Select[Any]:
        more = [column for column in functions.c if column.name != "securable_id"]
        joined = node_select(self._seen, *more)
        return joined.join(functions, functions.c.securable_id == securables.c.id)

    def _read(self, query: Select[Any]) -> tuple[FunctionRow, ...]:
        return tuple(_function(row) for row in self._connection.execute(query))


def _stored(values: Mapping[str, Any]) -> dict[str, Any]:
    made = dict(values)
    if "parameters" in made:
        parameters: Iterable[Parameter] = made["parameters"]
        made["parameters"] = [asdict(parameter) for parameter in parameters]
    return made


def _function(row: Row[Any]) -> FunctionRow:
    return FunctionRow(
        **node_fields(row),
        parameters=tuple(Parameter(**parameter) for parameter in row.parameters),
        returns=row.returns,
        body=row.body,
        dialect=row.dialect,
        catalog=row.catalog,
        schema=row.schema,
        deterministic=row.deterministic,
    )
