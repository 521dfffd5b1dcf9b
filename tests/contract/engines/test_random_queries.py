"""Random queries give SQLite's rows, or are refused as not supported; never other rows."""

from __future__ import annotations

import random
import sqlite3
from typing import Any

import pytest

from flowcat_jupyter.shared.errors import SqlError
from tests.support.engines import Tables, select
from tests.support.sqlite_tables import COLUMNS, rounded, sqlite_database, sqlite_tables

WORDS = {
    kind: {
        name: [item.name for item in items if item.type == kind] for name, items in COLUMNS.items()
    }
    for kind in ("int", "string")
}
QUERIES_A_SEED = 60
ALLOWED_REFUSALS = 6
Aliases = list[tuple[str, str]]


class Writer:
    """Writes random queries over the tables of `COLUMNS`."""

    def __init__(self, seed: int) -> None:
        self.draw = random.Random(seed)  # noqa: S311

    def pick(self, *choices: str) -> str:
        return self.draw.choice(choices)

    def number(self, low: int, high: int) -> int:
        return self.draw.randint(low, high)

    def column(self, aliases: Aliases, kind: str = "int") -> str:
        able = [(alias, table) for alias, table in aliases if WORDS[kind][table]]
        if not able:
            return "'x'"
        alias, table = self.draw.choice(able)
        return f"{alias}.{self.draw.choice(WORDS[kind][table])}"

    def value(self, aliases: Aliases, depth: int = 2) -> str:
        shape = self.draw.random() if depth else 0.0
        one, two = (self.value(aliases, depth - 1) for _ in "12") if depth else ("", "")
        if shape < 0.5:
            return self.column(aliases)
        if shape < 0.6:
            return str(self.number(0, 5))
        if shape < 0.75:
            return f"({one} {self.pick('+', '-', '*')} {two})"
        if shape < 0.87:
            return f"coalesce({one}, {two})"
        return f"CASE WHEN {self.test(aliases, depth - 1)} THEN {one} ELSE {two} END"

    def test(self, aliases: Aliases, depth: int = 2) -> str:
        no = self.pick("", "NOT ")
        column = self.column(aliases)
        tests = [
            f"{column} {self.pick('=', '<>', '<', '>=')} {self.value(aliases, min(depth, 1))}",
            f"{column} IS {no}NULL",
            f"{self.column(aliases, 'string')} {no}LIKE '%{self.pick(*'abcino')}%'",
            f"{column} {no}IN ({self.number(1, 4)}, {self.number(5, 9)}{self.pick('', ', NULL')})",
            f"{column} {no}BETWEEN {self.number(0, 3)} AND {self.number(3, 40)}",
            f"({column} IS {no}DISTINCT FROM {self.column(aliases)})",
        ]
        if depth > 0:
            tests += [
                f"({self.test(aliases, depth - 1)} {self.pick('AND', 'OR')} "
                f"{self.test(aliases, depth - 1)})",
                f"(NOT {self.test(aliases, depth - 1)})",
                self.sub_query(aliases, no),
            ]
        return self.draw.choice(tests)

    def sub_query(self, aliases: Aliases, no: str) -> str:
        table, alias = self.pick(*COLUMNS), f"z{self.number(100, 999)}"
        own, outer = self.column([(alias, table)]), self.column(aliases)
        inside = self.test([(alias, table)], 0)
        rows = f"FROM {table} {alias} WHERE {inside}"
        return self.pick(
            f"{outer} {no}IN ({select(own, rows)})",
            f"{no}EXISTS ({select('1', f'{rows} AND {own} = {outer}')})",
        )

    def source(self) -> tuple[Aliases, str]:
        aliases: Aliases = [
            (f"t{at}", self.pick(*COLUMNS)) for at in range(self.draw.choice((1, 1, 2, 2, 3)))
        ]
        first, *others = aliases
        text = f"{first[1]} {first[0]}"
        if self.draw.random() < 0.2:
            some = f"FROM {first[1]} WHERE {self.test([(first[1], first[1])], 1)}"
            text = f"({select('*', some)}) {first[0]}"
        known = [first]
        for alias, table in others:
            key = f"{self.column([(alias, table)])} = {self.column(known)}"
            known.append((alias, table))
            more = f" AND {self.test(known, 0)}" if self.draw.random() < 0.3 else ""
            text += f" {self.pick('JOIN', 'JOIN', 'LEFT JOIN')} {table} {alias} ON {key}{more}"
        return aliases, text

    def query(self) -> str:
        aliases, text = self.source()
        rest = f"FROM {text} WHERE {self.test(aliases)}"
        column = self.column(aliases)
        key = self.pick(column, self.column(aliases, "string"), f"({column} + 1)")
        key = key if "." in key else column
        value = self.value(aliases)
        return self.pick(
            f"SELECT {self.pick('', 'DISTINCT ')}{value} AS a, {self.value(aliases)} AS b {rest}",
            f"SELECT {key}, {self.pick('sum', 'min', 'max', 'avg', 'count')}({value}), count(*) "
            f"{rest} GROUP BY {key} {self.pick('', 'HAVING count(*) > 1')}",
            f"SELECT count(*), sum({value}), count(DISTINCT {column}) {rest}",
            f"SELECT {column}, sum({self.column(aliases)}) OVER (PARTITION BY {key}), "
            f"rank() OVER (ORDER BY {column}) {rest}",
        )


@pytest.fixture(scope="module")
def database() -> sqlite3.Connection:
    return sqlite_database()


@pytest.fixture(scope="module")
def tables() -> Tables:
    return sqlite_tables()


@pytest.mark.parametrize("seed", range(6))
def test_random_queries_give_sqlites_rows_or_are_refused(
    ask: Any, seed: int, database: sqlite3.Connection, tables: Tables
) -> None:
    writer, refused = Writer(seed), []
    for _ in range(QUERIES_A_SEED):
        sql = writer.query()
        wanted = rounded(database.execute(sql).fetchall())
        try:
            got = rounded(ask(sql, tables, limit=500_000, max_bytes=10**9).rows)
        except SqlError as error:
            assert error.condition == "UNSUPPORTED_FEATURE", (sql, error.message)
            refused.append(sql)
            continue
        assert sorted(got, key=repr) == sorted(wanted, key=repr), sql
    assert len(refused) <= ALLOWED_REFUSALS, refused
