"""ALTER TABLE and COMMENT ON: what they ask for, and what is refused by name."""

from __future__ import annotations

import pytest

from flowcat_jupyter.catalog.planning.alter import AddColumns, Comment, RenameTable
from flowcat_jupyter.catalog.planning.statements import parse
from flowcat_jupyter.shared.errors import SqlError
from flowcat_jupyter.shared.wire import Column


@pytest.mark.parametrize(
    ("text", "columns", "if_exists", "if_missing"),
    [
        ("ALTER TABLE s.t ADD COLUMN a INT", (Column("a", "int"),), False, False),
        ("ALTER TABLE s.t ADD COLUMN IF NOT EXISTS a INT", (Column("a", "int"),), False, True),
        ("ALTER TABLE IF EXISTS s.t ADD COLUMN a INT", (Column("a", "int"),), True, False),
        (
            "ALTER TABLE s.t ADD COLUMNS (a INT COMMENT 'x', `b c` STRUCT<Xa: INT>)",
            (Column("a", "int", comment="x"), Column("b c", "struct<Xa:int>")),
            False,
            False,
        ),
    ],
)
def test_columns_are_added(
    text: str, columns: tuple[Column, ...], if_exists: bool, if_missing: bool
) -> None:
    (added,) = parse(text)
    assert isinstance(added, AddColumns)
    assert (added.name.parts, added.columns) == (("s", "t"), columns)
    assert (added.if_exists, added.if_missing) == (if_exists, if_missing)


@pytest.mark.parametrize("to", ["u", "s.u", "c.s.u"])
def test_a_table_is_renamed(to: str) -> None:
    (renamed,) = parse(f"ALTER TABLE t RENAME TO {to}")
    assert isinstance(renamed, RenameTable)
    assert renamed.to.parts == tuple(to.split("."))


@pytest.mark.parametrize(
    ("text", "what", "name", "comment"),
    [
        ("COMMENT ON TABLE c.s.t IS 'it''s'", "TABLE", ("c", "s", "t"), "it's"),
        ("COMMENT ON COLUMN t.`a b` IS 'x'", "COLUMN", ("t", "a b"), "x"),
        ("comment on schema c.s is ''", "SCHEMA", ("c", "s"), ""),
        ("COMMENT ON DATABASE s IS NULL", "SCHEMA", ("s",), None),
        ("COMMENT ON CATALOG c IS NULL", "CATALOG", ("c",), None),
        ("ALTER TABLE s.t ALTER COLUMN a COMMENT 'x'", "COLUMN", ("s", "t", "a"), "x"),
    ],
)
def test_comments_are_set_and_taken_away(
    text: str, what: str, name: tuple[str, ...], comment: str | None
) -> None:
    (asked,) = parse(text)
    assert isinstance(asked, Comment)
    assert (asked.what, asked.name, asked.text) == (what, name, comment)


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("ALTER TABLE t DROP COLUMN a", "DROP COLUMN a"),
        ("ALTER TABLE t DROP COLUMNS (a, b)", "DROP"),
        ("ALTER TABLE t RENAME COLUMN a TO b", "RENAME COLUMN a TO b"),
        ("ALTER TABLE t ALTER COLUMN a TYPE BIGINT", "BIGINT"),
        ("ALTER TABLE t ALTER COLUMN a SET NOT NULL", "NOT NULL"),
        ("ALTER TABLE t ALTER COLUMN a DROP NOT NULL", "NOT NULL"),
        ("ALTER TABLE t CHANGE COLUMN a a INT COMMENT 'x'", "ALTER TABLE"),
        ("ALTER TABLE t ADD COLUMN a INT NOT NULL", "NOT NULL"),
        ("ALTER TABLE t ADD COLUMN a INT DEFAULT 3", "DEFAULT"),
        ("ALTER TABLE t ADD COLUMN a INT FIRST", "at a place"),
        ("ALTER TABLE t ADD COLUMN a INT AFTER b", "at a place"),
        ("ALTER TABLE t ADD COLUMN a MAP<STRING, INT>", "map<string,int>"),
        ("ALTER TABLE t ADD CONSTRAINT c CHECK (a > 1)", "CHECK"),
        ("ALTER TABLE t DROP CONSTRAINT c", "CONSTRAINT c"),
        ("ALTER TABLE t SET TBLPROPERTIES ('a' = 'b')", "TBLPROPERTIES"),
        ("ALTER TABLE t ADD COLUMN s.f INT", "s.f"),
        ("ALTER TABLE t ADD COLUMN `` INT", "TABLE with"),
        ("ALTER TABLE t ADD COLUMN ` ` INT", "TABLE with"),
        ("ALTER VIEW v ADD COLUMN a INT", "ALTER VIEW"),
        ("ALTER TABLE :df ADD COLUMN a INT", ":df"),
        ("COMMENT ON FUNCTION f IS 'x'", "COMMENT ON FUNCTION"),
    ],
)
def test_what_is_not_done_is_refused_by_name(text: str, named: str) -> None:
    with pytest.raises(SqlError) as failed:
        parse(text)
    assert failed.value.condition == "UNSUPPORTED_FEATURE.TABLE_OPERATION"
    assert named in failed.value.message


@pytest.mark.parametrize(
    "text",
    [
        "COMMENT",
        "COMMENT ON TABLE t",
        "COMMENT ON TABLE t IS",
        "COMMENT ON TABLE t IS x",
        "COMMENT ON TABLE t IS 'a' 'b'",
        "COMMENT ON TABLE a.b.c.d IS 'x'",
        "COMMENT ON COLUMN a IS 'x'",
        "COMMENT ON CATALOG a.b IS 'x'",
    ],
)
def test_what_is_no_comment_is_told_at_its_place(text: str) -> None:
    with pytest.raises(SqlError) as failed:
        parse(text)
    assert failed.value.condition == "PARSE_SYNTAX_ERROR"
    assert failed.value.line == 1
