"""Queries in WITH that read one another more often than an engine can plan."""

from __future__ import annotations

from typing import Any

import pytest

from flowcat_jupyter.engines.protocol import Engine
from tests.support.engines import failure, select


def chained(steps: int, step: str) -> str:
    """Queries of which each reads the one before as ``step`` says."""
    more = ", ".join(f"a{at} AS ({step.replace('before', f'a{at - 1}')})" for at in range(1, steps))
    return " ".join(("WITH a0 AS (SELECT 1 AS x),", more, select("x", f"FROM a{steps - 1}")))


ONCE = select("*", "FROM before")
TWICE = select("l.x", "FROM before l JOIN before r ON l.x = r.x")
STEP = select("CAST(regexp_extract(x, '(.*)', 1) AS INT) AS x", "FROM before")


@pytest.mark.parametrize(("steps", "step"), [(400, ONCE), (40, TWICE), (12, STEP)])
def test_what_polars_cannot_plan_in_memory_is_refused_at_once(
    ask: Any, engine: Engine, steps: int, step: str
) -> None:
    if engine.name != "polars":
        pytest.skip("the other engine plans each query in WITH once")
    error = failure(ask, chained(steps, step))
    assert (error.condition, "WITH" in error.message) == ("FAILED_TO_PARSE_TOO_COMPLEX", True)


@pytest.mark.parametrize(("steps", "step"), [(400, ONCE), (12, STEP)])
def test_a_long_chain_runs_where_each_query_is_planned_once(
    ask: Any, engine: Engine, steps: int, step: str
) -> None:
    if engine.name == "polars":
        pytest.skip("polars refuses it")
    assert ask(chained(steps, step)).rows == [(1,)]


@pytest.mark.parametrize(("steps", "step"), [(9, TWICE), (5, STEP)])
def test_a_short_chain_runs(ask: Any, steps: int, step: str) -> None:
    assert ask(chained(steps, step)).rows == [(1,)]
