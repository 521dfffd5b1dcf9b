"""Filters and orders of random rows are those of a few plain lines of Python."""

from __future__ import annotations

import math
import operator
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from uuid import uuid4
from zoneinfo import ZoneInfo

import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from flowcat_jupyter.shared.wire_rows import FilterTerm, RowsJob
from flowcat_jupyter.worker.jobs import views
from flowcat_jupyter.worker.jobs.cells import write_arrow
from flowcat_jupyter.worker.jobs.rows import run_rows
from flowcat_jupyter.worker.jobs.texts import shown_value

ZONE = "Europe/Paris"
OPS = {
    "=": operator.eq, "!=": operator.ne, "<": operator.lt, "<=": operator.le, ">": operator.gt,
    ">=": operator.ge,
}  # fmt: skip
MOMENTS = st.integers(-60_000_000_000, 4_000_000_000).map(
    lambda seconds: datetime(1970, 1, 1, tzinfo=UTC) + timedelta(seconds=seconds, microseconds=5)
)
TYPES: dict[str, tuple[pl.DataType, st.SearchStrategy]] = {
    "int": (pl.Int32(), st.integers(-3, 3) | st.sampled_from([2**31 - 1, -(2**31)])),
    "bigint": (pl.Int64(), st.sampled_from([2**53 + 1, 2**53, -(2**63), 2**63 - 1, 0])),
    "decimal": (
        pl.Decimal(10, 2),
        st.decimals("-9", "9", places=2) | st.just(Decimal("99999999.99")),
    ),
    "double": (
        pl.Float64(),
        st.sampled_from([math.nan, math.inf, -math.inf, 0.0, -0.0, 0.1, 1e22, -1.5, 5e-324]),
    ),
    "float": (pl.Float32(), st.sampled_from([math.nan, 0.1, 3.5, -2.0, math.inf])),
    "string": (pl.String(), st.text(alphabet="aAbÄ%\n ", max_size=3)),
    "boolean": (pl.Boolean(), st.booleans()),
    "date": (pl.Date(), st.dates(date(1, 1, 1), date(9999, 12, 31))),
    "timestamp": (pl.Datetime("us", ZONE), MOMENTS),
}


def key(value):
    """NaN equals itself and is larger than any number."""
    if isinstance(value, float):
        return (math.isnan(value), 0.0 if math.isnan(value) else value)
    return value


def single(value: float) -> float:
    return float(pl.Series([value], dtype=pl.Float32)[0])


@pytest.fixture
def ask(tmp_path, context):
    def run(values, dtype, offset=0, limit=1000, order=None, **options):
        spool = tmp_path / uuid4().hex
        frame = pl.DataFrame({"c0": pl.Series(values, dtype=dtype), "c1": range(len(values))})
        write_arrow(frame, spool)
        job = RowsJob(
            spool=str(spool),
            out=f"{spool}-out",
            offset=offset,
            limit=limit,
            time_zone=ZONE,
            order=order and str(tmp_path / order),
            **options,
        )
        info = run_rows(job, context)
        rows = pl.read_ipc(job.out)["c1"].to_list()
        return rows, info

    return run


@pytest.mark.parametrize("kind", TYPES)
@settings(
    max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(data=st.data())
def test_filters(ask, kind, data):
    dtype, strategy = TYPES[kind]
    values = data.draw(st.lists(st.none() | strategy, min_size=1, max_size=12))
    wanted = data.draw(strategy)
    text = shown_value(wanted, dtype, ZONE)
    assert text is not None
    if kind == "float":
        values = [None if v is None else single(v) for v in values]
        wanted = single(wanted)
    if kind == "timestamp":
        # What people see has no offset: of an hour that comes twice it means the first.
        local = wanted.astimezone(ZoneInfo(ZONE)).replace(fold=0)
        wanted = local.astimezone(UTC)
    for op, compare in OPS.items():
        expected = [
            at for at, v in enumerate(values) if v is not None and compare(key(v), key(wanted))
        ]
        rows, info = ask(values, dtype, filters=(FilterTerm(0, op, text),))
        assert rows == expected, (op, text)
        assert info.total == len(expected)
    chosen = (text, None)
    inside = [at for at, v in enumerate(values) if v is None or key(v) == key(wanted)]
    assert ask(values, dtype, filters=(FilterTerm(0, "in", values=chosen),))[0] == inside
    outside = [at for at in range(len(values)) if at not in inside]
    assert ask(values, dtype, filters=(FilterTerm(0, "not_in", values=chosen),))[0] == outside
    nulls = [at for at, v in enumerate(values) if v is None]
    assert ask(values, dtype, filters=(FilterTerm(0, "is_null"),))[0] == nulls


@pytest.mark.parametrize("kind", TYPES)
@settings(
    max_examples=6, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(data=st.data())
def test_orders(ask, monkeypatch, kind, data):
    monkeypatch.setattr(views, "FIRST_ROWS", 0)
    dtype, strategy = TYPES[kind]
    values = data.draw(st.lists(st.none() | strategy, min_size=1, max_size=30))
    for down in (False, True):
        nulls = [at for at, value in enumerate(values) if value is None]
        others = [at for at, value in enumerate(values) if value is not None]
        others.sort(key=lambda at: key(values[at]), reverse=down)
        # Python's reverse keeps ties in their order too.
        expected = others + nulls if down else nulls + others
        for order in (None, uuid4().hex):
            pages = [
                ask(values, dtype, offset, 4, order=order, sort=0, descending=down)[0]
                for offset in range(0, len(values), 4)
            ]
            assert [row for page in pages for row in page] == expected


@settings(
    max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    values=st.lists(st.integers(-5, 5), min_size=1, max_size=8),
    wanted=st.decimals("-6", "6", places=3) | st.decimals("-1e30", "1e30", places=2),
)
def test_whole_numbers_compare_with_any_number_exactly(ask, values, wanted):
    for op, compare in OPS.items():
        expected = [at for at, value in enumerate(values) if compare(value, wanted)]
        term = FilterTerm(0, op, format(wanted, "f"))
        assert ask(values, pl.Int8(), filters=(term,))[0] == expected


def test_an_order_is_found_once_and_then_kept(ask, tmp_path: Path):
    values = [n * 7919 % 9973 for n in range(9973)]
    rows, _ = ask(values, pl.Int32(), 6000, 3, order="kept", sort=0)
    kept = tmp_path / "kept"
    assert kept.stat().st_size > 4 * 9973
    changed = kept.stat().st_mtime_ns
    again, _ = ask(values, pl.Int32(), 6000, 3, order="kept", sort=0)
    assert [values[row] for row in again] == [values[row] for row in rows] == [6000, 6001, 6002]
    assert kept.stat().st_mtime_ns == changed
