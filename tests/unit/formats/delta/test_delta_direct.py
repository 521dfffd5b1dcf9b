"""Plain changes that the library makes: the same rows as by the rule of three values."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import polars as pl
import pytest
from deltalake import DeltaTable

from flowcat_jupyter.shared.errors import Conflict, Invalid
from flowcat_jupyter.shared.wire_writes import ChangedRows, DirectChange

Met = Callable[[dict[str, Any]], bool | None]
VALUES = [None, -3, 0, 5, 2**31 - 1]
TEXTS = [None, "a", "B", "it's", "\\", ""]
ROWS = [
    {"row": n, "i": VALUES[n % 5], "s": TEXTS[n % 6], "p": ["x", None][n % 2]} for n in range(30)
]
KINDS = {"row": pl.Int64, "i": pl.Int32, "s": pl.String, "p": pl.String}


def plus(left: Met, right: Met, *, every: bool) -> Met:
    """Two conditions with AND or OR."""

    def met(row: dict[str, Any]) -> bool | None:
        sides = (left(row), right(row))
        if (not every) in sides:
            return not every
        return None if None in sides else every

    return met


def of(name: str, test: Callable[[Any], bool]) -> Met:
    """A condition that NULL neither meets nor fails."""
    return lambda row: None if row[name] is None else test(row[name])


ZERO = ("`i` = CAST('0' AS INT)", of("i", lambda i: i == 0))
LESS = ("`i` < CAST('5' AS INT)", of("i", lambda i: i < 5))
NOT = ("`i` <> CAST('0' AS INT)", of("i", lambda i: i != 0))
FIVE = ("`i` = CAST('5' AS INT)", of("i", lambda i: i == 5))
QUOTE = ("`s` = 'it''s'", of("s", lambda s: s == "it's"))
SLASH = ("`s` >= '\\'", of("s", lambda s: s >= "\\"))
EMPTY = ("`s` IN ('', 'a')", of("s", lambda s: s in ("", "a")))
NULL = ("`s` IS NULL", lambda row: row["s"] is None)
THERE = ("`p` IS NOT NULL", lambda row: row["p"] is not None)
PART = ("`p` = 'x'", of("p", lambda p: p == "x"))
NONE = ("`p` = 'zz'", of("p", lambda p: p == "zz"))
ALL = [ZERO, LESS, NOT, FIVE, QUOTE, SLASH, EMPTY, NULL, THERE, PART, NONE]


def conditions() -> list[tuple[str, Met]]:
    pairs: list[tuple[str, Met]] = list(ALL)
    for (one, first), (other, second) in zip(ALL, [*ALL[3:], *ALL[:3]], strict=True):
        pairs.append((f"({one}) AND ({other})", plus(first, second, every=True)))
        pairs.append((f"({one}) OR ({other})", plus(first, second, every=False)))
    return pairs


@pytest.fixture(params=[[], ["p"]], ids=["whole", "parts"])
def rows(request: pytest.FixtureRequest, table: Any) -> Any:
    """A table of three files or more, with NULL in each column."""
    table.write(pl.DataFrame(ROWS[:12], schema=KINDS), partition_by=request.param)
    table.write(pl.DataFrame(ROWS[12:29], schema=KINDS), "append")
    table.write(pl.DataFrame(ROWS[29:], schema=KINDS), "append")
    return table


def change(table: Any, what: DirectChange, base: int = 2) -> ChangedRows | None:
    done: ChangedRows | None = table.format.change_directly(
        what, location=table.location, base_version=base
    )
    return done


@pytest.mark.parametrize(("text", "met"), conditions())
def test_the_rows_that_meet_a_condition_go_and_no_others(rows: Any, text: str, met: Met) -> None:
    gone = {row["row"] for row in ROWS if met(row) is True}
    assert change(rows, DirectChange(text)) == ChangedRows(deleted=len(gone))
    left = rows.scan().frame.collect()["row"].sort().to_list()
    assert left == [row["row"] for row in ROWS if row["row"] not in gone]
    assert rows.facts().version == (3 if gone else 2)


@pytest.mark.parametrize(("text", "met"), conditions()[::3])
def test_the_rows_that_meet_a_condition_get_a_value(rows: Any, text: str, met: Met) -> None:
    taken = {row["row"] for row in ROWS if met(row) is True}
    done = change(rows, DirectChange(text, {"i": "CAST('9' AS INT)"}))
    assert done == ChangedRows(updated=len(taken))
    found = dict(rows.scan().frame.collect().select("row", "i").rows())
    assert found == {r["row"]: 9 if r["row"] in taken else r["i"] for r in ROWS}


def test_a_table_that_moved_on_is_not_changed(rows: Any) -> None:
    with pytest.raises(Conflict):
        change(rows, DirectChange(ZERO[0]), base=1)


def test_a_table_with_rules_of_its_own_is_changed_another_way(rows: Any) -> None:
    DeltaTable(rows.location).alter.add_constraint({"c": "row >= 0"})
    assert change(rows, DirectChange(ZERO[0], {"row": "CAST('-1' AS BIGINT)"}), base=3) is None


def test_rows_that_may_only_be_added_stay(rows: Any) -> None:
    DeltaTable(rows.location).alter.set_table_properties({"delta.appendOnly": "true"})
    with pytest.raises(Invalid, match="appendOnly"):
        change(rows, DirectChange(ZERO[0]), base=3)
