"""What the server and its workers say to each other about SHOW and DESCRIBE."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

from flowcat_jupyter.shared import wire
from flowcat_jupyter.shared.wire import Column, Job, QueryPlan, Source, TableFacts


@dataclass(frozen=True)
class PartitionsJob(Job):
    """Find the combinations of values that the rows of a table have in the columns it is
    partitioned by; answers a `PartitionsInfo`.
    """

    kind: ClassVar[str] = "partitions"
    source: Source
    columns: tuple[str, ...]


@dataclass(frozen=True)
class PartitionsInfo:
    """Each partition's values as text in the order of ``columns``, None being NULL."""

    columns: tuple[str, ...]
    values: tuple[tuple[str | None, ...], ...]


@dataclass(frozen=True)
class DetailJob(Job):
    """Read what a table's log says of the table; answers a `DetailInfo`."""

    kind: ClassVar[str] = "detail"
    short: ClassVar[bool] = True
    source: Source


@dataclass(frozen=True)
class DetailInfo:
    """A table's facts and, where its log has them, its id, when it was made (ISO 8601), what a
    reader or writer has to support, and the columns' defaults as SQL.
    """

    facts: TableFacts
    id: str | None = None
    created_at: str | None = None
    min_reader: int | None = None
    min_writer: int | None = None
    features: tuple[str, ...] = ()
    defaults: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class DescribeQueryJob(Job):
    """Find the columns of a plan without running it; answers a `DescribeQueryInfo`."""

    kind: ClassVar[str] = "describe_query"
    plan: QueryPlan


@dataclass(frozen=True)
class DescribeQueryInfo:
    """The columns that a query gives."""

    columns: tuple[Column, ...]


wire.register(dict(globals()))
