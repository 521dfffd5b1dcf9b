"""Saved queries."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from pydantic import Field

from flowcat_jupyter.handlers.schemas.base import Reply, Request


class SavedQueryCreate(Request):
    """A query to keep; it is not run."""

    name: str
    text: str
    catalog: str | None = None
    schema_: str | None = Field(default=None, alias="schema")
    dialect: str | None = None
    chart: dict[str, Any] | None = Field(default=None, description="how its result is drawn")


class SavedQueryPatch(Request):
    """What may change of a saved query; absent keys stay."""

    name: str | None = None
    text: str | None = None
    catalog: str | None = None
    schema_: str | None = Field(default=None, alias="schema")
    dialect: str | None = None
    chart: dict[str, Any] | None = None


class SavedQueryReply(Reply):
    """A saved query."""

    id: int
    name: str
    text: str
    catalog: str | None
    schema_: str | None = Field(alias="schema")
    dialect: str | None
    chart: dict[str, Any] | None
    created_at: datetime
    updated_at: datetime


class SavedQueryList(Reply):
    """A page of saved queries, by name."""

    items: list[SavedQueryReply]
    total: int
    after: str | None
