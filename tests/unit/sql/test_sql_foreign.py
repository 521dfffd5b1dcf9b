"""Statements of other dialects say the same in the house dialect, or are refused."""

from __future__ import annotations

import pytest

from flowcat_jupyter.shared.errors import SqlError
from flowcat_jupyter.sql.dialect import parse_statement


@pytest.mark.parametrize(
    ("dialect", "text", "what"),
    [
        ("clickhouse", "SELECT a FROM t PREWHERE a > 1", "PREWHERE in SELECT"),
        ("clickhouse", "SELECT a FROM t LIMIT 1 BY a", "LIMIT BY"),
        ("clickhouse", "SELECT a, sum(b) FROM t GROUP BY a WITH TOTALS", "TOTALS in GROUP"),
        ("clickhouse", "SELECT a FROM t FINAL", "no equal in the house dialect"),
        ("clickhouse", "SELECT a FROM t ORDER BY a WITH FILL", "WITH FILL in ORDER BY"),
        ("clickhouse", "SELECT a FROM t SETTINGS x = 1", "SETTINGS in SELECT"),
        ("postgres", "SELECT a FROM t ORDER BY a FETCH FIRST 1 ROWS WITH TIES", "WITH TIES"),
        ("postgres", "SELECT a FROM ONLY t", "ONLY in TABLE"),
        ("postgres", "SELECT a FROM t FOR UPDATE", "LOCKS in SELECT"),
        ("tsql", "SELECT TOP 10 PERCENT a FROM t", "PERCENT"),
        ("tsql", "SELECT a FROM t FOR XML PATH", "FOR in SELECT"),
        ("duckdb", "SELECT a FROM t UNION BY NAME SELECT a FROM t", "BY NAME in UNION"),
        ("duckdb", "SELECT a FROM t LIMIT 10%", "PERCENT"),
        ("oracle", "SELECT a FROM t CONNECT BY PRIOR a = b", "CONNECT in SELECT"),
        ("oracle", "SELECT a FROM t, u WHERE t.a = u.a(+)", "join mark"),
        ("oracle", "SELECT CAST(a AS INT DEFAULT 0 ON CONVERSION ERROR) FROM t", "DEFAULT in CAST"),
        ("snowflake", "SELECT a FROM t AT (OFFSET => -60)", "WHEN in TABLE"),
        ("bigquery", "SELECT AS STRUCT a FROM t", "KIND in SELECT"),
        ("mysql", "SELECT a FROM t PARTITION (p0)", "PARTITION in TABLE"),
    ],
)
def test_what_would_be_left_out_of_the_translation_is_refused(dialect, text, what):
    with pytest.raises(SqlError) as caught:
        parse_statement(text, dialect)
    assert caught.value.condition == "UNSUPPORTED_FEATURE"
    assert what in caught.value.message
    assert (caught.value.line, caught.value.column) == (1, 1)


@pytest.mark.parametrize(
    ("dialect", "text"),
    [
        ("postgres", "WITH x AS MATERIALIZED (SELECT 1 AS a) SELECT DISTINCT ON (a) a FROM x"),
        ("duckdb", "FROM t SELECT * EXCLUDE (a) QUALIFY row_number() OVER (ORDER BY b) = 1"),
        ("tsql", "SELECT TOP 3 [a b] FROM t WITH (NOLOCK) ORDER BY 1"),
        ("mysql", "SELECT `a` FROM t FORCE INDEX (i) LIMIT 1, 2"),
        ("bigquery", "SELECT a FROM t, UNNEST([1, 2]) AS u GROUP BY ALL HAVING count(*) > 1"),
        ("snowflake", "SELECT t.a FROM t LEFT JOIN u USING (a) UNION ALL SELECT 1 ORDER BY 1"),
        ("clickhouse", "SELECT a, sum(b) FROM t GROUP BY ROLLUP (a) ORDER BY a NULLS LAST LIMIT 2"),
        ("oracle", "SELECT /*+ FULL(t) */ a FROM t OFFSET 1 ROWS FETCH NEXT 2 ROWS ONLY"),
    ],
)
def test_what_the_house_dialect_can_say_is_translated(dialect, text):
    assert parse_statement(text, dialect)
