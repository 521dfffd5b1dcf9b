"""Texts that people write and engines read in other ways: one answer each, or a plain refusal."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.live import LiveServer


@pytest.mark.parametrize(
    ("query", "condition", "words"),
    [
        ("WITH a AS (SELECT 1 AS x), A AS (SELECT 2 AS x) SELECT * FROM a", "DUPLICATED", "two"),
        ("SELECT * EXCEPT (x) FROM (SELECT 1 AS x) t", "UNSUPPORTED", "leaves no column"),
        ("SELECT ?", "UNBOUND_SQL_PARAMETER", "has no name"),
        ("SELECT now() AT TIME ZONE 'Asia/Tokyo'", "UNSUPPORTED", "AT TIME ZONE"),
        ("SELECT \u2018x\u2019", "UNRESOLVED_COLUMN", "no column"),
        ("SELECT 1 LIMIT -1", "INVALID_LIMIT", "negative"),
        ("SELECT 1 LIMIT NULL", "INVALID_LIMIT", "whole number"),
        ("-- todo", "PARSE_EMPTY_STATEMENT", "nothing to run"),
        ("SELECT 1 WHERE y--1 = 3", "PARSE_SYNTAX_ERROR", "a comment"),
        ("ALTER TABLE demo.nyc.flights SET LOCATION '/x'", "UNSUPPORTED", "nothing was changed"),
        (
            "CREATE VIEW demo.nyc.flights AS SELECT 1 AS a",
            "TABLE_OR_VIEW_ALREADY",
            "already a table",
        ),
    ],
)
def test_a_text_that_cannot_mean_anything_is_refused_by_name(
    server: LiveServer, query: str, condition: str, words: str
) -> None:
    reply = server.try_sql(query)
    assert reply.status == 400, reply.body
    assert reply.json["condition"].startswith(condition)
    assert words in reply.json["message"]


def test_a_hint_on_a_curly_quote_points_at_no_wrong_place(server: LiveServer) -> None:
    hint = server.try_sql("SELECT 1,\n  \u2018x\u2019").json["hint"]
    assert "curly quote" in hint
    assert "ine 1" not in hint


@pytest.mark.parametrize(
    ("query", "headings", "rows"),
    [
        ("SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY id), nvl(NULL,id+1) FROM range(3) "
         "GROUP BY id HAVING id = 1",
         ["percentile_cont(0.5) WITHIN GROUP (ORDER BY id)", "nvl(NULL,id+1)"], [[1.0, 2]]),
        ("/* a /* b */ c */ SELECT ';' AS s, '--no' AS c;", ["s", "c"], [[";", "--no"]]),
        ("SELECT 7/2, -7/2, 7 DIV 2, 7 % -3", ["7/2", "-7/2", "7 DIV 2", "7 % -3"],
         [[3.5, -3.5, 3, 1]]),
        ("SELECT id FROM range(3) LIMIT 9223372036854775807", ["id"], [[0], [1], [2]]),
        ("SELECT id FROM range(3) LIMIT 1 OFFSET 5", ["id"], []),
        ("SELECT id AS x, id AS x FROM range(1)", ["x", "x"], [[0, 0]]),
    ],
)  # fmt: skip
def test_a_text_has_its_own_headings_and_rows(
    server: LiveServer, query: str, headings: list[str], rows: list[Any]
) -> None:
    found = server.sql(query)
    assert [column["name"] for column in found["columns"]] == headings
    assert found["rows"] == rows
