"""The suite of statements with a catalog in PostgreSQL."""

from __future__ import annotations

import pytest

from tests.support.live import LiveServer
from tests.support.statement_files import Case
from tests.support.statement_runs import run


@pytest.mark.postgresql
def test_a_statement_answers_as_told(on_postgresql: LiveServer, case: Case, format: str) -> None:
    run(on_postgresql, case, format)
