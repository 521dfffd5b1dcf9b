"""Settings that live with the data rather than in a file."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Connection, select

from flowcat_jupyter.shared.schema import settings


class StoredSettings:
    """Values by key, any JSON."""

    def __init__(self, connection: Connection) -> None:
        """Read and write through ``connection``."""
        self._connection = connection

    def get(self, key: str) -> Any:
        """The value, None if it was never set."""
        query = select(settings.c.value).where(settings.c.key == key)
        return self._connection.execute(query).scalar()

    def put(self, key: str, value: Any) -> None:
        """Set a value."""
        self._connection.execute(settings.delete().where(settings.c.key == key))
        self._connection.execute(settings.insert().values(key=key, value=value))
