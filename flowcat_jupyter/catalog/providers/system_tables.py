"""What the system's own tables are made of: their columns, and where their rows come from."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from flowcat_jupyter.catalog.providers import system_rows as rows
from flowcat_jupyter.catalog.providers.system_rows import Look, Row
from flowcat_jupyter.shared.wire import Column


@dataclass(frozen=True)
class SystemTable:
    """One table, and what its rows are."""

    schema: str
    name: str
    comment: str
    columns: tuple[Column, ...]
    rows: Callable[[Look], Iterable[Row]]


def _columns(text: str) -> tuple[Column, ...]:
    """Columns from lines of name, type (with ! for one that is never NULL) and meaning."""
    found = []
    for line in filter(str.strip, text.splitlines()):
        name, ddl, meaning = (part.strip() for part in line.split("|"))
        required = ddl.endswith("!")
        found.append(Column(name, ddl.rstrip("!"), not required, meaning))
    return tuple(found)


_NAMED = """
table_catalog | string! | the catalog
table_schema | string! | the schema
table_name | string! | the name
"""

TABLES: tuple[SystemTable, ...] = (
    SystemTable(
        "session",
        "sessions",
        "SQL sessions of yours, or of everybody if you own everything.",
        _columns(
            """
            session_id | string! | what requests name it by; empty for one that ends with its text
            actor | string! | whose it is
            current | boolean! | whether this statement runs in it
            catalog | string | the current catalog, where USE said so
            schema | string | the current schema, where USE said so
            running | int! | how many texts run in it now
            idle_seconds | double! | the seconds since it was last used
            """
        ),
        rows.sessions,
    ),
    SystemTable(
        "session",
        "settings",
        "What can be set in a SQL session, and what it is set to.",
        _columns(
            """
            name | string! | the setting, as SET has it
            value | string! | its value
            is_set | boolean! | whether the SQL session has set it
            meaning | string! | what it does
            """
        ),
        rows.settings,
    ),
    SystemTable(
        "session",
        "variables",
        "The variables of the SQL session.",
        _columns(
            """
            name | string! | the variable
            type | string! | its type
            value | string! | its value, as SQL
            """
        ),
        rows.variables,
    ),
    SystemTable(
        "execution",
        "queries",
        "Queries of yours that run, wait or have a result; everybody's if you own everything.",
        _columns(
            """
            query_id | string! | what requests name it by
            actor | string! | whose it is
            state | string! | queued, running or done
            text | string! | how its text begins
            started_at | timestamp! | when it began
            statement | string | what its last statement was
            engine | string | the engine that ran it
            row_count | bigint | the rows of its result
            elapsed_ms | double | the milliseconds it has taken
            """
        ),
        rows.queries,
    ),
    SystemTable(
        "execution",
        "workers",
        "The processes that run queries and writes.",
        _columns(
            """
            worker | int! | its number
            state | string! | starting, idle or busy
            job | string | what kind of job it has
            memory_bytes | bigint | the memory that it may use
            """
        ),
        rows.workers,
    ),
    SystemTable(
        "execution",
        "runs",
        "Background runs: imports, upkeep and others, the newest first.",
        _columns(
            """
            run_id | bigint! | its number
            kind | string! | what it does
            title | string! | what it does, in words
            state | string! | queued, running, succeeded, failed, cancelled or lost
            owner | string! | whose it is
            attempt | int! | which attempt this is
            error | string | what went wrong, as JSON
            created_at | timestamp! | when it was asked for
            started_at | timestamp | when it began
            ended_at | timestamp | when it ended
            """
        ),
        rows.runs,
    ),
    SystemTable(
        "execution",
        "locks",
        "Writes that are under way: each has leave to commit to one table.",
        _columns(
            """
            write_id | string! | what requests name it by
            actor | string! | whose it is
            table_name | string | the table's full name
            mode | string! | how it writes
            base_version | bigint | the version it starts from
            created_at | timestamp! | when it began
            expires_at | timestamp! | when the leave ends
            """
        ),
        rows.locks,
    ),
    SystemTable(
        "telemetry",
        "metrics",
        "What the server counts.",
        _columns(
            """
            name | string! | what is counted
            value | double! | how many there are now
            meaning | string! | the same in words
            """
        ),
        rows.metrics,
    ),
    SystemTable(
        "runtime",
        "extensions",
        "Engines, formats and data sources: those that come with the product, and packages'.",
        _columns(
            """
            kind | string! | engine, format or data source
            name | string! | what it is called
            target | string! | where its code is
            source | string! | the package it comes with
            state | string! | whether it can be used
            problem | string | why not
            """
        ),
        rows.extensions,
    ),
    SystemTable(
        "information_schema",
        "schemata",
        "The schemas that you see.",
        _columns(
            """
            catalog_name | string! | the catalog
            schema_name | string! | the name
            schema_owner | string | whose it is
            comment | string | what is said of it
            """
        ),
        rows.information_schemata,
    ),
    SystemTable(
        "information_schema",
        "tables",
        "The tables and views that you see.",
        _columns(
            _NAMED
            + """
            table_type | string! | BASE TABLE, EXTERNAL or VIEW
            data_source_format | string! | how its rows are kept
            table_owner | string | whose it is
            comment | string | what is said of it
            """
        ),
        rows.information_tables,
    ),
    SystemTable(
        "information_schema",
        "columns",
        "The columns of the tables that you see.",
        _columns(
            _NAMED
            + """
            column_name | string! | the name
            ordinal_position | int! | its place, from 1
            data_type | string! | its type
            is_nullable | string! | YES or NO
            comment | string | what is said of it
            """
        ),
        rows.information_columns,
    ),
    SystemTable(
        "information_schema",
        "views",
        "The views that you see; their queries are for those who may change them.",
        _columns(_NAMED + "view_definition | string | the query"),
        rows.information_views,
    ),
)
