"""ALTER TABLE and COMMENT ON: what they ask for, and what is refused by name."""

from __future__ import annotations

from typing import Any

import pytest

from flowcat_jupyter.catalog.planning.alter import AddColumns, Comment, RenameTable
from flowcat_jupyter.catalog.planning.redefining import Redefine, Reshape
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
        ("ALTER TABLE t DROP COLUMN a.b", "DROP COLUMN with a.b"),
        ("ALTER TABLE t RENAME COLUMN a.b TO c", "RENAME COLUMN with a.b"),
        ("ALTER TABLE t ALTER COLUMN a.b FIRST", "ALTER COLUMN of a field"),
        ("ALTER TABLE t ALTER COLUMN a TYPE VARCHAR(3)", "VARCHAR"),
        ("ALTER TABLE t DROP CONSTRAINT c CASCADE", "CASCADE"),
        ("ALTER TABLE t ADD CONSTRAINT c PRIMARY KEY (a)", "PRIMARY KEY"),
        ("ALTER TABLE t SET LOCATION '/x'", "LOCATION"),
        ("ALTER TABLE t SET SERDE 'x'", "SERDE"),
        ("ALTER TABLE t UNSET TBLPROPERTIES ()", "UNSET TBLPROPERTIES"),
        ("ALTER TABLE t ADD COLUMN a INT NOT NULL", "NOT NULL"),
        ("ALTER TABLE t ADD COLUMN a INT DEFAULT 3", "DEFAULT"),
        ("ALTER TABLE t ADD COLUMN a INT CHECK (a > 1)", "CHECK"),
        ("ALTER TABLE t ADD COLUMN a MAP<STRING, INT>", "map<string,int>"),
        ("ALTER TABLE t ADD COLUMN s.f INT", "of a field"),
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


def read(text: str) -> Any:
    (asked,) = parse(text)
    return asked


def test_what_is_said_of_a_table_is_read() -> None:
    check = read("ALTER TABLE IF EXISTS s.t ADD CONSTRAINT Small CHECK (a < 3)")
    assert isinstance(check, Redefine)
    assert (check.if_exists, list(check.checks), check.what) == (True, ["small"], "ADD CONSTRAINT")
    gone = read("ALTER TABLE t DROP CONSTRAINT IF EXISTS c")
    assert (gone.dropped, gone.lenient) == (("c",), True)
    assert read("ALTER TABLE t ALTER COLUMN a SET NOT NULL").required == {"a": True}
    assert read("ALTER TABLE t ALTER COLUMN a DROP NOT NULL").required == {"a": False}
    assert read("ALTER TABLE t ALTER COLUMN a SET DEFAULT -1.5").defaults == {"a": "-1.5"}
    assert read("ALTER TABLE t ALTER COLUMN a SET DEFAULT now()").defaults == {
        "a": "current_timestamp()"
    }
    assert read("ALTER TABLE t ALTER COLUMN a DROP DEFAULT").defaults == {"a": None}
    assert read("ALTER TABLE t SET TBLPROPERTIES ('a' = 'b', c.d = 3)").properties == {
        "a": "b",
        "c.d": "3",
    }
    unset = read("ALTER TABLE c.s.t UNSET TBLPROPERTIES IF EXISTS ('a', c.d)")
    assert (unset.properties, unset.lenient) == ({"a": None, "c.d": None}, True)
    assert unset.name.parts == ("c", "s", "t")


def test_other_columns_are_read() -> None:
    dropped = read("ALTER TABLE t DROP COLUMNS IF EXISTS (a, `b c`)")
    assert isinstance(dropped, Reshape)
    assert (dropped.dropped, dropped.lenient) == (("a", "b c"), True)
    assert read("ALTER TABLE t RENAME COLUMN a TO `b c`").renamed == (("a", "b c"),)
    assert read("ALTER TABLE t ALTER COLUMN a TYPE BIGINT").types == (("a", "bigint"),)
    changed = read("ALTER TABLE t CHANGE COLUMN a b INT COMMENT 'x'")
    assert (changed.renamed, changed.types, changed.comments) == (
        (("a", "b"),),
        (("a", "int"),),
        (("a", "x"),),
    )
    assert read("ALTER TABLE t ALTER COLUMN a FIRST").places == (("a", None),)
    assert read("ALTER TABLE t CHANGE `a b` AFTER c").places == (("a b", "c"),)
    added = read("ALTER TABLE t ADD COLUMNS (a INT FIRST, b INT AFTER c, d INT)")
    assert [column.name for column in added.added] == ["a", "b", "d"]
    assert added.places == (("a", None), ("b", "c"))
    replaced = read("ALTER TABLE t REPLACE COLUMNS (a INT, b STRING)")
    assert [column.name for column in replaced.replaced] == ["a", "b"]
