"""Lowering: from an authorised tree and its schemas to the text one engine runs.

The text is new in every part: fully parenthesised, every name generated, every cast spelled out,
so that it means in the engine what the tree means in Spark.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from sqlglot import exp

from flowcat_jupyter.shared.errors import NotFound
from flowcat_jupyter.shared.wire import Column
from flowcat_jupyter.sql.lowering import (  # each registers its handlers or rewrites
    arrays,
    atoms,
    bits,
    duckdb,
    inlist,
    lambdas,
    logic,
    moments,
    numbers,
    rewrite_clock,
    rewrite_long,
    rewrite_numbers,
    rewrite_steps,
    rewrite_text,
    rewrite_times,
    statistics,
    times,
    windows,
)
from flowcat_jupyter.sql.lowering.context import Context
from flowcat_jupyter.sql.lowering.frames import Frame
from flowcat_jupyter.sql.lowering.query import Lowering
from flowcat_jupyter.sql.lowering.shared import SharedLeaf
from flowcat_jupyter.sql.lowering.targets import POLARS, Target

TARGETS: dict[str, Target] = {"polars": POLARS, "duckdb": duckdb.DUCKDB}
_REGISTERED = (
    arrays,
    atoms,
    bits,
    duckdb,
    inlist,
    lambdas,
    logic,
    moments,
    numbers,
    rewrite_clock,
    rewrite_numbers,
    rewrite_long,
    rewrite_steps,
    rewrite_text,
    rewrite_times,
    statistics,
    times,
    windows,
)


@dataclass(frozen=True)
class Lowered:
    """A query ready to run: ``sql`` gives columns c0 … cn, ``columns`` their headings and types.

    ``labels`` names what each generated column is to people, for messages. ``guarded`` asks the
    engine not to evaluate shared parts of branches before it knows which branch is taken.
    ``physical``, where not empty, are the names the text gives the columns instead of c0 … cn.
    ``frames`` are relations to be made first, in their order, each of what is there by then.
    ``leaves`` are relations to be made before those, each of columns of one that there is.
    ``reads`` are the columns the text reads of each relation, by their names in it.
    """

    sql: str
    columns: tuple[Column, ...]
    warnings: tuple[str, ...]
    labels: Mapping[str, str]
    guarded: bool = False
    physical: tuple[str, ...] = ()
    frames: tuple[Frame, ...] = ()
    reads: Mapping[str, frozenset[str]] = field(default_factory=dict)
    leaves: tuple[SharedLeaf, ...] = ()


def lower(
    tree: exp.Expression,
    schemas: Mapping[str, Sequence[Column]],
    *,
    target: str = "polars",
    time_zone: str = "UTC",
    now: str = "",
    user: str = "",
    params: Mapping[str, Any] | None = None,
    headings: Sequence[str | None] = (),
    names: Mapping[str, tuple[str, ...]] | None = None,
    max_cell_bytes: int = 1 << 26,
    same: Mapping[str, str] | None = None,
    variables: Mapping[str, str] | None = None,
) -> Lowered:
    """Lower a query whose relations are keys of ``schemas``.

    ``names`` is what people call each relation; ``headings`` are the source texts of the
    outermost select list's unnamed expressions; ``same`` names, for each of the relations that hold
    the same rows, the first of them; ``variables`` are as a plan has them. No text made may
    take more than ``max_cell_bytes``.

    :raises SqlError: a name, a type or a construct is wrong or not supported, with its place.
    """
    if target not in TARGETS:
        raise NotFound("target", target, hint=f"There are: {', '.join(TARGETS)}.")
    context = Context(
        schemas=schemas,
        names=names or {},
        time_zone=time_zone,
        now=now or datetime.now(UTC).isoformat(),
        user=user,
        params=params or {},
        target=TARGETS[target],
        max_cell_bytes=max_cell_bytes,
        same=same or {},
        variables=variables or {},
    )
    made = Lowering(context, tuple(headings)).top(tree)
    columns = tuple(Column(item.name, item.type.ddl) for item in made.columns)
    return Lowered(
        context.queried(made.sql),
        columns,
        tuple(context.warnings),
        context.labels,
        context.guarded,
        made.physical,
        tuple(context.frames),
        {name: frozenset(columns) for name, columns in context.reads.items()},
        tuple(leaf for leaf in context.leaves.values() if leaf.read),
    )
