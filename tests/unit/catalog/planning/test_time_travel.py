"""Asking for an old version, in every form people write it."""

from __future__ import annotations

import pytest

from flowcat_jupyter.catalog.planning.planner import QueryOptions, plan_select
from flowcat_jupyter.catalog.planning.resolver import Entry, Resolver
from flowcat_jupyter.shared.errors import NotFound, SqlError
from tests.support.planning import select

OPTIONS = QueryOptions(
    time_zone="Europe/Paris",
    now="2026-03-30T10:00:00+00:00",
    params={
        "v": 2,
        "text": "2",
        "ts": {"timestamp": "2024-07-01 10:00:00"},
        "day": {"date": "2024-07-01"},
        "null": None,
        "wrong": [1],
    },
)


class Directory:
    """One table, ``main.default.t``."""

    def tables_named(self, name):
        return [Entry(1, ("main", "default", "t"), "delta", "/data/t")] if name == "t" else []

    def table_paths(self, limit):
        return []

    def path_table(self, format, path):
        raise NotFound("file", path)


def asked(after: str, before: str = "SELECT * FROM t") -> tuple[int | None, str | None]:
    plan = plan_select(
        select(f"{before} {after}"), Resolver(Directory(), "main", "default"), OPTIONS
    ).plan
    (source,) = plan.sources
    return source.version, source.timestamp


@pytest.mark.parametrize(
    "written",
    [
        "TIMESTAMP AS OF '2024-01-01 10:00:00'",
        "TIMESTAMP AS OF '2024-01-01T09:00:00Z'",
        "TIMESTAMP AS OF '2024-01-01 10:00:00+01:00' AS x",
        "TIMESTAMP AS OF '2024-01-01 04:00:00 America/New_York' x",
        "FOR TIMESTAMP AS OF '2024-01-01 10:00:00'",
        "FOR SYSTEM_TIME AS OF '2024-01-01 10:00:00'",
        "for system_time as of timestamp '2024-01-01 10:00:00' as x",
        "SYSTEM_TIME AS OF '2024-01-01 10:00:00'",
        "TIMESTAMP AS OF CAST('2024-01-01 10:00:00' AS TIMESTAMP)",
        "TIMESTAMP AS OF to_timestamp('2024-01-01 10:00:00')",
        "TIMESTAMP AS OF ('2024-01-01 11:00:00' - INTERVAL 1 HOUR)",
        "TIMESTAMP AS OF DATE '2024-01-01' + INTERVAL '10' HOURS",
    ],
)
def test_a_moment_is_read_in_the_sessions_zone(written):
    assert asked(written) == (None, "2024-01-01 09:00:00+00:00")


@pytest.mark.parametrize(
    ("written", "day"),
    [
        ("'2024-01-01'", "2023-12-31 23:00:00+00:00"),
        ("DATE '2024-07-01'", "2024-06-30 22:00:00+00:00"),
        ("date_sub(DATE '2024-07-02', 1)", "2024-06-30 22:00:00+00:00"),
        ("add_months(DATE '2024-05-31', 1)", "2024-06-29 22:00:00+00:00"),
        ("DATE '2024-07-02' - 1", "2024-06-30 22:00:00+00:00"),
        (":ts", "2024-07-01 08:00:00+00:00"),
        (":day", "2024-06-30 22:00:00+00:00"),
        (":ts - INTERVAL 2 DAYS", "2024-06-29 08:00:00+00:00"),
        ("current_date()", "2026-03-29 22:00:00+00:00"),
        ("now()", "2026-03-30 10:00:00+00:00"),
        ("current_timestamp", "2026-03-30 10:00:00+00:00"),
        ("current_timestamp() - INTERVAL 36 HOURS", "2026-03-28 22:00:00+00:00"),
        ("date_trunc('month', current_timestamp())", "2026-02-28 23:00:00+00:00"),
    ],
)
def test_arithmetic_over_constants_is_worked_out_at_planning(written, day):
    assert asked(f"TIMESTAMP AS OF {written}") == (None, day)


def test_a_day_back_is_the_same_time_of_day_over_a_change_of_clocks():
    # Paris put its clocks forward between the 28th and the 29th of March 2026.
    two_days = "TIMESTAMP AS OF current_timestamp() - INTERVAL 2 DAYS"
    assert asked(two_days) == (None, "2026-03-28 11:00:00+00:00")


