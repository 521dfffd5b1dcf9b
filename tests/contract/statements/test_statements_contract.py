"""The suite of statements with a catalog in SQLite."""

from __future__ import annotations

from tests.support.live import LiveServer
from tests.support.statement_files import Case
from tests.support.statement_runs import run


def test_a_statement_answers_as_told(on_sqlite: LiveServer, case: Case, format: str) -> None:
    run(on_sqlite, case, format)
