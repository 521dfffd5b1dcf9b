"""A table's versions compared and restored, and its files looked after."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from flowcat_jupyter.handlers.schemas.base import Column, Reply, Request
from flowcat_jupyter.handlers.schemas.tables import TableReply


class DiffSide(Reply):
    """One of the two versions, and how much it holds."""

    version: int
    row_count: int | None
    files: int


class DiffColumn(Reply):
    """A column that is not the same in both; null where a version has it not."""

    before: Column | None
    after: Column | None


class DiffSetting(Reply):
    """A property that is not the same in both; null where a version has it not."""

    name: str
    before: str | None
    after: str | None


class DiffRow(Reply):
    """A row that one version has ``count`` times more than the other."""

    change: Literal["added", "removed"]
    count: int
    values: list[str | None] = Field(description="as the grid shows them; null is NULL")
    beside: bool = Field(description="it may be what became of the row that is listed before it")


class DiffReply(Reply):
    """In what two versions of a table differ."""

    before: DiffSide
    after: DiffSide
    columns: list[DiffColumn]
    settings: list[DiffSetting]
    compared: list[Column] = Field(description="the columns that rows are compared by")
    left_out: list[str] = Field(description="columns of both whose types cannot be compared")
    added: int | None = Field(description="rows only after; null: no column can be compared")
    removed: int | None
    sample: list[DiffRow] = Field(description="some of these rows, a hundred at most")


class RestoreRequest(Request):
    """The version to go back to."""

    version: int


class OptimizeRequest(Request):
    """How files are put together."""

    order_by: list[str] = Field(default_factory=list, description="columns to sort along, if any")


class VacuumRequest(Request):
    """Which files are removed."""

    retain_hours: int | None = Field(
        default=None, description="how old a version must be to lose its files; null: a week"
    )
    dry_run: bool = Field(default=False, description="only tell what would go")


class UpkeepReply(Reply):
    """What was done to a table, or in a dry run would be."""

    action: Literal["restore", "optimize", "vacuum"]
    changed: bool
    dry_run: bool
    note: str | None = Field(description="what was done, in words")
    version_before: int | None = Field(description="restoring it undoes a restore")
    version: int | None
    files_removed: int
    files_added: int
    bytes_freed: int
    table: TableReply
