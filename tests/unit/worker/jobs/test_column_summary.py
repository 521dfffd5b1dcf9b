"""What is said of a column is exact, and NULL, NaN and the empty text are told apart."""

from __future__ import annotations

import math
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from flowcat_jupyter.shared.errors import NotFound
from flowcat_jupyter.shared.wire_rows import Bin, FilterTerm, SummaryJob, TopValue
from flowcat_jupyter.worker.jobs import summary
from flowcat_jupyter.worker.jobs.bins import MOST_BINS, number_edges, time_edges, time_step
from flowcat_jupyter.worker.jobs.cells import write_arrow
from flowcat_jupyter.worker.jobs.summary import run_summary

BIG = 9_007_199_254_740_993


@pytest.fixture
def told(tmp_path, context):
    """Summarizes one column of values."""

    def ask(values, dtype=None, zone="UTC", **options):
        write_arrow(pl.DataFrame({"c0": pl.Series(values, dtype=dtype)}), tmp_path / "s")
        job = SummaryJob(spool=str(tmp_path / "s"), column=0, time_zone=zone, **options)
        return run_summary(job, context)

    return ask


def test_null_nan_and_infinity_are_three_things(told):
    info = told([1.5, math.nan, math.inf, None, 0.1, -math.inf])
    assert (info.rows, info.nulls, info.nans, info.distinct) == (6, 1, 1, 5)
    assert (info.min, info.max, info.mean) == ("-Infinity", "Infinity", "NaN")
    assert sum(part.count for part in info.histogram) == 2
    assert TopValue("NaN", 1) in info.top
    assert TopValue(None, 1) in info.top


def test_the_empty_text_is_counted(told):
    info = told(["", "a", "", None, "<b>"])
    assert (info.empty, info.nulls, info.distinct) == (2, 1, 3)
    assert info.top[0] == TopValue("", 2)
    assert (info.min, info.max, info.mean, info.histogram) == ("", "a", None, ())


def test_big_integers_are_exact(told):
    info = told([BIG, BIG + 1, None, -BIG])
    assert (info.min, info.max) == (str(-BIG), str(BIG + 1))
    assert info.quantiles is not None
    assert info.quantiles["0.5"] == str(BIG)
    assert [item.value for item in info.top] == [str(-BIG), str(BIG), str(BIG + 1), None]


def test_a_sum_beyond_the_type_does_not_spoil_the_mean(told):
    assert told([2**62] * 4).mean == "4611686018427387904.0"


def test_decimals_are_exact(told):
    info = told([Decimal("0.10"), Decimal("0.20"), None], pl.Decimal(10, 2))
    assert (info.min, info.max, info.mean) == ("0.10", "0.20", "0.150000")
    assert info.quantiles == {
        "0.05": "0.105", "0.25": "0.125", "0.5": "0.15", "0.75": "0.175", "0.95": "0.195",
    }  # fmt: skip
    assert told([Decimal("9" * 38)] * 3, pl.Decimal(38, 0)).mean == "1e+38"


def test_quantiles_lie_between_values(told):
    assert told([1, 2]).quantiles["0.5"] == "1.5"
    assert told(list(range(101))).quantiles == {q: str(int(100 * float(q))) for q in (
        "0.05", "0.25", "0.5", "0.75", "0.95",
    )}  # fmt: skip


def test_dates_and_moments_are_the_sessions(told):
    days = told([date(2013, 1, 1), date(2013, 12, 31), None])
    assert (days.min, days.max, days.quantiles["0.5"]) == ("2013-01-01", "2013-12-31", "2013-07-02")
    assert days.histogram[0].start == "2012-12-24", "two weeks begin on a Monday"
    start = datetime(2024, 3, 31, 0, 30, tzinfo=UTC)
    info = told([start + timedelta(hours=n) for n in range(3)], zone="Europe/Paris")
    assert (info.min, info.max) == ("2024-03-31 01:30:00", "2024-03-31 04:30:00")
    assert sum(part.count for part in info.histogram) == 3


