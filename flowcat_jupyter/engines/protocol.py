"""What an engine is: it prepares a plan over given relations, and the result can be written."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from flowcat_jupyter.shared.wire import Column, QueryPlan


@dataclass(frozen=True)
class Relation:
    """A relation a query may read.

    ``name`` is what people call it; ``columns`` are its declared Spark types; ``frame`` is the
    engine's own kind of source (a LazyFrame for polars), whose integers may be wider than declared.
    ``files`` are Parquet files that hold exactly its rows under its columns' names, or none.
    """

    name: tuple[str, ...]
    columns: tuple[Column, ...]
    frame: object
    files: tuple[str, ...] = ()


class Prepared(Protocol):
    """A query that is checked and ready; preparing it read no rows."""

    @property
    def columns(self) -> tuple[Column, ...]:
        """The result's headings and Spark types."""

    @property
    def warnings(self) -> tuple[str, ...]:
        """What the user should know of this result."""

    def sink(self, path: Path, *, limit: int | None, max_bytes: int) -> tuple[int, bool]:
        """Run it and write an uncompressed Arrow IPC file with columns c0 … cn.

        At most ``limit`` rows are written; answers how many, and whether there were more.

        :raises SqlError: a value made it fail (overflow, a bad cast, a zero divisor).
        :raises LimitExceeded: the result is larger than ``max_bytes``, or a value of it than the
            plan allows; no file is left.
        """

    def explain(self) -> tuple[str, ...]:
        """What would be read and done, for people; nothing is run."""


class Engine(Protocol):
    """Something that runs queries."""

    @property
    def name(self) -> str:
        """What the engine is called."""

    def prepare(self, plan: QueryPlan, relations: Mapping[str, Relation]) -> Prepared:
        """Check and lower ``plan``, which may read ``relations`` (by identifier) and nothing else.

        :raises SqlError: a name, type or construct in it is wrong or not supported.
        """
