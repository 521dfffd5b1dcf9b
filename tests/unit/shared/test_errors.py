import json
import traceback

import pytest

from flowcat_jupyter.shared import errors
from flowcat_jupyter.shared.errors import (
    AlreadyExists,
    Cancelled,
    FlowcatError,
    Forbidden,
    Internal,
    NotFound,
    NotInstalled,
    SqlError,
)

ALL = [
    NotFound("table", "a.b"),
    AlreadyExists("schema", "s", hint="Choose another."),
    Forbidden("drop", "table", "t"),
    NotInstalled("The demo", "pip install it"),
    Cancelled(),
    SqlError("No.", condition="X", sqlstate="42000", line=3, column=7, hint="Yes."),
]


def test_any_error_can_become_a_statements_at_its_place():
    error = SqlError.of(Forbidden("read", "table", "t", hint="Ask."), place=(3, 7))
    assert (error.code, error.condition) == ("SqlError", "INSUFFICIENT_PERMISSIONS")
    assert (error.line, error.column, error.hint) == (3, 7, "Ask.")
    again = SqlError.of(error, message="Statement 2: no")
    assert (again.message, again.line, again.column) == ("Statement 2: no", 3, 7)


@pytest.mark.parametrize("error", ALL, ids=lambda e: e.code)
def test_a_traceback_shows_the_hint_once_wherever_the_error_came_from(error):
    for raised in (error, FlowcatError.from_wire(error.to_wire())):
        told = "".join(traceback.format_exception(raised))
        assert told.count("Hint: ") == (1 if raised.hint else 0)
        assert (raised.hint or "") in told


@pytest.mark.parametrize("error", ALL, ids=lambda e: e.code)
def test_an_error_crosses_processes_unchanged(error):
    body = json.loads(json.dumps(error.to_wire()))
    back = FlowcatError.from_wire(body)
    assert type(back) is type(error)
    assert back.to_wire() == error.to_wire()
    assert str(back) == error.message


def test_an_unknown_code_is_a_fault_of_ours():
    assert isinstance(FlowcatError.from_wire({"code": "Strange", "message": "?"}), Internal)
    assert isinstance(FlowcatError.from_wire({}), Internal)


def test_errors_say_kind_and_name_and_carry_sparks_conditions():
    missing = NotFound("table", "a.b")
    assert missing.message == "There is no table a.b."
    assert (missing.condition, missing.sqlstate) == ("TABLE_OR_VIEW_NOT_FOUND", "42P01")
    assert AlreadyExists("table", "t").sqlstate == "42P07"
    assert Forbidden("drop", "table", "t").sqlstate == "42501"


def test_there_is_one_root_and_every_kind_has_its_own_code():
    kinds = [
        kind
        for kind in vars(errors).values()
        if isinstance(kind, type) and issubclass(kind, FlowcatError)
    ]
    assert len({kind.code for kind in kinds}) == len(kinds)
    assert all(kind.code == kind.__name__ for kind in kinds)
