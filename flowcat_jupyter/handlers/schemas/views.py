"""Views."""

from __future__ import annotations

from datetime import datetime

from pydantic import Field

from flowcat_jupyter.handlers.schemas.base import Column, Reply
from flowcat_jupyter.handlers.schemas.catalog import Access


class ViewReply(Reply):
    """A view, whole."""

    id: int
    uuid: str
    name: str
    full_name: list[str]
    sql_name: str
    description: str | None
    access: Access | None
    columns: list[Column] = Field(description="as they were when the view was made or changed")
    text: str | None = Field(
        description="its query as it was written; null for those who do not manage it"
    )
    dialect: str = Field(description="what the query is written in")
    catalog: str | None = Field(
        description="where names of fewer parts in it are looked for; null as its query is"
    )
    schema_: str | None = Field(alias="schema")
    properties: dict[str, str]
    owner: str
    created_at: datetime
    updated_at: datetime
    updated_by: str
