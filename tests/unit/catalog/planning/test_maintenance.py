"""OPTIMIZE, VACUUM and RESTORE: what they ask for, and what is refused."""

from __future__ import annotations

import pytest

from flowcat_jupyter.catalog.planning.maintenance import Maintain
from flowcat_jupyter.catalog.planning.statements import parse, trees_of
from flowcat_jupyter.shared.errors import SqlError


def read(text: str) -> Maintain:
    (statement,) = parse(text)
    assert isinstance(statement, Maintain)
    return statement


@pytest.mark.parametrize(
    ("text", "columns"),
    [
        ("OPTIMIZE c.s.t", ()),
        ("optimize c.s.t zorder by a", ("a",)),
        ("OPTIMIZE c.s.t ZORDER BY (a, `b c`)", ("a", "b c")),
    ],
)
def test_files_are_put_together(text: str, columns: tuple[str, ...]) -> None:
    asked = read(text)
    assert (asked.kind, asked.name.parts, asked.order_by) == ("OPTIMIZE", ("c", "s", "t"), columns)


@pytest.mark.parametrize(
    ("text", "hours", "dry"),
    [
        ("VACUUM t", None, False),
        ("VACUUM t DRY RUN", None, True),
        ("VACUUM t RETAIN 200 HOURS", 200, False),
        ("vacuum t retain 1 hour dry run", 1, True),
    ],
)
def test_old_files_are_removed_or_told(text: str, hours: int | None, dry: bool) -> None:
    asked = read(text)
    assert (asked.kind, asked.retain_hours, asked.dry_run) == ("VACUUM", hours, dry)


@pytest.mark.parametrize("start", ["RESTORE TABLE s.t TO", "RESTORE s.t TO"])
@pytest.mark.parametrize(
    "clause", ["VERSION AS OF 3", "TIMESTAMP AS OF '2026-01-31'", "VERSION AS OF :v"]
)
def test_a_version_is_that_of_the_table(start: str, clause: str) -> None:
    asked = read(f"{start} {clause}")
    (tree,) = trees_of(asked)
    assert tree.sql(dialect="databricks") == " ".join(("SELECT * FROM `s`.`t`", clause))


@pytest.mark.parametrize(
    ("text", "condition"),
    [
        ("OPTIMIZE", "PARSE_SYNTAX_ERROR"),
        ("OPTIMIZE a.b.c.d", "PARSE_SYNTAX_ERROR"),
        ("OPTIMIZE t ZORDER a", "PARSE_SYNTAX_ERROR"),
        ("OPTIMIZE t ZORDER BY (a", "PARSE_SYNTAX_ERROR"),
        ("OPTIMIZE t ZORDER BY", "PARSE_SYNTAX_ERROR"),
        ("OPTIMIZE t FULL", "PARSE_SYNTAX_ERROR"),
        ("OPTIMIZE t WHERE a = 1", "UNSUPPORTED_FEATURE.TABLE_OPERATION"),
        ("VACUUM t RETAIN HOURS", "PARSE_SYNTAX_ERROR"),
        ("VACUUM t RETAIN 1.5 HOURS", "PARSE_SYNTAX_ERROR"),
        ("VACUUM t RETAIN 200", "PARSE_SYNTAX_ERROR"),
        ("VACUUM t DRY", "PARSE_SYNTAX_ERROR"),
        ("VACUUM t LITE", "PARSE_SYNTAX_ERROR"),
        ("RESTORE t", "PARSE_SYNTAX_ERROR"),
        ("RESTORE t TO", "PARSE_SYNTAX_ERROR"),
        ("RESTORE t TO VERSION 3", "PARSE_SYNTAX_ERROR"),
        ("RESTORE t TO VERSION AS OF 3 x", "PARSE_SYNTAX_ERROR"),
        ("RESTORE t TO VERSION AS OF 3 WHERE a = 1", "PARSE_SYNTAX_ERROR"),
        ("RESTORE t TO VERSION AS OF 3, u", "PARSE_SYNTAX_ERROR"),
    ],
)
def test_what_is_not_understood_is_refused(text: str, condition: str) -> None:
    with pytest.raises(SqlError) as failed:
        parse(text)
    assert failed.value.condition == condition
    assert failed.value.line == 1
