"""Record Apache Spark's answers to random questions: ``record_spark.py SEED COUNT OUT``.

Needs pyspark and Java, which nothing else here does: run it with a Python that has them.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import sys
import time
from collections.abc import Iterable
from datetime import date, datetime
from decimal import Decimal
from importlib import import_module
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.support import awkward, expressions, sweep

_SETTINGS = {
    "spark.ui.enabled": "false",
    "spark.driver.memory": "1g",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.driver.host": "127.0.0.1",
    "spark.sql.ansi.enabled": "true",
    "spark.sql.ansi.doubleQuotedIdentifiers": "true",
    "spark.sql.shuffle.partitions": "1",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
    "spark.sql.codegen.wholeStage": "false",
}


def plain(value: Any) -> Any:
    """A cell as JSON can hold it; instants are in UTC."""
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    if isinstance(value, Decimal):
        return f"{value:f}"
    if isinstance(value, (datetime, date)):
        return value.isoformat(*" " if isinstance(value, datetime) else "")
    if isinstance(value, (bytes, bytearray)):
        return value.hex()
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    return value


def session(zone: str) -> Any:
    """A local Spark with the tables in it."""
    os.environ["TZ"] = "UTC"
    time.tzset()
    builder = import_module("pyspark.sql").SparkSession.builder.master("local[1]")
    for key, value in {**_SETTINGS, "spark.sql.session.timeZone": zone}.items():
        builder = builder.config(key, value)
    spark = builder.getOrCreate()
    spark.sparkContext.setLogLevel("OFF")
    for name in awkward.TABLES:
        spark.sql(awkward.view(name))
    return spark


def answers(spark: Any, statements: Iterable[str]) -> list[dict[str, Any]]:
    """What Spark says to each: columns, types and rows, or the condition of its error."""
    failures = import_module("pyspark.errors").PySparkException
    crash = import_module("py4j.protocol").Py4JJavaError
    found: list[dict[str, Any]] = []
    for sql in statements:
        try:
            frame = spark.sql(sql)
            types = [field.dataType.simpleString() for field in frame.schema.fields]
            rows = [[plain(cell) for cell in row] for row in frame.collect()]
        except failures as error:
            found.append({"sql": sql, "error": error.getCondition() or type(error).__name__})
        except (ValueError, OverflowError, crash):
            continue  # a date that Python cannot hold, or a fault of Spark's own
        else:
            found.append({"sql": sql, "columns": frame.columns, "types": types, "rows": rows})
    return found


def swept(spark: Any) -> list[dict[str, Any]]:
    """What Spark says to every call of the sweep, row by row where one row's failure hides all."""
    found: list[dict[str, Any]] = []
    for expression in sweep.expressions():
        whole = answers(spark, [sweep.whole(expression)])
        if whole and "error" in whole[0] and not _before_running(whole[0]["error"]):
            whole = answers(spark, sweep.each(expression))
        found += whole
    return found


def _before_running(condition: str) -> bool:
    return condition.startswith(("DATATYPE_MISMATCH", "PARSE", "UNRESOLVED", "WRONG_NUM_ARGS"))


def _asked(kind: str, seed: int, count: int) -> list[str]:
    if kind == "statements":
        return list(import_module("tests.support.statements").statements(seed, count))
    weights = expressions.TIMES if kind == "times" else None
    return expressions.questions(seed, count, weights)


def main() -> None:
    """Ask, and write the answers."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("seed", type=int)
    parser.add_argument("count", type=int)
    parser.add_argument("out", type=Path)
    parser.add_argument(
        "--kind", choices=("expressions", "times", "statements", "calls"), default="expressions"
    )
    parser.add_argument("--zone", default="UTC")
    given = parser.parse_args()
    spark = session(given.zone)
    if given.kind == "calls":
        found = swept(spark)
    else:
        found = answers(spark, _asked(given.kind, given.seed, given.count))
    head = {"spark": spark.version, "zone": given.zone, "seed": given.seed, "kind": given.kind}
    lines = ",\n".join(json.dumps(item, ensure_ascii=False, allow_nan=False) for item in found)
    text = json.dumps(head)[:-1] + ', "answers": [\n' + lines + "\n]}\n"
    given.out.write_text(text, encoding="utf-8")
    spark.stop()


if __name__ == "__main__":
    main()
