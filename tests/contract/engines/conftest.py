"""Running a text through every engine."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from flowcat_jupyter.engines.protocol import Engine
from flowcat_jupyter.registries import engines
from tests.support.engines import DATA, SPARK_TABLES, Answer, Tables, plan_for

ENGINES = engines()
Ask = Callable[..., Answer]


@pytest.fixture(params=sorted(ENGINES))
def engine(request: pytest.FixtureRequest) -> Engine:
    return ENGINES.get(request.param)


@pytest.fixture
def ask(engine: Engine, tmp_path: Path) -> Ask:
    def run(
        sql: str,
        tables: Tables | None = None,
        *,
        limit: int | None = 10_000,
        max_bytes: int = 100_000_000,
        **settings: Any,
    ) -> Answer:
        plan, relations = plan_for(sql, tables or {}, **settings)
        prepared = engine.prepare(plan, relations)
        path = tmp_path / "result.arrow"
        count, truncated = prepared.sink(path, limit=limit, max_bytes=max_bytes)
        frame = pl.read_ipc(path)
        assert frame.height == count
        return Answer(prepared.columns, frame.rows(), frame, truncated, prepared.warnings)

    return run


@pytest.fixture
def spark_tables() -> Tables:
    frames = {name: pl.scan_parquet(DATA / f"{name}.parquet") for name in SPARK_TABLES}
    return {name: (frames[name], columns) for name, columns in SPARK_TABLES.items()}
