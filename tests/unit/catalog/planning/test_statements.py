import time

import pytest

from flowcat_jupyter.catalog.planning import places
from flowcat_jupyter.catalog.planning.describing import Describe
from flowcat_jupyter.catalog.planning.showing import Show
from flowcat_jupyter.catalog.planning.statements import Select, parse
from flowcat_jupyter.shared.errors import SqlError
from flowcat_jupyter.sql.dialect import MAX_TOKENS


def test_a_query_becomes_a_tree_and_keeps_its_text():
    (statement,) = parse("SELECT 1 AS one -- why not\n")
    assert isinstance(statement, Select)
    assert not statement.explain
    assert statement.piece.text.startswith("SELECT 1")


def test_statements_are_split_at_semicolons_outside_strings_and_comments():
    parsed = parse("SELECT ';' AS s; -- a; b\nSELECT 2")
    assert [type(statement) for statement in parsed] == [Select, Select]


def test_explain_explains_no_explain_however_many_there_are():
    began = time.process_time()
    with pytest.raises(SqlError, match="EXPLAIN of EXPLAIN"):
        parse("EXPLAIN " * 10_000 + "SELECT 1")
    assert time.process_time() - began < 5


def test_a_text_of_very_many_statements_is_refused_before_any_is_read():
    with pytest.raises(SqlError, match="at most 1,000 statements") as caught:
        parse("SELECT 1;" * 1001)
    assert caught.value.condition == "STATEMENT_TOO_LARGE"
    assert len(parse("SELECT 1;" * 1000)) == 1000


@pytest.mark.parametrize("text", ["", "   ", "-- only a comment", ";;", "/* a */"])
def test_nothing_to_run_says_so(text):
    with pytest.raises(SqlError, match="nothing to run") as caught:
        parse(text)
    assert caught.value.condition == "PARSE_EMPTY_STATEMENT"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("SHOW CATALOGS", ("CATALOGS", (), None)),
        ("show schemas in demo", ("SCHEMAS", ("demo",), None)),
        ("SHOW DATABASES FROM `my cat` LIKE 'n*'", ("SCHEMAS", ("my cat",), "n*")),
        ("SHOW TABLES", ("TABLES", (), None)),
        ("SHOW TABLES IN demo.nyc LIKE 'f*|p*'", ("TABLES", ("demo", "nyc"), "f*|p*")),
        ("SHOW TABLES 'f*'", ("TABLES", (), "f*")),
        ("SHOW COLUMNS IN demo.nyc.flights", ("COLUMNS", ("demo", "nyc", "flights"), None)),
    ],
)
def test_show_is_read(text, expected):
    (statement,) = parse(text)
    assert isinstance(statement, Show)
    assert (statement.what, statement.within, statement.like) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("DESCRIBE t", ("TABLE", ("t",), False)),
        ("DESC TABLE EXTENDED a.b.t", ("TABLE", ("a", "b", "t"), True)),
        ("DESCRIBE SCHEMA demo.nyc", ("SCHEMA", ("demo", "nyc"), False)),
        ("DESCRIBE HISTORY demo.nyc.flights", ("HISTORY", ("demo", "nyc", "flights"), False)),
        ("DESCRIBE table", ("TABLE", ("table",), False)),
        ("DESCRIBE history.t", ("TABLE", ("history", "t"), False)),
        ('DESCRIBE "a ""b"""', ("TABLE", ('a "b"',), False)),
    ],
)
def test_describe_is_read(text, expected):
    (statement,) = parse(text)
    assert isinstance(statement, Describe)
    assert (statement.what, statement.name, statement.extended) == expected


@pytest.mark.parametrize(
    "text",
    [
        "GRANT SELECT ON t TO u",
        "COPY t TO '/x'",
        "ANALYZE TABLE t COMPUTE STATISTICS",
        "PRAGMA database_list",
        "ATTACH '/x.db'",
    ],
)
def test_what_is_not_a_query_is_refused_by_name_and_never_runs(text):
    with pytest.raises(SqlError) as caught:
        parse(text)
    error = caught.value
    assert error.condition == "UNSUPPORTED_FEATURE.TABLE_OPERATION"
    assert text.split()[0] in error.message
    assert "nothing was changed" in error.message
    assert (error.line, error.column) == (1, 1)


def test_explain_gates_the_statement_inside():
    (statement,) = parse("EXPLAIN SELECT 1")
    assert isinstance(statement, Select)
    assert statement.explain
    with pytest.raises(SqlError, match="DELETE is not supported"):
        parse("EXPLAIN DELETE FROM t")
    with pytest.raises(SqlError, match="EXPLAIN needs a query"):
        parse("EXPLAIN")


def test_a_failure_among_several_says_which_and_where():
    with pytest.raises(SqlError, match=r"Statement 2, line 3: ANALYZE is not supported") as caught:
        parse("SELECT 1;\n\n  ANALYZE TABLE t")
    assert (caught.value.line, caught.value.column) == (3, 3)


def test_a_syntax_error_has_its_place():
    with pytest.raises(SqlError) as caught:
        parse("SELECT *\nFORM t")
    assert caught.value.condition == "PARSE_SYNTAX_ERROR"
    assert caught.value.line == 2


def test_a_word_too_many_after_show_is_an_error():
    with pytest.raises(SqlError, match="BANANAS") as caught:
        parse("SHOW TABLES IN demo BANANAS")
    assert caught.value.column == len("SHOW TABLES IN demo ") + 1


def test_places_count_lines_and_columns_from_one():
    (statement,) = parse("\n\nSELECT 1,\n  2")
    piece = statement.piece
    assert places.place(piece, piece.text.index("2")) == (4, 3)


@pytest.mark.parametrize("text", ["selec", "1 + 1", "'x'", "(1)", "f(x)", "a AS b"])
def test_an_expression_is_no_statement_and_the_error_says_how_one_begins(text):
    with pytest.raises(SqlError) as caught:
        parse(text)
    assert caught.value.condition == "PARSE_SYNTAX_ERROR"
    assert "SELECT" in f"{caught.value} {caught.value.hint}"


@pytest.mark.parametrize("text", ["SELECT", "SELECT FROM t", "SELECT 1 WHERE 1 IN (SELECT FROM t)"])
def test_a_select_of_nothing_is_an_error(text):
    with pytest.raises(SqlError) as caught:
        parse(text)
    assert caught.value.condition == "PARSE_SYNTAX_ERROR"


def test_a_text_of_very_many_words_is_refused_before_it_is_parsed():
    text = "SELECT 1 IN (" + ", ".join(map(str, range(MAX_TOKENS // 2))) + ")"
    with pytest.raises(SqlError) as caught:
        parse(text)
    assert caught.value.condition == "STATEMENT_TOO_LARGE"
    assert "frame" in (caught.value.hint or "")


@pytest.mark.parametrize(
    ("text", "column"),
    [("SELECT a, FROM t", 9), ("SELECT coalesce(a, )", 18), ("SELECT 1 IN (1,, 2)", 15)],
)
def test_a_comma_with_nothing_after_it_is_refused_at_its_place(text, column):
    with pytest.raises(SqlError, match="comma") as caught:
        parse(text)
    assert (caught.value.condition, caught.value.column) == ("PARSE_SYNTAX_ERROR", column)
