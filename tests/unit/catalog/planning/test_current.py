"""USE and SET CATALOG: what they name, and what is no name."""

from __future__ import annotations

import pytest

from flowcat_jupyter.catalog.planning.current import CATALOG, SCHEMA, Use
from flowcat_jupyter.catalog.planning.statements import parse
from flowcat_jupyter.shared.errors import SqlError


@pytest.mark.parametrize(
    ("text", "what", "name"),
    [
        ("USE s", None, ("s",)),
        ("use c.s", None, ("c", "s")),
        ('USE `a b`."c"', None, ("a b", "c")),
        ("USE schema", None, ("schema",)),
        ("USE CATALOG", None, ("CATALOG",)),
        ("USE catalog.s", None, ("catalog", "s")),
        ("USE SCHEMA s", SCHEMA, ("s",)),
        ("USE DATABASE c.s", SCHEMA, ("c", "s")),
        ("USE NAMESPACE s", SCHEMA, ("s",)),
        ("USE CATALOG c", CATALOG, ("c",)),
        ("SET CATALOG c", CATALOG, ("c",)),
        ("SET CATALOG 'it''s'", CATALOG, ("it's",)),
    ],
)
def test_a_name_is_a_schemas_or_a_catalogs(
    text: str, what: str | None, name: tuple[str, ...]
) -> None:
    (use,) = parse(text)
    assert isinstance(use, Use)
    assert (use.what, use.name) == (what, name)


@pytest.mark.parametrize(
    ("text", "condition", "column"),
    [
        ("USE", "PARSE_SYNTAX_ERROR", 4),
        ("USE s t", "PARSE_SYNTAX_ERROR", 7),
        ("USE a.b.c", "REQUIRES_SINGLE_PART_NAMESPACE", 5),
        ("USE CATALOG a.b", "REQUIRES_SINGLE_PART_NAMESPACE", 13),
    ],
)
def test_what_is_no_name_is_told_at_its_place(text: str, condition: str, column: int) -> None:
    with pytest.raises(SqlError) as failed:
        parse(text)
    assert (failed.value.condition, failed.value.column) == (condition, column)
