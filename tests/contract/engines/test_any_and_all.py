"""ANY and ALL of a query, held to a comparison with every row in turn."""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import product
from operator import eq, ge, gt, le, lt, ne

import pytest

from flowcat_jupyter.engines.protocol import Engine
from tests.support import oracle
from tests.support.engines import select

NAN, INFINITY = math.nan, math.inf
Place = tuple[bool, float]
TESTS: dict[str, Callable[[Place, Place], bool]] = {
    "<": lt,
    "<=": le,
    ">": gt,
    ">=": ge,
    "=": eq,
    "<>": ne,
}
VALUES = (1.0, NAN, 5.0, -0.0, INFINITY, -INFINITY, None)
QUERIES = (
    (1.0, NAN, 5.0),
    (1.0, NAN),
    (NAN,),
    (NAN, INFINITY),
    (NAN, None),
    (0.0, None),
    (1.0, 5.0),
    (NAN, NAN),
    (5.0,),
    (),
)


def place(value: float) -> Place:
    """NaN is equal to itself and more than any number."""
    return (True, 0.0) if math.isnan(value) else (False, value)


def compared(operator: str, one: float | None, other: float | None) -> bool | None:
    if one is None or other is None:
        return None
    return TESTS[operator](place(one), place(other))


def expected(
    operator: str, quantifier: str, value: float | None, among: tuple[float | None, ...]
) -> bool | None:
    found = [compared(operator, value, other) for other in among]
    decided = quantifier == "ANY"
    if decided in found:
        return decided
    return None if None in found else not decided


def rows(given: tuple[float | None, ...], kind: str, name: str) -> str:
    listed = [
        f"({at}, CAST({'NULL' if item is None else repr(str(item))} AS {kind}))"
        for at, item in enumerate((*given, None))
    ]
    source = f"FROM VALUES {', '.join(listed)} AS {name}(id, v) WHERE id < {len(given)}"
    return f"({select('*', source)})"


@pytest.mark.parametrize("kind", ["DOUBLE", "FLOAT"])
@pytest.mark.parametrize("quantifier", ["ANY", "ALL"])
@pytest.mark.parametrize("operator", TESTS)
def test_any_and_all_compare_with_each_row(
    engine: Engine, operator: str, quantifier: str, kind: str
) -> None:
    among = [select("v", f"FROM {rows(given, kind, 'b')} b") for given in QUERIES]
    tests = [
        f"v {operator} {quantifier} ({query}) AS y{at}" for at, query in enumerate(among, start=1)
    ]
    sql = select(", ".join(tests), f"FROM {rows(VALUES, kind, 'a')} a ORDER BY id")
    got = oracle.ask(engine, sql, {})
    assert got.error is None, got.message
    wanted = [
        tuple(expected(operator, quantifier, value, given) for given in QUERIES) for value in VALUES
    ]
    assert list(got.rows) == wanted


@pytest.mark.parametrize(("operator", "quantifier"), [*product(TESTS, ("ANY", "ALL"))])
def test_texts_are_compared_as_the_numbers_they_are(
    engine: Engine, operator: str, quantifier: str
) -> None:
    texts = "(SELECT * FROM VALUES ('9'), ('10'), ('100') AS b(w))"
    sql = select(
        f"v {operator} {quantifier} ({select('w', f'FROM {texts} b')}) AS y",
        "FROM VALUES (5), (9), (50), (100), (101) AS a(v) ORDER BY v",
    )
    got = oracle.ask(engine, sql, {})
    assert got.error is None, got.message
    numbers = (9.0, 10.0, 100.0)
    wanted = [expected(operator, quantifier, value, numbers) for value in (5.0, 9, 50, 100, 101)]
    assert [row[0] for row in got.rows] == wanted
