"""Conditions of constraints: what is kept of them, and what is refused with its place."""

from __future__ import annotations

import pytest

from flowcat_jupyter.catalog.planning.constraints import check_understood, columns_in
from flowcat_jupyter.catalog.planning.portable import portable
from flowcat_jupyter.shared.errors import Invalid, SqlError
from flowcat_jupyter.shared.wire import Column, TableFacts
from flowcat_jupyter.sql.dialect import Piece, parse_statement

COLUMNS = tuple(
    Column(name, kind)
    for name, kind in [
        ("id", "bigint"),
        ("Full Name", "string"),
        ("real", "double"),
        ("day", "date"),
        ("price", "decimal(10,2)"),
        ("count", "int"),
        ("at", "timestamp"),
        ("ok", "boolean"),
        ("list", "array<int>"),
    ]
)


def kept(condition: str, *, as_it_is: bool = False) -> str:
    piece = Piece(f"SELECT {condition}")
    tree = parse_statement(piece).expressions[0]
    return portable(piece, tree, COLUMNS, as_it_is=as_it_is).text


@pytest.mark.parametrize(
    ("condition", "text"),
    [
        ("ID > 0", "`id` > 0"),
        ("`full name` LIKE 'x%' AND ok", "(`Full Name` LIKE 'x%') AND `ok`"),
        ("real < 1.5 OR id = 1", "(`real` < 1.5) OR (`id` = 1)"),
        ("price > 1.50", "`price` > CAST('1.50' AS DECIMAL(3,2))"),
        ("count + 1 < 10", "(CAST(`count` AS DECIMAL(20,0)) + 1) < 10"),
        ("real * count > 1e3", "(`real` * `count`) > 1e3"),
        ("day > '2026-01-31'", "`day` > CAST('2026-01-31' AS DATE)"),
        ("day >= DATE '2026-01-31'", "`day` >= CAST('2026-01-31' AS DATE)"),
        ("id NOT IN (1, -2)", "NOT (`id` IN (1, -2))"),
        ("id IS NOT NULL", "`id` IS NOT NULL"),
        ("list IS NULL", "`list` IS NULL"),
        ("id % 2 = 0", "(`id` % 2) = 0"),
        ("length(trim(`Full Name`)) > 0", "length(trim(`Full Name`)) > 0"),
        ("coalesce(id, count, 0) > 0", "coalesce(`id`, `count`, 0) > 0"),
        ("CASE WHEN ok THEN id > 0 ELSE TRUE END", "CASE WHEN `ok` THEN (`id` > 0) ELSE TRUE END"),
        (
            "CASE WHEN ok THEN 0 WHEN id > 3 THEN count ELSE -1 END + id > 0",
            "(CAST(CASE WHEN `ok` THEN 0 WHEN (`id` > 3) THEN `count` ELSE -1 END AS "
            "DECIMAL(20,0)) + CAST(`id` AS DECIMAL(20,0))) > 0",
        ),
        (
            "CASE WHEN ok THEN 'a' WHEN id > 3 THEN NULL END = `Full Name`",
            "CASE WHEN `ok` THEN 'a' WHEN (`id` > 3) THEN NULL END = `Full Name`",
        ),
        (
            "day = CASE WHEN ok THEN day ELSE '2026-01-31' END",
            "`day` = CASE WHEN `ok` THEN `day` ELSE CAST('2026-01-31' AS DATE) END",
        ),
        ("(id > 0) IS TRUE", "(`id` > 0) IS TRUE"),
    ],
)
def test_a_condition_is_kept_in_words_that_all_engines_read_alike(
    condition: str, text: str
) -> None:
    assert kept(condition) == text
    assert kept(text, as_it_is=True) == text


@pytest.mark.parametrize(
    ("condition", "told", "column"),
    [
        ("id / 2 > 1", "UNSUPPORTED_FEATURE", 8),
        ("ok AND my_function(id) > 0", "UNSUPPORTED_FEATURE", 15),
        ("id > (SELECT 1)", "UNSUPPORTED_FEATURE", 21),
        ("sum(id) > 1", "UNSUPPORTED_FEATURE", 8),
        ("id = :value", "UNSUPPORTED_FEATURE", None),
        ("`Full Name` = 'it''s'", "UNSUPPORTED_FEATURE", 22),
        ("`Full Name` LIKE `Full Name`", "UNSUPPORTED_FEATURE", 8),
        ("day > 'soon'", "UNSUPPORTED_FEATURE", None),
        ("at > '2026-01-31'", "DATATYPE_MISMATCH.BINARY_OP_DIFF_TYPES", 8),
        ("id = 'x'", "DATATYPE_MISMATCH.BINARY_OP_DIFF_TYPES", 8),
        ("list = list", "DATATYPE_MISMATCH.BINARY_OP_DIFF_TYPES", 8),
        ("id AND ok", "DATATYPE_MISMATCH.UNEXPECTED_INPUT_TYPE", 8),
        ("CASE WHEN ok THEN 1 ELSE 'x' END", "DATATYPE_MISMATCH.BINARY_OP_DIFF_TYPES", None),
        ("CASE WHEN ok THEN 1 END", "DELTA_NON_BOOLEAN_CHECK_CONSTRAINT", None),
        ("id + 1", "DELTA_NON_BOOLEAN_CHECK_CONSTRAINT", 8),
        ("rand() > 0.5", "NON_DETERMINISTIC_CHECK_CONSTRAINT", 8),
        ("nope > 0", "UNRESOLVED_COLUMN.WITH_SUGGESTION", 8),
        ("t.id > 0", "UNRESOLVED_COLUMN.WITH_SUGGESTION", 8),
    ],
)
def test_what_engines_read_otherwise_is_refused_at_its_place(
    condition: str, told: str, column: int | None
) -> None:
    with pytest.raises(SqlError) as error:
        kept(condition)
    assert error.value.condition == told
    assert column is None or error.value.column == column


@pytest.mark.parametrize("condition", ["id > 0", "id > 1.5", "`FULL NAME` = 'x'", "real < 1"])
def test_foreign_conditions_are_taken_as_they_are(condition: str) -> None:
    facts = TableFacts("delta", COLUMNS, (), 0, 0, 0, 0, constraints={"c": condition})
    if "FULL" in condition:
        with pytest.raises(Invalid, match="constraint c"):
            check_understood(facts, "t")
    else:
        check_understood(facts, "t")


@pytest.mark.parametrize("condition", ["count + 1 > 0", "other_engines(id)", "id >", "1; SELECT 2"])
def test_a_foreign_condition_that_may_mean_something_else_is_named(condition: str) -> None:
    facts = TableFacts("delta", COLUMNS, (), 0, 0, 0, 0, constraints={"c": condition})
    with pytest.raises(Invalid, match="constraint c") as error:
        check_understood(facts, "main.s.t")
    assert error.value.condition == "DELTA_UNSUPPORTED_FEATURES_FOR_WRITE"
    assert "DROP CONSTRAINT c" in (error.value.hint or "")


def test_the_columns_that_a_condition_reads_are_known() -> None:
    assert columns_in("(`ID` > 0) OR (`Full Name` = 'price')") == {"id", "full name"}
    assert columns_in("id >") is None
