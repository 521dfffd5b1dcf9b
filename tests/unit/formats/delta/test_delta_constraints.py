"""Constraints: what a table takes, whoever writes to it, and what is told of a row it refuses."""

from __future__ import annotations

from decimal import Decimal

import polars as pl
import pytest
from deltalake import DeltaTable, write_deltalake

from flowcat_jupyter.formats.delta_constraints import previewed
from flowcat_jupyter.shared.errors import Conflict, Invalid
from flowcat_jupyter.shared.wire_definitions import Definition

ROWS = pl.DataFrame({"id": [1, 2], "name": ["a", "b"], "price": [1.5, None]})


def change(table, definition: Definition, base: int | None = None) -> int:
    return table.format.alter(
        definition,
        location=table.location,
        base_version=base,
        operation="ADD CONSTRAINT",
        parameters={"name": "x"},
        commit_info={"user": "ann"},
    )


@pytest.fixture
def judged(table):
    """A table of two rows whose ids are positive."""
    table.write(ROWS)
    change(table, Definition(constraints={"positive": "`id` > 0"}))
    return table


def test_the_log_tells_of_constraints_properties_and_defaults(table) -> None:
    table.write(ROWS)
    said = Definition(
        constraints={"positive": "`id` > 0"},
        properties={"team": "it"},
        defaults={"NAME": "'none'"},
        required={"ID": True},
    )
    assert change(table, said) == 1
    facts = table.facts()
    assert facts.constraints == {"positive": "`id` > 0"}
    assert facts.properties == {"team": "it"}
    assert facts.defaults == {"name": "'none'"}
    assert [column.nullable for column in facts.columns] == [False, True, True]
    assert facts.version == 1
    (entry, _) = table.history().entries
    assert (entry.operation, entry.user) == ("ADD CONSTRAINT", "ann")
    assert change(table, said) == 1


def test_other_writers_of_delta_tables_hold_to_what_is_said(judged) -> None:
    more = ROWS.with_columns(id=pl.lit(-1, pl.Int64))
    with pytest.raises(Exception, match="failed validation"):
        write_deltalake(judged.location, more, mode="append")
    write_deltalake(judged.location, ROWS, mode="append")
    assert judged.facts().row_count == 4
    assert DeltaTable(judged.location).protocol().min_writer_version == 3


@pytest.mark.parametrize("mode", ["append", "overwrite", "upsert"])
def test_a_row_that_is_refused_is_told_with_its_values(judged, mode: str) -> None:
    rows = pl.DataFrame({"id": [5, -5], "name": ["x", "y"], "price": [1.0, 2.0]})
    keys = {"merge_keys": ["name"]} if mode == "upsert" else {}
    with pytest.raises(Invalid, match="positive, `id` > 0: id = -5") as error:
        judged.write(rows, mode, **keys)
    assert error.value.condition == "DELTA_VIOLATE_CONSTRAINT_WITH_VALUES"
    assert judged.facts().version == 1


def test_rows_that_change_are_told_whole(judged) -> None:
    change(judged, Definition(constraints={"priced": "(`id` < 9) OR (`price` IS NOT NULL)"}))
    rows = pl.DataFrame({"name": ["b"], "id": [10]})
    with pytest.raises(Invalid, match=r"priced.*id = 10, price = NULL"):
        judged.write(rows, "update", merge_keys=["name"])


def test_null_meets_no_condition(judged) -> None:
    rows = ROWS.with_columns(id=pl.lit(None, pl.Int64))
    with pytest.raises(Invalid, match="id = NULL"):
        judged.write(rows, "append")


def test_what_was_changed_meanwhile_is_not_changed_again(judged) -> None:
    with pytest.raises(Conflict):
        change(judged, Definition(properties={"a": "b"}), base=0)
    assert judged.facts().properties == {}


@pytest.mark.parametrize(
    "condition",
    [
        "`price` > CAST('1.5' AS DECIMAL(2,1))",
        "(CAST(`small` AS DECIMAL(20,0)) * CAST(`small` AS DECIMAL(20,0))) < 1000000",
        "(CAST(`big` AS DECIMAL(20,0)) + 1) > 0",
        "length(trim(`text`)) > 1",
        "(upper(`text`) = 'AB') OR (`text` LIKE 'c%')",
        "`real` BETWEEN 0.5 AND 2.5",
        "NOT (`text` IN ('x', NULL))",
        "(`day` >= CAST('2026-01-02' AS DATE)) OR (`text` IS NULL)",
        "(`big` % 2) = 0",
        "abs(CAST(`big` AS DECIMAL(20,0))) <= 4",
        "coalesce(`small`, 0) <> 2",
        "CASE WHEN `text` = 'ab' THEN `big` > 0 ELSE TRUE END",
        "(`text` = 'ab') IS TRUE",
        "`real` <=> 1.0",
    ],
)
def test_the_library_and_polars_judge_alike(table, condition: str) -> None:
    """Each row is written alone by the library, and looked at by polars."""
    rows = pl.DataFrame(
        {
            "price": [Decimal("1.50"), Decimal("1.51"), None, Decimal("-3.00")],
            "small": [2, 46341, None, 1000],
            "big": [2**63 - 1, -4, None, 5],
            "text": ["ab", " c ", None, "x"],
            "real": [1.0, float("nan"), None, -0.0],
            "day": ["2026-01-01", "2026-01-02", None, "2027-01-01"],
        },
        schema_overrides={"price": pl.Decimal(10, 2), "small": pl.Int32},
    ).with_columns(pl.col("day").str.to_date())
    table.write(rows.clear())
    change(table, Definition(constraints={"c": condition}))
    judged = rows.select(pl.sql_expr(condition).fill_null(value=False).alias("ok"))["ok"]
    for at, expected in enumerate(judged):
        if expected:
            table.write(rows[at : at + 1], "append")
            continue
        with pytest.raises(Invalid) as error:
            table.write(rows[at : at + 1], "append")
        assert error.value.condition == "DELTA_VIOLATE_CONSTRAINT_WITH_VALUES"
    assert table.facts().row_count == judged.sum()


def test_a_preview_is_read_by_its_lines() -> None:
    line = "+----+-----+"
    lines = ["1 rows failed validation check.", line, "| a  | b   |", line, "| -1 | x|y |", line]
    text = "\n".join(lines)
    found = previewed(text, {"p": "`a` > 0", "q": "`b` <> 'z'"})
    assert found is not None
    assert "p, `a` > 0: a = -1" in found.message
    assert previewed("no table", {"p": "`a` > 0"}) is None


@pytest.mark.parametrize("cell", ["NaN", "inf", "1e300", "7.5e3"])
def test_a_preview_of_a_number_that_is_none_or_huge_tells_of_what_it_breaks(cell: str) -> None:
    line = f"+{'-' * 7}+"
    text = "\n".join([line, f"| {'a':<5} |", line, f"| {cell:<5} |", line])
    found = previewed(text, {"filled": "`a` IS NOT NULL", "low": "`a` < 10.0"})
    assert found is not None
    assert "low, `a` < 10.0: a = " in found.message
    assert "filled" not in found.message
