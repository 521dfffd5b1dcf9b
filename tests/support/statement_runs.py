"""Cases of statements against a server, over HTTP."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

from tests.support.live import LiveServer, Reply
from tests.support.statement_files import Case, Step, agrees, error, fill, is_refusal, table


def run(server: LiveServer, case: Case, format: str) -> None:
    """Run the case's statements in a schema of their own and hold each answer to what is expected.

    :raises AssertionError: a statement answers otherwise; it says the line and what was answered.
    """
    schema, session = f"s{uuid4().hex[:12]}", str(uuid4())
    values = {"format": format, "schema": schema, "catalog": "main"}
    server.sql(f"CREATE SCHEMA {schema}; USE {schema}", session=session)
    try:
        for step in case.steps:
            text = fill(step.text, **values)
            expected = step.answer(format)
            actual = answer(server.try_sql(text, session=session))
            _compare(case, step, [fill(line, **values) for line in expected or ()], actual, format)
            if is_refusal(expected) or format in step.faulty:
                break
    finally:
        server.sql(f"DROP SCHEMA IF EXISTS {schema} CASCADE")


def _compare(case: Case, step: Step, expected: list[str], actual: list[str], format: str) -> None:
    fine = agrees(expected, actual) if expected else not actual[0].startswith("error ")
    told = "\n".join(("expected:", *(expected or ["no error"]), "answered:", *actual))
    where = f"{case.family}.sql:{step.line}: {step.text}"
    if format in step.faulty:
        assert not fine, f"{where}\nThe fault is mended: take its mark away."
    else:
        assert fine, f"{where}\n{told}"


def answer(reply: Reply) -> list[str]:
    """What a statement answered, as lines."""
    body: dict[str, Any] = reply.json
    if reply.status != 200:
        if body.get("condition") is None:
            return [f"error {body.get('code')} {body.get('message')}"]
        return error(body["condition"], body.get("sqlstate"))
    if body["columns"]:
        return table([(column["name"], column["type"]) for column in body["columns"]], body["rows"])
    if body["written"] is not None:
        done = [f"{count} {what}" for what, count in body["written"].items() if count]
        return [", ".join(done) or "no rows"]
    return ["done" if body["changed"] else "nothing to do"]
