"""Limits, time zones, NULL order, headings, refusals and explanations."""

from __future__ import annotations

from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import polars as pl
import pytest

from flowcat_jupyter.shared.errors import LimitExceeded
from flowcat_jupyter.shared.wire import Column
from tests.support.engines import Tables, failure, numbers, plan_for, select, table


def test_a_limit_of_any_size_is_understood(ask: Any) -> None:
    tables = numbers([1, 2, 3])
    for limit in (4294967296, 9223372036854775807):
        assert len(ask(select("*", f"FROM t LIMIT {limit}"), tables).rows) == 3
        assert len(ask(select("x + 1", f"FROM t LIMIT {limit}"), tables).rows) == 3
    none = ask("SELECT x FROM t LIMIT 0", tables)
    assert (none.headings, none.rows) == (["x"], [])
    assert "negative" in failure(ask, "SELECT x FROM t LIMIT -1", tables).message
    assert ask("SELECT x FROM t LIMIT 1 OFFSET 5", tables).rows == []
    assert len(ask("SELECT x FROM t LIMIT :n", tables, params={"n": 2}).rows) == 2


def test_a_cap_says_that_there_was_more(ask: Any) -> None:
    tables = numbers(list(range(10)))
    cut = ask("SELECT x FROM t ORDER BY x DESC", tables, limit=3)
    assert (cut.rows, cut.truncated) == ([(9,), (8,), (7,)], True)
    assert not ask("SELECT x FROM t", tables, limit=10).truncated
    assert not ask("SELECT x FROM t LIMIT 3", tables, limit=3).truncated
    assert len(ask("SELECT x FROM t", tables, limit=None).rows) == 10
    for limit in (200_000, 2**32 - 1, 2**32, 2**63, 2**70):
        assert not ask("SELECT x FROM t", tables, limit=limit).truncated
    assert ask("SELECT 1 FROM t a, t b, t c, t d, t e, t f", tables, limit=100_001).truncated


def test_a_result_that_is_too_large_says_so_and_leaves_no_file(ask: Any, tmp_path: Path) -> None:
    tables = numbers(list(range(100_000)))
    for limit in (None, 50_000):
        with pytest.raises(LimitExceeded, match="larger than"):
            ask("SELECT x, x AS y FROM t", tables, limit=limit, max_bytes=10_000)
    assert not list(tmp_path.glob("*.arrow"))


INSTANTS: Tables = {
    "t": table(
        {
            "ts": (
                "timestamp",
                [
                    datetime(2024, 3, 31, 0, 30, tzinfo=UTC),
                    datetime(2024, 3, 31, 1, 30, tzinfo=UTC),
                ],
                pl.Datetime("us", "UTC"),
            ),
            "d": ("date", [date(2024, 3, 31), date(2024, 4, 1)], pl.Date),
        }
    )
}


def test_dates_and_hours_follow_the_session_zone(ask: Any) -> None:
    sql = "SELECT hour(ts), CAST(ts AS DATE), CAST(ts AS STRING), date_format(ts, 'HH:mm') FROM t"
    paris = ask(sql, INSTANTS, time_zone="Europe/Paris").rows
    assert paris == [
        (1, date(2024, 3, 31), "2024-03-31 01:30:00", "01:30"),
        (3, date(2024, 3, 31), "2024-03-31 03:30:00", "03:30"),
    ]
    lima = ask(sql, INSTANTS, time_zone="America/Lima").rows
    assert [row[:2] for row in lima] == [(19, date(2024, 3, 30)), (20, date(2024, 3, 30))]


def test_a_written_time_is_of_the_session_zone_unless_it_says_otherwise(ask: Any) -> None:
    sql = "SELECT count(*) FROM t WHERE ts >= '2024-03-31 02:00:00'"
    assert ask(sql, INSTANTS, time_zone="Europe/Paris").rows == [(1,)]
    assert ask(sql, INSTANTS, time_zone="UTC").rows == [(0,)]
    zoned = "SELECT count(*) FROM t WHERE ts >= TIMESTAMP '2024-03-31T01:00:00Z'"
    assert ask(zoned, INSTANTS, time_zone="Asia/Tokyo").rows == [(1,)]