@pytest.mark.parametrize("moved", ["366d", "-800000d"])
def test_times_of_years_that_python_has_not_are_measured_without_bins(told, moved):
    days = pl.Series([date(9999, 12, 30), date(1, 1, 1)]).dt.offset_by(moved)
    for values in (days, days.cast(pl.Datetime("us", "UTC"))):
        info = told(values)
        assert (info.distinct, info.histogram) == (2, ())
        assert info.max.startswith("+10000-12-30") or info.min.startswith("-2190")


def test_booleans_count_what_is_true(told):
    info = told([True, False, True, None])
    assert (info.true_count, info.min, info.max) == (2, "false", "true")


@pytest.mark.parametrize(
    ("values", "top"),
    [
        ([[1, 2], [1, 2], [], None], "[1,2]"),
        ([{"a": 1}, {"a": 1}, None], '{"a":1}'),
        ([b"\xff", b"\xff", b""], "0xff"),
    ],
)
def test_nested_values_and_bytes_are_told_apart_by_how_they_are_shown(told, values, top):
    info = told(values)
    assert info.top[0] == TopValue(top, 2)
    assert info.mean is None


@pytest.mark.parametrize("dtype", [pl.Null, pl.Int64, pl.Float64, pl.String, pl.Date, pl.Decimal])
@pytest.mark.parametrize("values", [[None, None], []])
def test_nothing_is_summarized_too(told, dtype, values):
    info = told(values, dtype)
    assert (info.rows, info.nulls, info.distinct) == (len(values), len(values), 0)
    assert (info.min, info.max, info.mean, info.quantiles, info.histogram) == (None,) * 4 + ((),)


def test_only_filtered_rows_count(told):
    info = told([1, 2, 2, 3], filters=(FilterTerm(0, ">", "1"),))
    assert (info.rows, info.min) == (3, "2")


def test_the_twenty_most_frequent_come_first_and_ties_in_order(told):
    values = [n for n in range(40) for _ in range(2 if n % 2 else 1)]
    top = told(values).top
    assert [int(item.value) for item in top] == list(range(1, 40, 2))


def test_of_very_many_rows_distinct_is_an_estimate_and_said_to_be(told, monkeypatch):
    monkeypatch.setattr(summary, "EXACT_ROWS", 10)
    info = told([*range(100), None])
    assert not info.distinct_exact
    assert info.distinct == pytest.approx(100, abs=5)
    assert (info.rows, info.nulls, info.min, info.max) == (101, 1, "0", "99")


def test_a_tables_column_is_named_whatever_the_case(tmp_path, context, delta_source):
    source = delta_source(pl.DataFrame({"Delay": [1, 2]}, schema={"Delay": pl.Int32}))
    info = run_summary(SummaryJob(source=source, column="DELAY"), context)
    assert (info.name, info.type, info.rows) == ("Delay", "int", 2)
    with pytest.raises(NotFound):
        run_summary(SummaryJob(source=source, column="nope"), context)


def test_bins_have_edges_that_people_would_choose(told):
    histogram = told([-43, 0, 12, 1301]).histogram
    assert histogram[0] == Bin("-50", "0", 1)
    assert histogram[-1] == Bin("1300", "1350", 1)


@settings(deadline=None, max_examples=50)
@given(
    st.floats(allow_nan=False, allow_infinity=False),
    st.floats(allow_nan=False, allow_infinity=False),
)
def test_bins_of_numbers_hold_everything(one, other):
    low, high = sorted((Decimal(one), Decimal(other)))
    edges = number_edges(low, high)
    assert edges[0] <= low
    assert edges[-1] >= high
    assert 2 <= len(edges) <= MOST_BINS + 1
    assert edges == sorted(set(edges))


@settings(deadline=None, max_examples=50)
@given(st.datetimes(), st.datetimes())
def test_bins_of_times_hold_everything(one, other):
    low, high = sorted((one, other))
    edges = time_edges(low, high, time_step((high - low).total_seconds()))
    assert edges[0] <= low
    assert edges[-1] >= high
    assert 2 <= len(edges) <= MOST_BINS + 1
