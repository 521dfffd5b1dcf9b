"""Two small tables whose rows are awkward: edges of types, NULLs, NaN, odd texts and old dates.

Nothing here needs more than the standard library, so that an oracle may read it from any Python.
"""

from __future__ import annotations

from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

NAN, INF = float("nan"), float("inf")
COLUMNS = {
    "id": "int",
    "g": "string",
    "t": "tinyint",
    "s": "smallint",
    "i": "int",
    "l": "bigint",
    "p": "decimal(10,2)",
    "q": "decimal(38,0)",
    "r": "decimal(20,6)",
    "f": "float",
    "x": "double",
    "c": "string",
    "n": "string",
    "y": "string",
    "b": "boolean",
    "d": "date",
    "m": "timestamp",
    "a": "array<int>",
}
D = Decimal


def _at(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


# fmt: off
ROWS: tuple[tuple[Any, ...], ...] = (
    (1, "u", 1, 10, 7, 100, D("1.50"), D(3), D("0.333333"), 0.5, 2.25, "Ada", "12", "2024-02-29",
     True, date(2024, 2, 29), _at("2024-03-31 01:30:00"), [1, 2, 3]),
    (2, "u", -1, -10, -7, -100, D("-2.25"), D(-8), D("-1.500000"), -1.5, -0.5, "bob", " -7 ",
     "2023-1-5", False, date(1999, 12, 31), _at("1969-12-31 23:59:59.999999"), [3, None, -1]),
    (3, "v", 127, 32767, 2147483647, 9223372036854775807, D("99999999.99"), D("9" * 34),
     D("12345678901234.567891"), 3.0e38, 1.7e308, "", "9223372036854775807", "1582-10-15",
     True, date(9999, 12, 31), _at("2038-01-19 03:14:07"), []),
    (4, "v", -128, -32768, -2147483648, -9223372036854775808, D("-99999999.99"), D("-" + "9" * 34),
     D("-0.000001"), -0.0, -1e-7, "a b,c", "3.7", "0001-01-01", False, date(1, 1, 1),
     _at("1900-01-01 00:00:00"), [2147483647]),
    (5, None, None, None, None, None, None, None, None, None, None, None, None, None, None, None,
     None, None),
    (6, "v", 0, 0, 0, 0, D("0.00"), D(0), D("0.000000"), NAN, NAN, "%_x", "abc", "31/01/2024",
     None, date(1970, 1, 1), _at("1970-01-01 00:00:00"), [0]),
    (7, "w", 7, 300, 12345, 4294967296, D("2.35"), D(25), D("2.675000"), INF, -INF, "é🙂l", "1e3",
     "2024-10-27 02:30:00", True, date(2024, 10, 27), _at("2024-10-27 01:30:00"), [7, 7]),
    (8, "w", 2, 5, 3, 9007199254740993, D("0.01"), D(10), D("1000.500000"), 1.0e10, 12345678.9,
     "O'Hara", "", "2021-06-15T12:00:00Z", False, date(2021, 6, 15),
     _at("2021-06-15 12:34:56.789"), [None]),
)
# fmt: on
NAME = "e"

SIDE_COLUMNS = {
    "id": "int",
    "k": "int",
    "z": "string",
    "v": "bigint",
    "w": "decimal(12,3)",
    "h": "double",
    "day": "date",
}
SIDE_ROWS: tuple[tuple[Any, ...], ...] = (
    (1, 1, "u", 10, D("1.500"), 0.5, date(2024, 2, 29)),
    (2, 1, "u", None, D("2.000"), NAN, date(2024, 2, 29)),
    (3, 2, "v", -5, D("-0.125"), -0.0, date(1970, 1, 1)),
    (4, None, None, 7, None, 0.0, None),
    (5, 4, "w", 7, D("10.000"), INF, date(2021, 6, 15)),
    (6, 9, "x", 0, D("0.000"), None, date(1999, 12, 31)),
    (7, 2, "V", 10, D("1.500"), 1e10, None),
)
SIDE_NAME = "o"
TABLES: dict[str, tuple[dict[str, str], tuple[tuple[Any, ...], ...]]] = {
    NAME: (COLUMNS, ROWS),
    SIDE_NAME: (SIDE_COLUMNS, SIDE_ROWS),
}


def written(value: Any, kind: str) -> str:
    """A value as Spark's SQL writes it."""
    if value is None:
        return f"CAST(NULL AS {kind})"
    if isinstance(value, list):
        items = ", ".join(written(item, "int") for item in value)
        return f"CAST(array({items}) AS {kind})"
    if isinstance(value, datetime):
        return f"TIMESTAMP'{value:%Y-%m-%d %H:%M:%S.%f}+00:00'"
    text = {NAN: "NaN", INF: "Infinity", -INF: "-Infinity"}.get(value) or str(value)
    text = "NaN" if value != value else text
    if isinstance(value, date):
        text = value.isoformat()
    escaped = text.replace("\\", "\\\\").replace("'", "\\'")
    return f"CAST('{escaped}' AS {kind})"


def view(name: str) -> str:
    """The statement that gives Spark one of the tables."""
    columns, rows = TABLES[name]
    lines = ", ".join("(" + ", ".join(map(written, row, columns.values())) + ")" for row in rows)
    heads = ", ".join(f"`{column}`" for column in columns)
    words = ("CREATE OR REPLACE TEMPORARY VIEW", name, "AS SELECT * FROM VALUES", lines, "AS", name)
    return f"{' '.join(words)}({heads})"
