"""Words that the parser has no place for: blanks in what it reads, everything else in its place."""

from __future__ import annotations

import pytest

from flowcat_jupyter.catalog.planning.asides import evolves, plainer, replaces, unless_there
from flowcat_jupyter.catalog.planning.statements import parse
from flowcat_jupyter.catalog.planning.words import words_of
from flowcat_jupyter.shared.errors import SqlError
from flowcat_jupyter.sql.dialect import Piece


def piece(text: str) -> Piece:
    return Piece(text, 0, 1, 1)


def plain(text: str) -> str:
    return plainer(piece(text), words_of(text)).text


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("MERGE WITH SCHEMA EVOLUTION INTO t", "MERGE                       INTO t"),
        ("insert with schema evolution into t", "insert                       into t"),
        (
            "INSERT OVERWRITE t PARTITION (a = (1)) IF NOT EXISTS SELECT 1",
            "INSERT OVERWRITE t PARTITION (a = (1))               SELECT 1",
        ),
        ("REPLACE TABLE t AS SELECT 1", "CREATE  TABLE t AS SELECT 1"),
        ("SELECT * FROM t SYSTEM_VERSION AS OF 1", "SELECT * FROM t VERSION        AS OF 1"),
    ],
)
def test_a_word_gives_way_to_blanks(text: str, read: str) -> None:
    assert plain(text) == read
    assert len(plain(text)) == len(text)


@pytest.mark.parametrize(
    "text",
    [
        "SELECT 'WITH SCHEMA EVOLUTION'",
        "CREATE TABLE IF NOT EXISTS t AS SELECT 1",
        "INSERT INTO t SELECT if(NOT EXISTS (SELECT 1), 1, 2)",
        "INSERT INTO t SELECT (1) IF NOT EXISTS",
        "WITH a AS (SELECT 1) SELECT 1",
        "SELECT replace, table FROM t",
    ],
)
def test_words_that_mean_something_else_stay(text: str) -> None:
    assert plain(text) == text
    assert not (evolves(piece(text)) or unless_there(piece(text)) or replaces(piece(text)))


def test_an_error_after_such_words_points_at_the_text_as_it_was_written() -> None:
    with pytest.raises(SqlError) as failed:
        parse("MERGE WITH SCHEMA EVOLUTION INTO t\nUSING u ON t.a = u.a\nWHEN SOMETIMES")
    assert failed.value.line == 3


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("INSERT INTO t PARTITION (a = b) SELECT 1", "no constant"),
        ("INSERT INTO t PARTITION (a = 1) IF NOT EXISTS SELECT 1", "INSERT OVERWRITE"),
        ("INSERT INTO t REPLACE WHERE SELECT 1", "needs a condition"),
        ("INSERT WITH SCHEMA EVOLUTION INTO t SELECT 1", "by position"),
        ("INSERT OVERWRITE t REPLACE WHERE a = 1 SELECT 1", "REPLACE WHERE"),
    ],
)
def test_what_cannot_be_meant_is_told(text: str, told: str) -> None:
    with pytest.raises(SqlError, match=told):
        parse(text)
