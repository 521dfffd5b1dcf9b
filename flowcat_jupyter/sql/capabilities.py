"""What each engine covers of SQL: every construct and function, and what to write instead.

The lowering is what decides, for it refuses before anything runs what its engine lacks: so each
construct has an example here, and the lowering is asked about it. Nothing is stated twice.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from flowcat_jupyter.shared.errors import SqlError
from flowcat_jupyter.shared.wire import Column
from flowcat_jupyter.sql import functions
from flowcat_jupyter.sql.dialect import parse_statement
from flowcat_jupyter.sql.lowering import TARGETS, lower

ENGINES: tuple[str, ...] = tuple(TARGETS)
"""The engines queries are lowered for, in the order they are thought of."""
EXTRAS = {"polars": "flowcat-jupyter", "duckdb": "flowcat-jupyter[duckdb]"}
"""What is to be installed for each."""
_TITLES = {"polars": "polars", "duckdb": "DuckDB"}
_UNCOVERED = ("UNSUPPORTED_FEATURE", "FAILED_TO_PARSE_TOO_COMPLEX")
_COLUMNS: Sequence[Column] = (
    Column("x", "int"),
    Column("s", "string"),
    Column("a", "array<int>"),
    Column("m", "map<string,int>"),
    Column("st", "struct<f:int>"),
    Column("ts", "timestamp"),
)


def titled(name: str) -> str:
    """An engine's name as its makers write it."""
    return _TITLES.get(name, name)


def is_uncovered(error: SqlError) -> bool:
    """Whether an error says that the engine lacks something, and not that the query is wrong."""
    return error.condition in _UNCOVERED


@dataclass(frozen=True, slots=True)
class Construct:
    """A construct of the language: an example over a table ``t``, and what may be written where an
    engine does not cover it.
    """

    name: str
    example: str
    instead: str = ""

    @property
    def engines(self) -> tuple[str, ...]:
        """The engines that cover it."""
        return _covering(self.example)


@cache
def _covering(example: str) -> tuple[str, ...]:
    tree = parse_statement(example)
    found = []
    for name in ENGINES:
        try:
            lower(tree, {"t": _COLUMNS}, target=name)
        except SqlError as error:
            if not is_uncovered(error):
                raise
        else:
            found.append(name)
    return tuple(found)


# A line each of the name and what may be written instead, then its example.
_TABLE = """
SELECT, WHERE, LIMIT, OFFSET
    SELECT x FROM t WHERE x > 1 LIMIT 1 OFFSET 1
CASE, IF, COALESCE
    SELECT CASE WHEN x > 1 THEN 1 ELSE coalesce(x, 0) END FROM t
GROUP BY, HAVING
    SELECT x, count(*) FROM t GROUP BY x HAVING count(*) > 1
GROUP BY ALL
    SELECT x, count(*) FROM t GROUP BY ALL
ROLLUP, CUBE
    SELECT x, count(*) FROM t GROUP BY ROLLUP (x)
GROUPING SETS
    SELECT x, count(*) FROM t GROUP BY GROUPING SETS ((x), ())
window functions
    SELECT sum(x) OVER (PARTITION BY s ORDER BY x) FROM t
frames of rows
    SELECT sum(x) OVER (ORDER BY x ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) FROM t
frames of a range
    SELECT sum(x) OVER (ORDER BY x RANGE BETWEEN 1 PRECEDING AND CURRENT ROW) FROM t
named windows
    SELECT sum(x) OVER w FROM t WINDOW w AS (ORDER BY x)
QUALIFY
    SELECT x FROM t QUALIFY row_number() OVER (ORDER BY x) = 1
FILTER
    SELECT count(*) FILTER (WHERE x > 1) FROM t
DISTINCT ON | QUALIFY row_number() OVER (…) = 1
    SELECT DISTINCT ON (x) x FROM t
WITH
    WITH w AS (SELECT x FROM t) SELECT x FROM w
WITH RECURSIVE
    WITH RECURSIVE n AS (SELECT 1 AS i UNION ALL SELECT i + 1 FROM n WHERE i < 3) SELECT i
    FROM n
UNION, EXCEPT, INTERSECT
    SELECT x FROM t UNION SELECT x FROM t EXCEPT SELECT 1
INTERSECT ALL
    SELECT x FROM t INTERSECT ALL SELECT x FROM t
inner and outer joins
    SELECT a.x FROM t a LEFT JOIN t b ON a.x = b.x
joins by inequality
    SELECT a.x FROM t a JOIN t b ON a.x < b.x
SEMI and ANTI joins
    SELECT x FROM t LEFT SEMI JOIN t b ON t.x = b.x
USING, NATURAL
    SELECT x FROM t JOIN t b USING (x)
LATERAL sub-query | a correlated sub-query for one value
    SELECT y FROM t, LATERAL (SELECT max(b.x) AS y FROM t b WHERE b.x < t.x) z
LATERAL VIEW explode
    SELECT e FROM t LATERAL VIEW explode(a) v AS e
correlated EXISTS
    SELECT x FROM t WHERE EXISTS (SELECT 1 FROM t b WHERE b.x = t.x)
correlated scalar sub-query
    SELECT (SELECT max(b.x) FROM t b WHERE b.s = t.s) FROM t
correlated sub-query with groups | a join with the grouped query
    SELECT x FROM t WHERE EXISTS (SELECT b.s FROM t b WHERE b.x = t.x GROUP BY b.s)
IN (SELECT …)
    SELECT x FROM t WHERE x IN (SELECT x FROM t)
IN of several columns | EXISTS (SELECT 1 … WHERE a = x AND b = y)
    SELECT x FROM t WHERE (x, s) IN (SELECT x, s FROM t)
PIVOT
    SELECT * FROM (SELECT s, x FROM t) PIVOT (sum(x) FOR s IN ('a'))
UNPIVOT
    SELECT * FROM (SELECT s, x FROM t) UNPIVOT (v FOR n IN (x))
TABLESAMPLE | WHERE with a condition of your own
    SELECT x FROM t TABLESAMPLE (50 PERCENT)
VALUES
    SELECT * FROM VALUES (1, 'a'), (2, 'b') AS v(i, s)
range()
    SELECT id FROM range(3)
LIKE, ILIKE, ESCAPE
    SELECT s LIKE 'a!%' ESCAPE '!' FROM t
RLIKE
    SELECT s RLIKE 'a' FROM t
arrays of what is written out
    SELECT array(1, 2)
arrays of columns
    SELECT array(x, x) FROM t
elements of an array
    SELECT a[0] FROM t
elements of a map
    SELECT m['k'] FROM t
fields of a struct
    SELECT st.f FROM t
lambdas
    SELECT transform(a, x -> x + 1) FROM t
intervals
    SELECT ts + INTERVAL '1' DAY FROM t
CAST, TRY_CAST
    SELECT TRY_CAST(s AS INT) FROM t
"""


def _read() -> tuple[Construct, ...]:
    found: list[Construct] = []
    name = instead = example = ""
    for line in [*_TABLE.strip().splitlines(), ""]:
        if line.startswith(" "):
            example = f"{example} {line.strip()}".strip()
            continue
        if name:
            found.append(Construct(name, example, instead))
        name, _, instead = (part.strip() for part in line.partition(" | "))
        example = ""
    return tuple(found)


CONSTRUCTS = _read()


def function_engines(name: str) -> tuple[str, ...]:
    """The engines that have a function."""
    return tuple(it for it in ENGINES if functions.lookup(name, it) is not None)
