"""The second engine: lowered SQL run by DuckDB, which is locked to the query's own relations."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import polars as pl
from polars.io.plugins import register_io_source

from flowcat_jupyter.engines.cell_sizes import CellLimit
from flowcat_jupyter.engines.lowered import lowered
from flowcat_jupyter.engines.polars_types import to_output
from flowcat_jupyter.engines.protocol import Relation
from flowcat_jupyter.engines.spool import COLLECT_BELOW, spool
from flowcat_jupyter.shared.errors import NotInstalled
from flowcat_jupyter.shared.wire import Column, QueryPlan
from flowcat_jupyter.sql.lowering import Lowered, text

try:
    import duckdb
    from arro3.core import RecordBatchReader

    from flowcat_jupyter.engines.duckdb_errors import translated
    from flowcat_jupyter.engines.duckdb_relations import connect
except ModuleNotFoundError as error:
    raise NotInstalled("DuckDB", "pip install 'flowcat-jupyter[duckdb]'") from error

_GENERATED = re.compile(r"\b[a-z]\d+\b")
_PATHS = re.compile(r"(?:/[^\s│,\]]+)+")


class DuckDBEngine:
    """Runs plans with DuckDB in memory, one connection a query."""

    name = "duckdb"

    def prepare(self, plan: QueryPlan, relations: Mapping[str, Relation]) -> DuckDBQuery:
        """See `Engine.prepare`."""
        made = lowered(plan, relations, self.name)
        with translated(made.labels):
            connection = connect(relations, made.reads, plan.time_zone)
            connection.sql(made.sql)
        sources = tuple(item.name for item in relations.values())
        cells = CellLimit(plan.max_cell_bytes, made.columns)
        return DuckDBQuery(made, connection, plan.time_zone, sources, cells)


@dataclass(frozen=True)
class DuckDBQuery:
    """A prepared query; see `Prepared`."""

    lowered: Lowered
    connection: duckdb.DuckDBPyConnection
    time_zone: str
    sources: tuple[tuple[str, ...], ...]
    cells: CellLimit

    @property
    def columns(self) -> tuple[Column, ...]:
        """The result's headings and Spark types."""
        return self.lowered.columns

    @property
    def warnings(self) -> tuple[str, ...]:
        """What the user should know of this result."""
        return self.lowered.warnings

    def sink(self, path: Path, *, limit: int | None, max_bytes: int) -> tuple[int, bool]:
        """See `Prepared.sink`."""
        sql = self.lowered.sql
        if limit is not None and limit <= COLLECT_BELOW:
            # The order of the inner query holds; with it, this is one search for the first rows.
            sql = f"{text.select(['*'], text.nested(sql, 'cut'))} LIMIT {limit + 1}"
        with translated(self.lowered.labels):
            frame = to_output(self._frame(sql), self.columns, self.time_zone)
            return spool(frame, path, limit=limit, max_bytes=max_bytes, cells=self.cells)

    def explain(self) -> tuple[str, ...]:
        """See `Prepared.explain`."""
        with translated(self.lowered.labels):
            found = self.connection.execute(f"EXPLAIN {self.lowered.sql}").fetchall()
        lines = [f"reads {'.'.join(name)}" for name in self.sources]
        for line in str(found[0][1]).splitlines():
            lines.append(_GENERATED.sub(self._label, _PATHS.sub("…", line)).rstrip())
        return tuple(lines)

    def _label(self, match: re.Match[str]) -> str:
        return self.lowered.labels.get(match.group(), match.group())

    def _frame(self, sql: str) -> pl.LazyFrame:
        """The rows of ``sql`` as a frame that reads them when it is run."""
        relation = self.connection.sql(sql)
        reader = RecordBatchReader.from_stream(relation)
        own = list(reader.schema.names)
        found = pl.DataFrame(reader.schema.empty_table()).schema
        schema = pl.Schema((f"c{at}", kind) for at, kind in enumerate(found.values()))

        def batches(
            with_columns: list[str] | None,
            predicate: pl.Expr | None,
            n_rows: int | None,
            batch_size: int | None,
        ) -> Iterator[pl.DataFrame]:
            left = n_rows
            for batch in reader:
                frame = pl.DataFrame(batch).rename(dict(zip(own, schema, strict=True)))
                if left is not None:
                    frame = frame.head(left)
                    left -= frame.height
                if predicate is not None:
                    frame = frame.filter(predicate)
                yield frame if with_columns is None else frame.select(with_columns)
                if left == 0:
                    return

        return register_io_source(batches, schema=schema)


ENGINE = DuckDBEngine()