@pytest.mark.parametrize("written", ["2", "'2'", ":v", ":text", "(2)"])
def test_a_version_is_a_number_or_a_parameter(written):
    assert asked(f"VERSION AS OF {written}") == (2, None)
    assert asked(f"FOR VERSION AS OF {written} AS x") == (2, None)
    assert asked(f"FOR SYSTEM_VERSION AS OF {written} x") == (2, None)


@pytest.mark.parametrize(
    ("written", "condition"),
    [
        ("VERSION AS OF -1", "INVALID_TIME_TRAVEL_SPEC"),
        ("VERSION AS OF 1.5", "INVALID_TIME_TRAVEL_SPEC"),
        ("VERSION AS OF 'main'", "INVALID_TIME_TRAVEL_SPEC"),
        ("VERSION AS OF :null", "INVALID_TIME_TRAVEL_SPEC"),
        ("VERSION AS OF :wrong", "INVALID_TIME_TRAVEL_SPEC"),
        ("VERSION AS OF 99999999999999999999999", "INVALID_TIME_TRAVEL_SPEC"),
        ("VERSION AS OF :nobody", "UNBOUND_SQL_PARAMETER"),
        ("TIMESTAMP AS OF :nobody", "UNBOUND_SQL_PARAMETER"),
        ("TIMESTAMP AS OF NULL", "INVALID_TIME_TRAVEL_TIMESTAMP_EXPR.INPUT"),
        ("TIMESTAMP AS OF 'yesterday'", "INVALID_TIME_TRAVEL_TIMESTAMP_EXPR.INPUT"),
        ("TIMESTAMP AS OF '2024-13-01'", "INVALID_TIME_TRAVEL_TIMESTAMP_EXPR.INPUT"),
        ("TIMESTAMP AS OF 5", "INVALID_TIME_TRAVEL_TIMESTAMP_EXPR.INPUT"),
        ("TIMESTAMP AS OF rand()", "INVALID_TIME_TRAVEL_TIMESTAMP_EXPR.INPUT"),
        ("TIMESTAMP AS OF v", "INVALID_TIME_TRAVEL_TIMESTAMP_EXPR.UNEVALUABLE"),
        (
            "TIMESTAMP AS OF (SELECT max(x) FROM t)",
            "INVALID_TIME_TRAVEL_TIMESTAMP_EXPR.UNEVALUABLE",
        ),
        ("FOR SYSTEM_TIME BETWEEN '2024-01-01' AND '2024-02-01'", "INVALID_TIME_TRAVEL_SPEC"),
    ],
)
def test_what_is_no_moment_and_no_version_is_refused_in_its_place(written, condition):
    with pytest.raises(SqlError) as caught:
        asked(written)
    error = caught.value
    assert (error.condition, error.line, error.column) == (condition, 1, 15)
    assert error.hint


@pytest.mark.parametrize(
    ("written", "instead"),
    [
        ("t@v3", "t VERSION AS OF 3"),
        ("t@V03", "t VERSION AS OF 3"),
        ("main.default.t@v3", "main.default.t VERSION AS OF 3"),
        ("`t`@v3", "t VERSION AS OF 3"),
        ("`t@v3`", "t VERSION AS OF 3"),
        ("delta.`/data/x@v3`", "delta.`/data/x` VERSION AS OF 3"),
        ("t@20240131235959123", "t TIMESTAMP AS OF '2024-01-31 23:59:59.123'"),
        ("t@20240131", "t TIMESTAMP AS OF '2024-01-31 00:00:00'"),
    ],
)
def test_deltas_at_sign_is_refused_with_what_to_write_instead(written, instead):
    with pytest.raises(SqlError) as caught:
        asked("", f"SELECT *\nFROM {written}")
    error = caught.value
    assert error.hint == f"Write {instead}."
    assert (error.condition, error.line, error.column) == ("INVALID_TIME_TRAVEL_SPEC", 2, 6)


def test_text_that_looks_like_it_is_left_alone():
    text = "SELECT 't@v3' AS a, 'x SYSTEM_TIME AS OF y' AS `b@v3` FROM t VERSION AS OF 1"
    assert asked("", text) == (1, None)


def test_a_version_after_the_alias_is_told_its_place():
    with pytest.raises(SqlError, match="cannot be read") as caught:
        asked("x VERSION AS OF 3")
    assert "before its alias" in str(caught.value.hint)
