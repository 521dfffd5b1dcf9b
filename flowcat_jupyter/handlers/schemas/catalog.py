"""The tree: catalogs, schemas and what hangs beneath."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from pydantic import Field

from flowcat_jupyter.handlers.schemas.base import Column, Reply, Request

Access = Literal["owner", "manage", "use", "browse"]
NodeKind = Literal["catalog", "schema", "table", "view"]
TableType = Literal["managed", "external"]


class Node(Reply):
    """One row of the catalog tree."""

    id: int
    uuid: str
    kind: NodeKind
    name: str
    full_name: list[str]
    sql_name: str = Field(description="the name as SQL text, quoted where it must be")
    description: str | None
    access: Access | None = Field(description="null on an ancestor shown for its name only")
    child_count: int | None
    row_count: int | None
    table_type: TableType | None
    broken: str | None
    data_version: int | None
    updated_at: datetime


class NodeList(Reply):
    """A page of the tree; ``after`` is the cursor of the next page, null on the last."""

    items: list[Node]
    total: int
    after: str | None


class SearchMatch(Reply):
    """Why something was found."""

    field: Literal["name", "column", "comment", "tag"]
    text: str = Field(description="what matched; of a long comment the part that did")
    column: str | None = Field(description="the column it is of; null on the object's own")


class SearchHit(Reply):
    """A node that matched, why, and the columns of it that matched or whose comment did."""

    node: Node
    columns: list[Column]
    matched: list[SearchMatch]


class SearchReply(Reply):
    """The best matches, and how many there are in all."""

    items: list[SearchHit]
    total: int


class NamespaceCreate(Request):
    """A catalog (no parent) or a schema (parent is a catalog's id)."""

    name: str
    parent_id: int | None = None
    description: str | None = None


class ObjectPatch(Request):
    """What may change of a namespace; absent keys stay."""

    name: str | None = None
    description: str | None = None
    parent_id: int | None = None