def test_instants_come_out_in_the_session_zone(ask: Any) -> None:
    answer = ask("SELECT ts FROM t", INSTANTS, time_zone="Europe/Paris")
    assert answer.frame.schema["c0"] == pl.Datetime("us", "Europe/Paris")
    assert answer.rows[1] == (datetime(2024, 3, 31, 3, 30, tzinfo=ZoneInfo("Europe/Paris")),)


def test_an_hour_that_comes_twice_is_two_hours(ask: Any) -> None:
    instants = [datetime(2024, 10, 27, hour, 30, tzinfo=UTC) for hour in (0, 1)]
    tables = {"t": table({"ts": ("timestamp", instants, pl.Datetime("us", "UTC"))})}
    rows = ask("SELECT date_trunc('hour', ts), hour(ts) FROM t", tables, time_zone="Europe/Paris")
    assert [(cell.astimezone(UTC).hour, local) for cell, local in rows.rows] == [(0, 2), (1, 2)]
    india = ask("SELECT date_trunc('hour', ts) FROM t", tables, time_zone="Asia/Kolkata")
    assert [row[0].minute for row in india.rows] == [0, 0]


def test_now_is_when_the_statement_was_planned(ask: Any) -> None:
    answer = ask("SELECT now(), current_date, current_user", time_zone="Asia/Tokyo")
    instant, day, user = answer.rows[0]
    assert instant == datetime(2024, 6, 1, 12, tzinfo=UTC)
    assert (day, user) == (date(2024, 6, 1), "ada")


def test_dates_move_by_days_months_and_intervals(ask: Any) -> None:
    sql = (
        "SELECT date_add(d, 1), d - INTERVAL 1 MONTH, d + INTERVAL '2' DAY, last_day(d), "
        "datediff(d, DATE'2024-03-01'), trunc(d, 'MM'), d + 1 FROM t ORDER BY d LIMIT 1"
    )
    assert ask(sql, INSTANTS).rows == [
        (
            date(2024, 4, 1),
            date(2024, 2, 29),
            date(2024, 4, 2),
            date(2024, 3, 31),
            30,
            date(2024, 3, 1),
            date(2024, 4, 1),
        )
    ]


def test_nulls_sort_first_ascending_and_last_descending(ask: Any) -> None:
    tables = numbers([1, None, 9])
    assert ask("SELECT x FROM t ORDER BY x", tables).rows == [(None,), (1,), (9,)]
    assert ask("SELECT x FROM t ORDER BY x DESC", tables).rows == [(9,), (1,), (None,)]
    assert ask("SELECT x FROM t ORDER BY x NULLS LAST", tables).rows == [(1,), (9,), (None,)]


def test_text_joined_to_null_is_null(ask: Any) -> None:
    assert ask("SELECT concat('x', NULL), 'x' || NULL, concat_ws('-', 'x', NULL)").rows == [
        (None, None, "x")
    ]


def test_an_unnamed_expression_is_headed_by_what_was_typed(ask: Any) -> None:
    answer = ask("SELECT  Count(*),  length('a')  -  5 FROM t", numbers([1]))
    assert answer.headings == ["Count(*)", "length('a')  -  5"]


def test_where_holds_without_a_from(ask: Any) -> None:
    assert ask("SELECT 1 WHERE false").rows == []


def test_nan_is_the_largest_number(ask: Any) -> None:
    tables = {"t": table({"f": ("double", [1.0, float("nan")], pl.Float64)})}
    answer = ask("SELECT count(*) FROM t WHERE f > 5", tables)
    assert answer.rows == [(1,)]
    assert str(ask("SELECT max(f) FROM t", tables).rows) == "[(nan,)]"


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT read_csv('/etc/passwd')",
        "SELECT * FROM read_parquet('/etc/passwd')",
        "SELECT nosuch(1)",
        "SELECT x -> 1 FROM t",
        "SELECT * FROM t TABLESAMPLE (5 PERCENT) REPEATABLE (1)",
        "SELECT sum(x) OVER (ORDER BY x RANGE BETWEEN 1 PRECEDING AND CURRENT ROW) FROM t",
    ],
)
def test_what_is_not_supported_is_refused_by_name(ask: Any, sql: str) -> None:
    tables = {"t": table({"x": ("int", [1], pl.Int64), "m": ("map<string,int>", [None], pl.Null)})}
    error = failure(ask, sql, tables)
    assert error.condition in ("UNSUPPORTED_FEATURE", "UNRESOLVED_ROUTINE")
    assert error.line == 1


