"""What real Spark answered to statements of SHOW, DESCRIBE and SET, recorded beside the tests."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

_FILE = Path(__file__).resolve().parent.parent / "data/spark/show_describe_set.json"


@cache
def _answers() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(_FILE.read_text(encoding="utf-8"))["answers"]
    return found


def shape(statement: str) -> list[tuple[str, str, bool]]:
    """Name, type and nullability of each column that Spark's answer has."""
    return [tuple(column) for column in _answers()[statement]["columns"]]


def rows(statement: str) -> list[list[Any]]:
    """The rows of Spark's answer."""
    found: list[list[Any]] = _answers()[statement]["rows"]
    return found


def condition(statement: str) -> tuple[str, str | None]:
    """The condition and SQLSTATE of Spark's refusal."""
    answer = _answers()[statement]
    return answer["error"], answer["sqlstate"]
