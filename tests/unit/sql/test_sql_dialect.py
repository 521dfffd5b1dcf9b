"""Reading SQL: statements of a text, trees with places, refusals, other dialects."""

from __future__ import annotations

import json
import subprocess
import sys
import time

import pytest
from sqlglot import exp

from flowcat_jupyter.shared import wire
from flowcat_jupyter.shared.errors import NotFound, SqlError
from flowcat_jupyter.sql.dialect import DIALECTS, House, parse_statement, position, split
from flowcat_jupyter.sql.tree import dump_tree, load_tree


def failure(text: str, dialect: str = "house") -> SqlError:
    with pytest.raises(SqlError) as failed:
        for piece in split(text, dialect):
            parse_statement(piece, dialect)
    return failed.value


def test_statements_are_split_where_a_semicolon_ends_one() -> None:
    text = (
        "CREATE TABLE x AS SELECT 1 AS a; -- note; with semicolon\n SELECT ';' AS s, '--no' AS c;"
    )
    first, second = split(text)
    assert first.text == "CREATE TABLE x AS SELECT 1 AS a"
    assert second.text == "SELECT ';' AS s, '--no' AS c"
    assert (second.line, second.column) == (2, 2)
    assert text[second.offset :].startswith("SELECT ';'")


def test_a_bound_value_has_its_place() -> None:
    (piece,) = split("SELECT a\nFROM t WHERE b = 1 AND :code = c")
    (value,) = parse_statement(piece).find_all(exp.Placeholder)
    assert position(piece, value)[0] == 2
    assert piece.text.splitlines()[1][position(piece, value)[1] - 1 :].startswith("code = c")


def test_a_byte_order_mark_before_the_first_statement_is_passed_over() -> None:
    (piece,) = split("\ufeffSELECT 1")
    assert (piece.text, piece.column) == ("SELECT 1", 2)


def test_many_statements_are_split_in_one_pass_each_at_its_place() -> None:
    text = "SELECT 1;\nSELECT 'a\nb'; SELECT 3;\n" * 10_000
    began = time.process_time()
    pieces = split(text)
    assert time.process_time() - began < 20
    assert [(p.line, p.column) for p in pieces[:4]] == [(1, 1), (2, 1), (3, 5), (4, 1)]
    assert [(p.line, p.column) for p in pieces[-2:]] == [(29_999, 1), (30_000, 5)]
    assert text[pieces[-1].offset :].startswith(pieces[-1].text)


@pytest.mark.parametrize("text", ["", "  \n", ";;", "-- todo", "/* a */", ";-- x\n;"])
def test_a_text_without_a_statement_has_no_pieces(text: str) -> None:
    assert split(text) == ()


def test_comments_nest_and_lines_may_end_as_on_windows() -> None:
    (piece,) = split("/* a /* b */ c */ SELECT\r\n 1")
    assert parse_statement(piece).find(exp.Literal) is not None


@pytest.mark.parametrize(
    ("text", "place"),
    [("SELECT 'abc", (1, 8)), ("SELECT 1,\n  `a", (2, 3)), ("SELECT 1 /* x", (1, 10))],
)
def test_an_open_quote_or_comment_is_placed(text: str, place: tuple[int, int]) -> None:
    error = failure(text)
    assert (error.condition, error.sqlstate) == ("PARSE_SYNTAX_ERROR", "42601")
    assert (error.line, error.column) == place


def test_a_mistake_is_placed_in_the_whole_text() -> None:
    error = failure("SELECT 1;\n\n  SELECT 2 +")
    assert (error.line, error.column) == (3, 12)


def test_nodes_are_placed_in_the_whole_text() -> None:
    piece = split("SELECT 1;\n  SELECT abc,\n nvl(x, 1) FROM t")[1]
    tree = parse_statement(piece)
    assert isinstance(tree, exp.Select)
    first, second = tree.expressions
    assert position(piece, first) == (2, 10)
    assert position(piece, second) == (3, 2)


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("SELECT \u2018a\u2019 FROM t x y", "curly quote"),
        ("SELECT\u00a01 FROM t x y", "non-breaking space"),
        ("SELECT y--1 = 3", "`y--1`"),
        ("SELECT {{ day }}", ":name"),
        ("SELECT $day", ":name"),
        ("SELECT * FROM t@v3", "VERSION AS OF"),
    ],
)
def test_what_is_easily_mistyped_gets_a_hint(text: str, hint: str) -> None:
    assert hint in str(failure(text).hint)


def test_commands_are_refused_by_name_and_quietly(caplog: pytest.LogCaptureFixture) -> None:
    error = failure("SELECT 1;\nVACUUM t")
    assert error.condition == "UNSUPPORTED_FEATURE"
    assert "VACUUM" in error.message
    assert (error.line, error.column) == (2, 1)
    assert not caplog.records


def test_strings_know_both_escapes_and_identifiers_both_quotes() -> None:
    tree = parse_statement(r"""SELECT 'it\'s', 'it''s', 'a\nb', r'a\d', `a b`, "c d" """)
    assert isinstance(tree, exp.Select)
    assert [item.name for item in tree.expressions] == [
        "it's",
        "it's",
        "a\nb",
        "a\\d",
        "a b",
        "c d",
    ]


def test_functions_keep_the_names_that_were_typed() -> None:
    tree = parse_statement("SELECT iff(a, 1, 2), array(1, 2)[0] FROM t")
    assert [item.this for item in tree.find_all(exp.Anonymous)] == ["iff", "array"]


@pytest.mark.parametrize(
    ("dialect", "text", "meaning"),
    [
        ("duckdb", "SELECT a::INT FROM t", "SELECT CAST(a AS INT) FROM t"),
        ("tsql", "SELECT TOP 3 * FROM [my t]", "SELECT * FROM `my t` LIMIT 3"),
        ("postgres", "SELECT 7/2", "SELECT __typed_divide(7, 2)"),
        ("snowflake", "SELECT IFF(a, 1, 2) FROM t", "SELECT IF(a, 1, 2) FROM t"),
    ],
)
def test_other_dialects_become_the_house_dialect(dialect: str, text: str, meaning: str) -> None:
    tree = parse_statement(text, dialect)
    assert parse_statement(meaning).sql(dialect=House) == tree.sql(dialect=House)


def test_an_unknown_dialect_is_not_found() -> None:
    assert DIALECTS[0] == "house"
    with pytest.raises(NotFound):
        parse_statement("SELECT 1", "klingon")


def test_a_tree_survives_the_wire_with_its_places() -> None:
    tree = parse_statement("WITH a AS (SELECT 1) SELECT x, count(*) FROM a GROUP BY 1")
    plan = wire.QueryPlan(dump_tree(tree), (), (), "")
    back = wire.decode(json.loads(json.dumps(wire.encode(plan))))
    loaded = load_tree(back.tree)
    assert loaded == tree
    places = [node.meta for node in loaded.walk() if node.meta]
    assert places == [node.meta for node in tree.walk() if node.meta]


def test_reading_and_lowering_import_no_frames() -> None:
    code = (
        "import sys, flowcat_jupyter.sql.lowering\n"
        "print([m for m in ('polars', 'duckdb', 'pyarrow', 'deltalake') if m in sys.modules])"
    )
    found = subprocess.run(  # noqa: S603
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert found.stdout.strip() == "[]"
