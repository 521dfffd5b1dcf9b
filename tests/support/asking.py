"""What a server says to statements, short."""

from __future__ import annotations

from typing import Any

from tests.support.live import LiveServer, select


def rows(server: LiveServer, what: str, order: str = "1") -> Any:
    """The rows of a table, in order."""
    return server.sql(f"{select('*', what)} ORDER BY {order}")["rows"]


def refused(server: LiveServer, text: str) -> tuple[int, str | None, str]:
    """The status, the condition, and the message with its hint."""
    reply = server.try_sql(text)
    body = reply.json
    return reply.status, body.get("condition"), f"{body['message']} {body.get('hint') or ''}"
