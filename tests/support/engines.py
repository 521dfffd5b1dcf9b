"""Plans as the planner makes them, for engines without a planner."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any, cast

import polars as pl
import pytest
from sqlglot import exp

from flowcat_jupyter.engines.protocol import Relation
from flowcat_jupyter.shared.errors import SqlError
from flowcat_jupyter.shared.names import name_key
from flowcat_jupyter.shared.wire import Column, QueryPlan
from flowcat_jupyter.sql.dialect import parse_statement, split
from flowcat_jupyter.sql.tree import dump_tree

DATA = Path(__file__).parents[1] / "data" / "spark"
T = (
    Column("id", "int"),
    Column("k", "string"),
    Column("v", "int"),
    Column("big32", "int"),
    Column("d", "decimal(10,2)"),
    Column("dt", "date"),
    Column("ts", "timestamp"),
    Column("arr", "array<int>"),
    Column("st", "struct<a:int,b:string>"),
    Column("m", "map<string,int>"),
)
SPARK_TABLES = {
    "t": T,
    "u": (Column("id", "int"), Column("w", "int")),
    "u2": (Column("id", "int"), Column("v", "int")),
}


@dataclass
class Answer:
    """What a query gave, and the columns it announced."""

    columns: tuple[Column, ...]
    rows: list[tuple[Any, ...]]
    frame: pl.DataFrame
    truncated: bool
    warnings: tuple[str, ...]

    @property
    def headings(self) -> list[str]:
        return [column.name for column in self.columns]

    @property
    def types(self) -> list[str]:
        return [column.type for column in self.columns]


Tables = dict[str, tuple[pl.LazyFrame, tuple[Column, ...]]]


def plan_for(
    sql: str, tables: Tables, *, dialect: str = "house", **settings: Any
) -> tuple[QueryPlan, dict[str, Relation]]:
    """A plan whose relations are r1, r2 …, made the way the planner makes them."""
    (piece,) = split(sql, dialect)
    tree = parse_statement(piece, dialect)
    known = {name_key(name): name for name in tables}
    relations: dict[str, Relation] = {}
    local = {name_key(cte.alias) for cte in tree.find_all(exp.CTE)}
    for table in list(tree.find_all(exp.Table)):
        name = known.get(name_key(table.name))
        if name is None or name_key(table.name) in local:
            continue
        key = f"r{len(relations) + 1}"
        frame, columns = tables[name]
        relations[key] = Relation(("main", "default", name), columns, frame)
        table.set("this", exp.to_identifier(key))
    headings = tuple(heading(piece.text, item) for item in cast(exp.Query, tree).selects)
    plan = QueryPlan(
        tree=dump_tree(tree),
        sources=(),
        headings=headings,
        text=piece.text,
        dialect=dialect,
        now="2024-06-01T12:00:00+00:00",
        user="ada",
        **settings,
    )
    return plan, relations


def heading(text: str, item: exp.Expr) -> str | None:
    """The source text of an unnamed expression, as far as its nodes' places tell it."""
    if isinstance(item, (exp.Alias, exp.Star, exp.Column)):
        return None
    starts = [node.meta["start"] for node in item.walk() if "start" in node.meta]
    ends = [node.meta["end"] for node in item.walk() if "end" in node.meta]
    if not starts:
        return None
    end = max(ends) + 1
    while text[min(starts) : end].count("(") > text[min(starts) : end].count(")"):
        end += 1
    return text[min(starts) : end]


def plain(value: Any) -> Any:
    """A cell as the recorded answers write it."""
    if isinstance(value, Decimal):
        return f"D:{value}"
    if isinstance(value, datetime):
        return value.strftime("%Y-%m-%d %H:%M:%S")
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, list):
        return [plain(item) for item in value]
    return value


def table(
    columns: dict[str, tuple[str, list[Any], Any]],
) -> tuple[pl.LazyFrame, tuple[Column, ...]]:
    frame = pl.LazyFrame(
        {name: pl.Series(values, dtype=dtype) for name, (_, values, dtype) in columns.items()}
    )
    return frame, tuple(Column(name, kind) for name, (kind, _, _) in columns.items())


def numbers(values: list[int | None], dtype: Any = pl.Int64, kind: str = "int") -> Tables:
    return {"t": table({"x": (kind, values, dtype)})}


def failure(ask: Any, sql: str, tables: Tables | None = None, **settings: Any) -> SqlError:
    with pytest.raises(SqlError) as failed:
        ask(sql, tables, **settings)
    return failed.value


def select(text: str, rest: str = "FROM t") -> str:
    """A SELECT of ``text``."""
    return " ".join(("SELECT", text, rest))