@pytest.mark.parametrize(
    ("sql", "condition"),
    [
        ("SELECT x, count(*) FROM t", "MISSING_GROUP_BY"),
        ("SELECT x FROM t WHERE count(*) > 1", "INVALID_WHERE_CONDITION"),
        ("SELECT x FROM t WHERE row_number() OVER (ORDER BY x) = 1", "UNSUPPORTED_EXPR_FOR_WINDOW"),
        ("SELECT x FROM t UNION SELECT x, x FROM t", "NUM_COLUMNS_MISMATCH"),
        ("SELECT x FROM t ORDER BY 2", "ORDER_BY_POS_OUT_OF_RANGE"),
        ("SELECT x + DATE'2024-01-01' FROM t", "DATATYPE_MISMATCH.BINARY_OP_WRONG_TYPE"),
        ("SELECT x FROM t WHERE x", "DATATYPE_MISMATCH.UNEXPECTED_INPUT_TYPE"),
        ("SELECT upper() FROM t", "WRONG_NUM_ARGS.WITHOUT_SUGGESTION"),
        ("SELECT (SELECT x FROM t) FROM t", "SCALAR_SUBQUERY_TOO_MANY_ROWS"),
        ("SELECT x FROM t WHERE x = 'abc'", "CAST_INVALID_INPUT"),
    ],
)
def test_a_mistake_has_sparks_condition(ask: Any, sql: str, condition: str) -> None:
    assert failure(ask, sql, numbers([1, 2])).condition == condition


def test_an_explanation_names_sources_and_not_files(engine: Any, tmp_path: Path) -> None:
    pl.DataFrame({"x": [1, 2], "y": [3, 4]}).write_parquet(tmp_path / "secret.parquet")
    tables: Tables = {
        "t": (
            pl.scan_parquet(tmp_path / "secret.parquet"),
            (Column("x", "bigint"), Column("y", "bigint")),
        )
    }
    plan, relations = plan_for("SELECT x FROM t WHERE x > 1", tables)
    text = "\n".join(engine.prepare(plan, relations).explain())
    assert "main.default.t" in text
    assert "secret" not in text
    assert engine.name != "polars" or "1/2" in text


@pytest.mark.parametrize("word", ["OR", "AND"])
def test_conditions_of_hundreds_of_parts_run(ask: Any, word: str) -> None:
    tables = numbers([1, None, 500])
    parts = [f"x {'=' if word == 'OR' else '<>'} {number}" for number in range(300)]
    kept = [(1,)] if word == "OR" else [(500,)]
    chain = f" {word} ".join(parts)
    assert ask(select("x", f"FROM t WHERE {chain}"), tables).rows == kept
    assert ask(select(f"({chain}) AS y", "FROM t WHERE x = 500"), tables).rows == [(word == "AND",)]


def test_in_a_long_chain_too_what_may_fail_comes_after_what_decides(ask: Any) -> None:
    tables = numbers([0, 5])
    parts = [f"1 / x = {number}" for number in range(2, 30)]
    assert ask(select("x", f"FROM t WHERE x = 0 OR {' OR '.join(parts)}"), tables).rows == [(0,)]
    assert ask(select("x", f"FROM t WHERE {' OR '.join(parts)} OR x = 0"), tables).rows == [(0,)]


@pytest.mark.parametrize("word", ["UNION", "UNION ALL"])
def test_unions_of_a_hundred_queries_run(ask: Any, word: str) -> None:
    answer = ask(f" {word} ".join(f"SELECT {number} AS x" for number in range(100)))
    assert (answer.headings, sorted(answer.rows)) == (["x"], [(number,) for number in range(100)])


def test_a_part_of_a_short_chain_can_be_grouped_by(ask: Any) -> None:
    sql = "SELECT (x = 1 OR x = 2) OR false, count(*) FROM t GROUP BY x = 1 OR x = 2"
    assert sorted(ask(sql, numbers([1, 2, 3])).rows) == [(False, 1), (True, 2)]
