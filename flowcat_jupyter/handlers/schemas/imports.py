"""Imports: files, how they are read, and what they would become."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from flowcat_jupyter.handlers.schemas.base import Reply, Request

ImportMode = Literal["error", "append", "overwrite", "upsert"]


class _Files(Request):
    """Which files, by path or by upload, and how to read them."""

    path: str | None = Field(None, description="a file, folder or pattern")
    paths: list[str] | None = Field(None, description="files, folders or patterns: one table")
    upload_id: str | None = None
    upload_ids: list[str] | None = Field(None, description="several uploads: one table")
    format: str | None = None
    options: dict[str, str] = Field(default_factory=dict)
    types: dict[str, str] = Field(
        default_factory=dict, description="column name to Spark DDL type, overriding"
    )
    use_remembered: bool = Field(
        True, description="begin with the options and types of the source's last import"
    )


class ImportRequest(_Files):
    """Files to ingest: paths under the Jupyter root, or uploads."""

    table: str
    mode: ImportMode = "error"
    merge_keys: list[str] = Field(
        default_factory=list, description="of upsert: the columns that match rows"
    )
    accept_drift: bool = Field(
        False, description="append or upsert although columns differ from the table's"
    )
    remember: bool = Field(
        True, description="keep format, options and types for the source's next import"
    )


class ImportPreviewRequest(_Files):
    """What to look at before an import; ``table`` to see how its columns differ."""

    table: str | None = None
    mode: ImportMode | None = None


class ProposedColumn(Reply):
    """A proposed type and why."""

    name: str
    type: str
    reason: str
    examples: list[str]


class ImportFile(Reply):
    """A file that an import reads."""

    name: str
    size_bytes: int


class Detected(Reply):
    """How the files were found to be written: an option's value, and why."""

    option: str
    value: str
    reason: str


class Reject(Reply):
    """A line that would become no row."""

    file: str
    line: int
    reason: str
    text: str


class DriftColumn(Reply):
    """A column that only the files, or only the table, have."""

    name: str
    type: str


class DriftChange(Reply):
    """A column whose type differs: ``from`` the table's ``to`` the files'."""

    name: str
    from_: str = Field(alias="from")
    to: str


class Drift(Reply):
    """How the columns of files and table differ."""

    added: list[DriftColumn]
    missing: list[DriftColumn]
    changed: list[DriftChange]


class ImportPreview(Reply):
    """What an import would make of its files.

    ``notes`` are those ``warnings`` that ``rejects`` do not tell already.
    ``choices`` has what a person may pick for each option, nothing for free text. ``remembered``:
    the source's last import was the starting point.
    """

    format: str
    options: dict[str, str]
    columns: list[ProposedColumn]
    rows: list[list[Any]]
    rows_read: int
    warnings: list[str] = Field(default_factory=list)
    notes: list[str] = Field(default_factory=list)
    files: list[ImportFile] = Field(default_factory=list)
    rejected: int = 0
    rejects: list[Reject] = Field(default_factory=list)
    detected: list[Detected] = Field(default_factory=list)
    choices: dict[str, list[str]] = Field(default_factory=dict)
    drift: Drift | None = None
    remembered: bool = False


class FileSqlReply(Reply):
    """How SQL reads a file or folder where it is; null where it cannot."""

    sql: str | None


class ForgottenReply(Reply):
    """How many sources were forgotten."""

    forgotten: int
