"""Hold the suite of statements to Apache Spark: ``compare_spark.py [--out FILE]``.

Needs pyspark and Java, which nothing else here does: run it with a Python that has them. What the
suite expects of Parquet tables, and of no format, is compared with what Spark answers: columns,
types, rows, conditions and SQLSTATEs. Where the suite says that Spark answers otherwise, that
answer is compared, and it has to be another one.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from importlib import import_module
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.support.statement_files import (
    Case,
    Step,
    agrees,
    cases,
    error,
    fill,
    is_count,
    is_refusal,
    table,
)

FORMAT = "parquet"
_SETTINGS = {
    "spark.ui.enabled": "false",
    "spark.driver.memory": "1g",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.driver.host": "127.0.0.1",
    "spark.sql.ansi.enabled": "true",
    "spark.sql.ansi.doubleQuotedIdentifiers": "true",
    "spark.sql.shuffle.partitions": "1",
    "spark.sql.session.timeZone": "UTC",
}


def session(warehouse: str) -> Any:
    """A local Spark with a catalog in memory."""
    os.environ["TZ"] = "UTC"
    time.tzset()
    builder = import_module("pyspark.sql").SparkSession.builder.master("local[1]")
    for key, value in {**_SETTINGS, "spark.sql.warehouse.dir": warehouse}.items():
        builder = builder.config(key, value)
    spark = builder.getOrCreate()
    spark.sparkContext.setLogLevel("OFF")
    return spark


def ask(spark: Any, text: str) -> list[str]:
    """What Spark answers, as lines."""
    failures = import_module("pyspark.errors").PySparkException
    crash = import_module("py4j.protocol").Py4JJavaError
    try:
        frame = spark.sql(text)
        fields = frame.schema.fields
        rows = [list(row) for row in frame.collect()]
    except failures as problem:
        return error(problem.getCondition() or type(problem).__name__, problem.getSqlState())
    except crash as problem:
        return _thrown(problem.java_exception)
    if not fields:
        return ["done"]
    return table([(field.name, field.dataType.simpleString()) for field in fields], rows)


def _thrown(problem: Any) -> list[str]:
    """An error that pyspark knows no class for; those of Spark's say their condition."""
    while problem is not None:
        if hasattr(problem, "getCondition") and problem.getCondition():
            return error(problem.getCondition(), problem.getSqlState())
        problem = problem.getCause()
    return ["error without a condition"]


def run(spark: Any, case: Case, schema: str) -> Iterator[tuple[Step, str]]:
    """Each statement of the case, and how Spark answers: as expected, otherwise, or how not."""
    values = {"format": FORMAT, "schema": schema, "catalog": "spark_catalog"}
    own = spark.newSession()
    own.sql(f"CREATE SCHEMA {schema}")
    own.sql(f"USE {schema}")
    for step in case.steps:
        answered = ask(own, fill(step.text, **values))
        theirs, ours = step.own("spark"), step.answer(FORMAT)
        yield (
            step,
            verdict(
                step,
                _filled(ours, values),
                None if theirs is None else _filled(theirs, values),
                answered,
            ),
        )
        if is_refusal(theirs if theirs is not None else ours) or FORMAT in step.faulty:
            break
    own.sql(f"DROP SCHEMA IF EXISTS {schema} CASCADE")


def _filled(lines: Sequence[str] | None, values: dict[str, str]) -> list[str]:
    return [fill(line, **values) for line in lines or ()]


def verdict(
    step: Step, ours: Sequence[str], theirs: Sequence[str] | None, answered: Sequence[str]
) -> str:
    """``same``, ``departs``, ``fault`` (Spark alone is right), or how the suite is wrong."""
    if FORMAT in step.faulty:
        return "fault" if _matches(ours, answered) else f"Spark answers {list(answered)}"
    if theirs is None:
        fine = not step.unlike_spark and _matches(ours, answered)
        return "same" if fine else f"Spark answers {list(answered)}"
    if not step.unlike_spark:
        return "Spark's answer is another one, and the suite does not say why"
    if not _matches(theirs, answered):
        return f"Spark answers {list(answered)}"
    return "the suite names a departure that is none" if _matches(ours, answered) else "departs"


def _matches(expected: Sequence[str], answered: Sequence[str]) -> bool:
    if answered == ["done"]:
        return not expected or is_count(expected)
    return agrees(expected, answered) if expected else not answered[0].startswith("error")


def compare(spark: Any) -> tuple[int, list[tuple[str, str]], list[str]]:
    """How many statements answer alike, what departs with its reason, and the failures."""
    alike, departures, failures = 0, [], []
    for number, case in enumerate(cases()):
        for step, told in run(spark, case, f"compared_{number}"):
            if told == "same":
                alike += 1
            elif told == "departs":
                departures.append((step.text, step.unlike_spark))
            elif told == "fault":
                departures.append((step.text, "a fault, not mended yet"))
            else:
                failures.append(f"{case.family}.sql:{step.line}: {step.text}: {told}")
    return alike, departures, failures


def page(alike: int, departures: Sequence[tuple[str, str]], version: str) -> str:
    """The result as a page of the documentation."""
    by_reason: dict[str, list[str]] = {}
    for text, reason in departures:
        by_reason.setdefault(reason, []).append(text)
    total = alike + len(departures)
    head = (
        f"# SQL and Spark\n\nThe suite of statements was held to Apache Spark {version} on "
        f"{datetime.now(UTC):%-d %B %Y}, with Parquet tables: columns and their types, rows, "
        "conditions and SQLSTATEs. `python scripts/compare_spark.py` repeats it, with a Python "
        f"that has pyspark, and writes this page.\n\nOf {total} statements {alike} answer alike. "
        f"{len(departures)} answer otherwise, and this is why.\n\n| why | statements |\n|---|---|\n"
    )
    lines = [
        f"| {reason} | " + ", ".join(f"`` {_cell(text)} ``" for text in texts) + " |"
        for reason, texts in by_reason.items()
    ]
    return head + "\n".join(lines) + "\n"


def _cell(text: str) -> str:
    short = text if len(text) <= 90 else f"{text[:89]}…"
    return short.replace("|", "\\|").replace("\n", " ")


def main() -> int:
    """Compare, tell what is wrong, and write the page if nothing is."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, help="where the page goes")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as place:
        spark = session(place)
        alike, departures, failures = compare(spark)
        version = spark.version
        spark.stop()
    for failure in failures:
        sys.stdout.write(f"{failure}\n")
    sys.stdout.write(f"{alike} alike, {len(departures)} departures, {len(failures)} failures\n")
    if given.out and not failures:
        given.out.write_text(page(alike, departures, version), encoding="utf-8")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
