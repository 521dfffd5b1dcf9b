"""Four small tables, in SQLite and as frames, for judging queries by SQLite."""

from __future__ import annotations

import random
import sqlite3
from typing import Any

import polars as pl

from flowcat_jupyter.shared.wire import Column
from tests.support.engines import Tables

NAMES = ("bolt", "nut", "gear", "cam", None)


def rows_of(seed: int = 7) -> dict[str, list[tuple[Any, ...]]]:
    draw = random.Random(seed)  # noqa: S311
    customers = [
        (i, draw.choice(("ada", "bob", "cy", "di")), draw.choice((1, 2, 3, None)))
        for i in range(1, 31)
    ]
    orders = [
        (i, draw.choice((*range(1, 36), None)), draw.randint(0, 900), draw.choice(("O", "F", "P")))
        for i in range(1, 121)
    ]
    items = [
        (draw.choice((*range(1, 121), 999)), draw.choice(NAMES), draw.randint(1, 9), draw.random())
        for _ in range(400)
    ]
    nations = [(1, "peru"), (2, "mali"), (3, "fiji"), (4, "oman")]
    return {"c": customers, "o": orders, "i": items, "n": nations}


COLUMNS = {
    "c": (Column("ck", "int"), Column("name", "string"), Column("nk", "int")),
    "o": (
        Column("ok", "int"),
        Column("ck", "int"),
        Column("total", "int"),
        Column("status", "string"),
    ),
    "i": (
        Column("ok", "int"),
        Column("part", "string"),
        Column("qty", "int"),
        Column("price", "double"),
    ),
    "n": (Column("nk", "int"), Column("nation", "string")),
}
POLARS = {"int": pl.Int64, "string": pl.String, "double": pl.Float64}


def sqlite_database() -> sqlite3.Connection:
    """The tables in SQLite, whose LIKE is made to know case."""
    connection = sqlite3.connect(":memory:")
    connection.execute("PRAGMA case_sensitive_like = ON")
    for name, rows in rows_of().items():
        heads = ", ".join(column.name for column in COLUMNS[name])
        marks = ", ".join("?" * len(COLUMNS[name]))
        connection.execute(f"CREATE TABLE {name} ({heads})")
        connection.executemany(f"INSERT INTO {name} VALUES ({marks})", rows)  # noqa: S608
    return connection


def sqlite_tables() -> Tables:
    return {
        name: (
            pl.LazyFrame(
                rows,
                schema={column.name: POLARS[column.type] for column in COLUMNS[name]},
                orient="row",
            ),
            COLUMNS[name],
        )
        for name, rows in rows_of().items()
    }


def rounded(rows: list[Any]) -> list[tuple[Any, ...]]:
    """Rows whose floats are close enough to be compared."""
    return [
        tuple(round(cell, 6) if isinstance(cell, float) else cell for cell in row) for row in rows
    ]
