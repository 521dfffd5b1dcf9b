"""Statements of any depth are answered soon, with rows or with a clear refusal."""

from __future__ import annotations

import time

import pytest

from tests.support.live import LiveServer

pytestmark = [pytest.mark.slow]


def _nested(kind: str, depth: int) -> str:
    if kind == "sum":
        return f"SELECT {' + '.join(['1'] * depth)}"
    if kind == "and":
        return f"SELECT {' AND '.join(['1 = 1'] * depth)}"
    if kind == "calls":
        return f"SELECT {'lower(' * depth}'a'{')' * depth}"
    if kind == "casts":
        return f"SELECT {'CAST(' * depth}1{' AS INT)' * depth}"
    return f"SELECT {'(' * depth}1{')' * depth}"


@pytest.mark.parametrize("kind", ["sum", "and", "calls", "casts", "parentheses"])
@pytest.mark.parametrize("depth", [20, 100, 1000])
def test_depth_costs_neither_a_worker_nor_a_fault(server: LiveServer, kind: str, depth: int):
    began = time.monotonic()
    reply = server.try_sql(_nested(kind, depth))
    assert time.monotonic() - began < 30
    assert reply.status in (200, 400), reply.body
    if reply.status == 400:
        assert depth > 20
        assert "nested" in reply.json["message"]
