"""Planning a statement over wide tables, beside what the parser's own library does with it."""

from __future__ import annotations

from collections.abc import Callable

import polars as pl
import pytest
import sqlglot
from sqlglot.optimizer.annotate_types import annotate_types
from sqlglot.optimizer.qualify import qualify
from sqlglot.schema import MappingSchema

from flowcat_jupyter.catalog.planning.planner import QueryOptions, plan_select
from flowcat_jupyter.catalog.planning.resolver import Entry, Resolver
from flowcat_jupyter.engines.polars import ENGINE
from flowcat_jupyter.engines.protocol import Relation
from flowcat_jupyter.shared.wire import Column
from tests.support.ledger import Ledger
from tests.support.measure import Report, interleaved, seconds
from tests.support.planning import Tables, select

pytestmark = pytest.mark.benchmark

TABLES, COLUMNS = 20, 400
SERVER_BOUND = 2.0
SQLGLOT = "sqlglot: parse, qualify, annotate with MappingSchema(normalize=False)"


def test_a_statement_that_names_twenty_tables_of_400_columns(ledger: Ledger) -> None:
    columns = tuple(Column(f"c{at}", "bigint") for at in range(COLUMNS))
    text = statement()
    names = [f"t{at}" for at in range(TABLES)]
    entries = [
        Entry(at, ("m", "s", name), "delta", f"/t/{name}", columns)
        for at, name in enumerate(names, 1)
    ]
    resolver = Resolver(Tables(*entries), "m", "s")
    schema = MappingSchema(
        {name: {column.name: "BIGINT" for column in columns} for name in names},
        dialect="databricks",
        normalize=False,
    )
    frame = pl.LazyFrame(schema={column.name: pl.Int64 for column in columns})

    def theirs() -> object:
        tree = sqlglot.parse_one(text, dialect="databricks")
        return annotate_types(qualify(tree, schema=schema, dialect="databricks"), schema=schema)

    def served() -> object:
        return plan_select(select(text), resolver, QueryOptions(now="2024-06-01T12:00:00+00:00"))

    def whole() -> None:
        plan = plan_select(
            select(text), resolver, QueryOptions(now="2024-06-01T12:00:00+00:00")
        ).plan
        relations = {s.relation: Relation(s.name, columns, frame) for s in plan.sources}
        ENGINE.prepare(plan, relations)

    for work in (theirs, served, whole):
        work()
    base, server, all_of_it = interleaved(7, *map(timer, (theirs, served, whole)))
    report = Report(f"planning {TABLES} tables of {COLUMNS} columns; baseline: {SQLGLOT}")
    report.line("sqlglot", base)
    ratio = report.line("in the server", server)
    ledger.hold(
        f"planning {TABLES} tables of {COLUMNS} columns, the server's part",
        SQLGLOT,
        ratio,
        SERVER_BOUND,
    )
    ratio = report.line("with typing and lowering, in a worker", all_of_it)
    ledger.hold(
        f"planning {TABLES} tables of {COLUMNS} columns, with typing and lowering",
        SQLGLOT,
        ratio,
        None,
    )


def timer(work: Callable[[], object]) -> Callable[[], float]:
    return lambda: seconds(work)


def statement() -> str:
    """A join of all, each of whose columns is named."""
    listed = ", ".join(
        f"t{at}.c{column} + {column} AS t{at}_c{column}"
        for at in range(TABLES)
        for column in range(0, COLUMNS, 20)
    )
    joined = " ".join(f"JOIN t{at} ON t{at}.c0 = t0.c0" for at in range(1, TABLES))
    return " ".join(("SELECT", listed, "FROM t0", joined, "WHERE t0.c1 > 5 ORDER BY t0_c0"))
