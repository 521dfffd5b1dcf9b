"""Spark's recorded answers: every engine gives them, or says that it does not; never other rows.

``scripts/record_spark.py`` records them, statements included, so that the writer of
random ones may change. Bounds are what is refused today: raise one only for a reason.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from flowcat_jupyter.engines.protocol import Engine
from tests.support.engines import DATA
from tests.support.oracle import Report, judge

FILES = {
    "expressions": "random-expressions.json",
    "statements": "random-statements.json",
    "times": "random-times.json",
    "calls": "every-call.json",
}
# Java's own remainder wraps around there: no positive remainder by a negative number exists.
SPARK_WRAPS = "SELECT pmod(t, l) AS y FROM e WHERE id = 4"


def bounds(report: Report) -> str:
    """What a report counts, for the message of a failed bound."""
    parts = {"refused": report.refused, "loud": report.loud, "declared": report.declared}
    counts = ", ".join(f"{len(items)} {name}" for name, items in parts.items())
    listed = "\n".join(item for items in parts.values() for item in items)
    return f"of {report.asked}: {counts}\n{listed}"


@pytest.mark.parametrize("name", FILES)
def test_recorded_answers_are_given_or_refused(engine: Engine, name: str) -> None:
    limits = json.loads((DATA / "limits.json").read_text(encoding="utf-8"))[engine.name][name]
    report = judge(engine, DATA / FILES[name])
    wrong = [told for told in report.wrong if not told.startswith(SPARK_WRAPS)]
    assert not wrong, "\n".join(wrong)
    assert len(report.refused) <= limits["refused"], bounds(report)
    assert len(report.loud) <= limits["loud"], bounds(report)
    assert len(report.declared) <= limits["declared"], bounds(report)


def test_enough_is_recorded() -> None:
    counts = {
        name: len(json.loads(Path(DATA / file).read_text())["answers"])
        for name, file in FILES.items()
    }
    assert counts["expressions"] >= 300
    assert counts["statements"] >= 150
    assert counts["times"] >= 150
    assert counts["calls"] >= 4000
