"""Every test here runs on SQLite and on PostgreSQL."""

from tests.support.databases import (
    database_url,
    empty_url,
    engine,
    postgres_template,
    sqlite_template,
    world,
)

__all__ = [
    "database_url",
    "empty_url",
    "engine",
    "postgres_template",
    "sqlite_template",
    "world",
]
