"""Constructs and functions with the answers of Apache Spark, recorded over the three small tables.

An engine may refuse one by name; it may never answer otherwise. Polars answers all that are here.
"""

from __future__ import annotations

import json
import math
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from flowcat_jupyter.engines.protocol import Engine
from flowcat_jupyter.shared.errors import SqlError
from tests.support.engines import DATA, Tables

RECORDED: list[dict[str, Any]] = [
    item
    for path in sorted(Path(DATA).glob("recorded_*.json"))
    for item in json.loads(path.read_text(encoding="utf-8"))
]


def plain(value: Any) -> Any:
    """A cell as the recorded answers write it."""
    if isinstance(value, Decimal):
        return f"D:{value}"
    if isinstance(value, float):
        return value if math.isfinite(value) else repr(value)
    if isinstance(value, datetime):
        return value.replace(tzinfo=None).isoformat(sep=" ")
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, bytes):
        return f"X:{value.hex()}"
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    return value


def same(got: Any, wanted: Any) -> bool:
    if isinstance(got, float) and isinstance(wanted, (int, float)):
        return math.isclose(got, wanted, rel_tol=1e-9, abs_tol=1e-12)
    if isinstance(got, dict) and isinstance(wanted, dict):
        return got.keys() == wanted.keys() and all(same(got[key], wanted[key]) for key in got)
    if isinstance(got, list) and isinstance(wanted, list):
        return len(got) == len(wanted) and all(map(same, got, wanted))
    return type(got) is type(wanted) and got == wanted


def bag(rows: list[Any]) -> list[Any]:
    return sorted(rows, key=repr)


@pytest.mark.parametrize("item", RECORDED, ids=[item["sql"][:60] for item in RECORDED])
def test_it_is_answered_as_spark_answered_it(
    item: dict[str, Any], ask: Any, engine: Engine, spark_tables: Tables
) -> None:
    try:
        answer = ask(item["sql"], spark_tables)
    except SqlError as error:
        refused = error.condition in ("UNSUPPORTED_FEATURE", "UNRESOLVED_ROUTINE")
        assert ("error" in item and not refused) or (refused and engine.name != "polars")
        return
    assert "error" not in item
    rows = [plain(list(row)) for row in answer.rows]
    ordered = "ORDER BY" in item["sql"]
    assert same(rows, item["rows"]) or (not ordered and same(bag(rows), bag(item["rows"])))
    assert answer.types == item["types"]
