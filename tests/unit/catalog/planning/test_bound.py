"""Values and frames that a text does not name are refused, and said."""

from __future__ import annotations

import pytest

from flowcat_jupyter.catalog.planning.bound import refuse_unused
from flowcat_jupyter.catalog.planning.statements import parse
from flowcat_jupyter.shared.errors import SqlError


@pytest.mark.parametrize(
    "text",
    [
        "SELECT x FROM t WHERE x > :n",
        "SHOW TABLES; SELECT 1; SELECT x FROM t LIMIT :n",
        "WITH w AS (SELECT :n AS x) SELECT x FROM w",
        "SELECT x FROM t VERSION AS OF :n",
        "SELECT x FROM t WHERE x IN (SELECT y FROM u WHERE y = :n)",
        "EXPLAIN SELECT :n",
    ],
)
def test_a_value_that_one_statement_names_is_used(text: str) -> None:
    refuse_unused(parse(text), ["n"], [])


def test_a_frame_that_stands_in_from_is_used() -> None:
    refuse_unused(parse("SELECT x FROM :df d WHERE x > :n"), ["n"], ["df"])


@pytest.mark.parametrize(
    ("params", "frames", "told"),
    [
        (["n", "m"], [], "The text does not name the parameter :m."),
        (["a", "n", "b"], [], "The text does not name the parameters :a, :b."),
        (["n"], ["df"], "The text does not name the frame :df."),
    ],
)
def test_what_no_statement_names_is_said(params: list[str], frames: list[str], told: str) -> None:
    with pytest.raises(SqlError, match=told) as refused:
        refuse_unused(parse("SELECT :n; SELECT ':m', 'df'"), params, frames)
    assert refused.value.condition == "UNUSED_SQL_PARAMETER"


def test_a_misspelt_name_is_told_beside_the_one_that_is_meant() -> None:
    with pytest.raises(SqlError) as refused:
        refuse_unused(parse("SELECT :limti"), ["limit"], [])
    assert "It names :limti, to which nothing is bound." in (refused.value.hint or "")
