"""What a plan is made of: columns, the relations it may open, and the query over them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Column:
    """A column; ``type`` is Spark DDL."""

    name: str
    type: str
    nullable: bool = True
    comment: str | None = None


@dataclass(frozen=True)
class OptionLayer:
    """Options that were given together: ``kind`` is ``properties`` (the table's own) or
    ``options`` (the statement's or the reader's).

    Layers are in order; of two that say the same option the later counts. Names are compared
    without regard to case, and with ``_`` as nothing: ``date_format`` is ``dateFormat``.
    """

    kind: str
    values: dict[str, str]


@dataclass(frozen=True)
class Source:
    """A relation a job may open, and nothing else it may.

    ``kind``: ``table`` (``format`` at ``location``, pinned to ``version`` or to the latest when
    the job opens it) or ``inline`` (``location`` is an Arrow IPC file of the server's own).
    ``relation`` is its identifier in the plan's tree, ``name`` what people call it. ``options`` and
    ``columns`` (none: they are found out) say how files are read. ``pointer`` is the metadata file
    that says what an Iceberg table is, ``ref`` a branch or tag of it.
    """

    relation: str
    kind: str
    name: tuple[str, ...]
    format: str
    location: str
    version: int | None = None
    timestamp: str | None = None
    storage_options: dict[str, str] = field(default_factory=dict)
    options: tuple[OptionLayer, ...] = ()
    columns: tuple[Column, ...] = ()
    pointer: str | None = None
    ref: str | None = None


@dataclass(frozen=True)
class QueryPlan:
    """One authorised SELECT, none of whose values may take more than ``max_cell_bytes``.

    ``tree`` is sqlglot's expression as text (see `sql.tree`), in which every relation is an
    identifier of ``sources`` or a CTE. ``headings`` are the output expressions' own source text,
    one per item of the outermost select list (None where that is ``*`` or has an alias). ``text``
    is the statement; ``offset``, ``line`` and ``column`` are its first character's place in what
    the user sent, for errors. ``variables`` are the values of names that are no column's, by their
    keys, as SQL. ``hidden`` are the views and functions in it whose definitions the user may not
    see.
    """

    tree: str
    sources: tuple[Source, ...]
    headings: tuple[str | None, ...]
    text: str
    offset: int = 0
    line: int = 1
    column: int = 1
    dialect: str = "house"
    engine: str | None = None
    prefers: str = "polars"
    params: dict[str, Any] = field(default_factory=dict)
    time_zone: str = "UTC"
    now: str = ""
    user: str = ""
    max_cell_bytes: int = 1 << 26
    variables: dict[str, str] = field(default_factory=dict)
    hidden: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class UsedTable:
    """A source and the version it was read at."""

    name: tuple[str, ...]
    version: int | None
