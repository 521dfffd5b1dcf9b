"""Tables that polars alone would misread or refuse answer SQL on either engine."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl
import pyarrow as pa
import pytest

from flowcat_jupyter.engines.choice import choose
from flowcat_jupyter.engines.protocol import Relation
from flowcat_jupyter.registries import engines, formats
from tests.support.engines import plan_for

FIELDS = [("id", "integer"), ("Name of it", "string"), ("p", "string")]
TABLES: dict[str, dict[str, Any]] = {
    "plain": {},
    "deleted": {"features": ("deletionVectors",)},
    "mapped by name": {"mapping": "name"},
    "mapped by id": {"mapping": "id"},
    "mapped and deleted": {"mapping": "name", "features": ("deletionVectors",)},
}


@pytest.mark.parametrize("engine", ["polars", "duckdb"])
@pytest.mark.parametrize("kind", TABLES)
def test_a_foreign_table_answers_sql(make_foreign, tmp_path: Path, kind: str, engine: str) -> None:
    options = TABLES[kind]
    table = make_foreign(**options)
    table.begin(FIELDS, ("p",))
    rows = pa.table({"id": pa.array([1, 2, 3], pa.int32()), "Name of it": ["a", None, "c"]})
    holes = [0] if "features" in options else None
    first = table.file(rows, "p=x/1.parquet", {"p": "x"}, deleted=holes)
    table.commit(first, table.file(rows, "p=y/2.parquet", {"p": "y"}))
    scan = formats().get("delta").scan(table.source())
    sql = "SELECT p, sum(id) AS s, max(`name OF it`) AS n FROM t WHERE id < 3 GROUP BY p ORDER BY p"
    plan, _ = plan_for(sql, {"t": (scan.frame, scan.columns)}, engine=engine)
    paths = scan.reading.paths or ()
    relations = {"r1": Relation(("m", "s", "t"), scan.columns, scan.frame, paths)}
    out = tmp_path / "out.arrow"
    choose(plan, relations, engines()).prepared.sink(out, limit=None, max_bytes=1_000_000)
    first_row = ("x", 2, None) if holes else ("x", 3, "a")
    assert pl.read_ipc(out).rows() == [first_row, ("y", 3, "a")]
