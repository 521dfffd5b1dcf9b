"""USING, OPTIONS, LOCATION and DIRECTORY, read before anything is looked up."""

from __future__ import annotations

import pytest

from flowcat_jupyter.catalog.planning.statements import parse, trees_of
from flowcat_jupyter.catalog.planning.using import FileTable, WriteDirectory
from flowcat_jupyter.catalog.planning.writes import CreateTable
from flowcat_jupyter.shared.errors import SqlError
from flowcat_jupyter.storage.patterns import alternatives, fixed_part, joined, split_paths


def table(text: str) -> FileTable:
    (statement,) = parse(text)
    assert isinstance(statement, FileTable)
    return statement


def test_everything_that_is_said_of_a_table_of_files_is_kept() -> None:
    made = table(
        "CREATE TABLE IF NOT EXISTS s.t (a INT COMMENT 'x', p STRING) USING CSV "
        "OPTIONS (header true, 'sep' = '|', maxColumns 5, PATH '/x') PARTITIONED BY (p) "
        "COMMENT 'c' TBLPROPERTIES ('k' = 'v', 'option.quote' = '~')"
    )
    assert (made.name.sql, made.format, made.location) == ("s.t", "csv", "/x")
    assert made.options == {"header": "true", "sep": "|", "maxColumns": "5"}
    assert [(c.name, c.type, c.comment) for c in made.columns] == [
        ("a", "int", "x"),
        ("p", "string", None),
    ]
    assert (made.partition_by, made.comment, made.if_not_exists) == (("p",), "c", True)
    assert made.properties == {"k": "v", "option.quote": "~"}


def test_a_location_alone_means_a_delta_table_that_is_there() -> None:
    assert table("CREATE TABLE t LOCATION '/x'").format == "delta"
    assert isinstance(parse("CREATE TABLE t (a INT)")[0], CreateTable)
    assert isinstance(parse("CREATE TABLE t USING delta AS SELECT 1 AS a")[0], CreateTable)


def test_a_query_in_it_may_name_parameters() -> None:
    made = table("CREATE TABLE t USING json AS SELECT :v AS a")
    assert len(trees_of(made)) == 1


def test_a_directory_is_read_word_by_word() -> None:
    (statement,) = parse(
        "INSERT OVERWRITE LOCAL DIRECTORY '/a''b' USING csv OPTIONS (header=true, n -1, a.b 'x') "
        "SELECT 1 AS a"
    )
    assert isinstance(statement, WriteDirectory)
    assert (statement.location, statement.format) == ("/a'b", "csv")
    assert statement.options == {"header": "true", "n": "-1", "a.b": "x"}
    assert statement.query.tree.sql() == "SELECT 1 AS a"


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("CREATE TABLE t USING csv OPTIONS (a 1, A 2)", "option A is given twice"),
        ("CREATE TABLE t USING csv OPTIONS (path '/a') LOCATION '/b'", "twice"),
        ("CREATE TABLE t USING csv CLUSTERED BY (a) INTO 2 BUCKETS", "CLUSTERED BY"),
        ("CREATE OR REPLACE TABLE t (a INT) USING csv", "CREATE OR REPLACE TABLE USING csv"),
        ("CREATE TABLE t (a INT) USING csv AS SELECT 1", "a list of columns and a query"),
        ("CREATE TABLE t (a INT DEFAULT 1) USING csv", "DEFAULT"),
        ("CREATE TABLE t (a INT) USING csv PARTITIONED BY (days(a))", "days(`a`)"),
        ("CREATE TABLE t (a INT) USING delta LOCATION '/x'", "LOCATION and columns"),
        ("CREATE TABLE t USING delta OPTIONS (speed 1) LOCATION '/x'", "speed"),
        ("INSERT OVERWRITE DIRECTORY '/x' USING csv OPTIONS header SELECT 1", "parentheses"),
        ("INSERT OVERWRITE DIRECTORY '/x' USING csv OPTIONS (a 1, a 2) SELECT 1", "given twice"),
        ("INSERT OVERWRITE DIRECTORY '/x' USING csv", "query is missing"),
    ],
)
def test_what_is_not_understood_is_named(text: str, named: str) -> None:
    with pytest.raises(SqlError) as caught:
        parse(text)
    assert named.lower() in caught.value.message.lower()
    assert caught.value.line == 1


def test_paths_are_several_where_commas_stand_outside_of_braces() -> None:
    assert split_paths("/a,/b/{x,y}.csv , /c[,]d") == ["/a", "/b/{x,y}.csv", "/c[,]d"]
    assert list(alternatives("/a/{b,c/{d,e}}.csv")) == ["/a/b.csv", "/a/c/d.csv", "/a/c/e.csv"]
    assert fixed_part("/a/b*/c") == "/a"
    assert fixed_part("/a/{b/c,d}/e") == "/a"
    assert fixed_part("/a/b") == "/a/b"
    with pytest.raises(Exception, match="line breaks"):
        joined(["/a\n/etc/passwd"])
