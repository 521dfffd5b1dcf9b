"""What belongs at a cursor in statements that change something."""

import pytest

from flowcat_jupyter.catalog.planning.cursor import Cursor, read_cursor
from flowcat_jupyter.catalog.planning.expected import MOST_WORDS


def at(text: str) -> Cursor:
    """The cursor at the bar, which is not part of the text."""
    position = text.index("|")
    return read_cursor(text.replace("|", "", 1), position)


MERGE = "MERGE INTO t USING s ON t.a = s.a"
KINDS = {
    "relation": (
        "INSERT INTO |",
        "INSERT INTO s|",
        "INSERT OVERWRITE TABLE demo.|",
        "CREATE OR REPLACE TABLE |",
        "DROP TABLE IF EXISTS |",
        "DROP VIEW |",
        "ALTER TABLE |",
        "OPTIMIZE |",
        "TRUNCATE TABLE |",
        "DELETE FROM |",
        "UPDATE |",
        "MERGE INTO |",
        "MERGE INTO t AS x USING |",
        "MERGE INTO t USING (SELECT a FROM |",
        "SHOW COLUMNS IN |",
        "DESCRIBE HISTORY de|",
        "INSERT INTO t SELECT a FROM |",
        "DELETE FROM t WHERE a IN (SELECT a FROM |",
    ),
    "schema": (
        "DROP SCHEMA l|",
        "drop schema if exists |",
        "CREATE TABLE |",
        "SHOW TABLES IN |",
        "DESCRIBE SCHEMA |",
    ),
    "catalog": ("CREATE SCHEMA |", "SHOW SCHEMAS IN |"),
    "target column": (
        "INSERT INTO t (|",
        "INSERT INTO t (a, `b c`, d|",
        "UPDATE t SET |",
        "UPDATE demo.x.t AS u SET a = coalesce(a, 1), |",
        f"{MERGE} WHEN MATCHED THEN UPDATE SET |",
        f"{MERGE} WHEN MATCHED AND s.b > 1 THEN UPDATE SET a = 1, |",
        f"{MERGE} WHEN NOT MATCHED THEN INSERT (a, |",
    ),
    "column": ("CREATE TABLE x PARTITIONED BY (| ) AS SELECT * FROM t",),
    "any": (
        "INSERT INTO t SELECT |",
        "INSERT INTO t (SELECT |",
        "UPDATE t SET a = |",
        "UPDATE t SET a = coalesce(b, |",
        "UPDATE t SET a = 1, b = 2 WHERE a, |",
        "DELETE FROM t WHERE |",
        "CREATE TABLE x AS SELECT |",
        f"{MERGE} AND |",
        f"{MERGE} WHEN MATCHED THEN UPDATE SET a = |",
        " ".join((MERGE, "WHEN NOT MATCHED THEN INSERT (a) VALUES (|")),
        "SELECT a FROM t ORDER BY a DESC |",
    ),
}


@pytest.mark.parametrize(("kind", "text"), [(k, t) for k, texts in KINDS.items() for t in texts])
def test_a_place_takes_one_kind_of_thing(kind: str, text: str):
    assert at(text).wants.kind == kind


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("|", "INSERT INTO"),
        ("SELECT 1; MER|", "MERGE INTO"),
        ("CREATE TABLE x PARTI|", "PARTITIONED BY"),
        ("CREATE TABLE x PARTITIONED |", "BY"),
        ("CREATE TABLE x PARTITIONED BY (a) |", "AS SELECT"),
        ("CREATE TABLE x USING delta COMMENT 'y' |", "AS SELECT"),
        ("CREATE TABLE x USING |", "DELTA"),
        ("CREATE TABLE |", "IF NOT EXISTS"),
        ("CREATE VIEW x |", "AS SELECT"),
        ("CREATE OR REPLACE |", "VIEW"),
        ("ALTER TABLE x |", "ADD COLUMN"),
        ("VACUUM x |", "DRY RUN"),
        ("RESTORE TABLE x |", "TO VERSION AS OF"),
        ("CREATE OR |", "REPLACE TABLE"),
        ("DROP SCHEMA x |", "CASCADE"),
        ("INSERT INTO t B|", "BY NAME"),
        ("INSERT INTO t BY |", "NAME"),
        ("INSERT INTO t (a, b) |", "VALUES"),
        ("DELETE FROM t x |", "WHERE"),
        ("UPDATE t |", "SET"),
        ("MERGE INTO t x |", "USING"),
        ("MERGE INTO t USING (SELECT f(1)) AS s |", "ON"),
        (f"{MERGE} |", "WHEN MATCHED THEN"),
        (f"{MERGE} WHEN |", "NOT MATCHED BY SOURCE"),
        (f"{MERGE} WHEN MATCHED AND s.b > 1 THEN |", "UPDATE SET"),
        (f"{MERGE} WHEN MATCHED THEN DELETE WHEN NOT MATCHED THEN |", "INSERT *"),
        (f"{MERGE} WHEN NOT MATCHED BY SOURCE THEN |", "DELETE"),
        (f"{MERGE} WHEN NOT MATCHED THEN INSERT (a) |", "VALUES"),
    ],
)
def test_the_words_that_go_on_are_known(text: str, word: str):
    assert word in at(text).wants.keywords


def test_words_of_a_merge_are_not_proposed_in_a_case():
    assert "UPDATE SET" not in at(f"{MERGE} AND CASE WHEN s.b > 1 THEN |").wants.keywords
    assert "INSERT" not in at(f"{MERGE} WHEN MATCHED THEN |").wants.keywords
    assert "MATCHED" not in at(f"{MERGE} AND CASE WHEN |").wants.keywords
    assert (
        "DELETE"
        in at(f"{MERGE} WHEN MATCHED AND CASE WHEN s.b THEN 1 END = 1 THEN |").wants.keywords
    )


def test_what_a_statement_changes_is_told_from_what_it_reads():
    insert = at("INSERT INTO demo.t SELECT | FROM s")
    assert (insert.target, insert.scope) == (("demo", "t"), (("s", ("s",)),))
    update = at("UPDATE t AS x SET |")
    assert (update.target, update.scope) == (("t",), (("x", ("t",)),))
    merge = at("MERGE INTO t USING demo.s AS y ON | WHEN MATCHED THEN DELETE")
    assert (merge.target, merge.scope) == (("t",), (("t", ("t",)), ("y", ("demo", "s"))))
    assert at("DELETE FROM t WHERE |").scope == (("t", ("t",)),)
    assert at("INSERT INTO TABLE t (|").target == ("t",)


@pytest.mark.parametrize(
    "text", ["INSERT|", "UPDATE|", "MERGE |", "INSERT INTO|", "INSERT . |", ")|"]
)
def test_what_has_hardly_begun_is_no_error(text: str):
    assert at(text).target == ()


def test_a_statement_too_long_to_be_looked_at_takes_anything():
    long = ", c = 1" * MOST_WORDS
    assert at("".join(("UPDATE t SET a = 1", long, ", |"))).wants.kind == "any"
    assert at("(" * 50_000 + "|").wants.kind == "any"
