"""SET VARIABLE as it is read, before anything is computed."""

from __future__ import annotations

import pytest

from flowcat_jupyter.catalog.planning.statements import parse
from flowcat_jupyter.catalog.planning.variables import MOST_SET, SetVariables
from flowcat_jupyter.shared.errors import SqlError


def _set(count: int) -> str:
    return "SET VARIABLE " + ", ".join(f"v{number} = {number}" for number in range(count))


def test_a_statement_sets_so_many_variables_and_is_refused_before_more_are_read() -> None:
    (few,) = parse(_set(3))
    assert isinstance(few, SetVariables)
    assert few.names == ("v0", "v1", "v2")
    with pytest.raises(SqlError, match=f"At most {MOST_SET} variables are set at once"):
        parse(_set(MOST_SET + 1))
