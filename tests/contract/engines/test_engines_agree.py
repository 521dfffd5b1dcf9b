"""Two engines, one meaning: fresh random questions get the same answer from both."""

from __future__ import annotations

import random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from flowcat_jupyter.registries import engines
from tests.support import oracle
from tests.support.expressions import TIMES, Writer
from tests.support.statements import Statements

ENGINES = engines()
OTHERS = [name for name in sorted(ENGINES) if name != "polars"]
TABLES = oracle.frames()
SOME = settings(
    derandomize=True,
    deadline=None,
    max_examples=60,
    database=None,
    suppress_health_check=[HealthCheck.too_slow],
)
pytestmark = pytest.mark.skipif(not OTHERS, reason="there is one engine alone")


def compare(sql: str, zone: str = "UTC") -> None:
    """Both engines give the same rows, or one says that it does not."""
    first = oracle.ask(ENGINES.get("polars"), sql, TABLES, zone)
    for name in OTHERS:
        other = oracle.ask(ENGINES.get(name), sql, TABLES, zone)
        if first.error is not None or other.error is not None or other.warnings:
            continue
        assert other.types == first.types, sql
        assert oracle.rows_agree(other, first, ordered=oracle.is_ordered(sql)), (
            sql,
            first.rows,
            other.rows,
        )


@SOME
@given(st.integers(min_value=0, max_value=2**32))
def test_engines_agree_on_expressions(seed: int) -> None:
    compare(Writer(random.Random(seed)).question())  # noqa: S311


@SOME
@given(st.integers(min_value=0, max_value=2**32))
def test_engines_agree_on_times_in_a_zone_with_summer_time(seed: int) -> None:
    compare(Writer(random.Random(seed), TIMES).question(), "Europe/Paris")  # noqa: S311


@SOME
@given(st.integers(min_value=0, max_value=2**32))
def test_engines_agree_on_statements(seed: int) -> None:
    compare(Statements(random.Random(seed)).statement())  # noqa: S311
