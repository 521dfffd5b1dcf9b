"""``DELETE``, ``UPDATE``, ``MERGE`` and ``TRUNCATE``: which rows of a table become what."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from sqlglot import exp

from flowcat_jupyter.shared.names import TableName
from flowcat_jupyter.sql.dialect import Piece

MATCHED, UNMATCHED, ORPHAN = "matched", "not matched", "not matched by source"
DELETED, UPDATED, INSERTED = "delete", "update", "insert"


@dataclass(frozen=True)
class Clause:
    """What becomes of some rows.

    ``when``: rows of the target that the source matches (or, without a source, all of them), rows
    of the source that match none, or rows of the target that none matches. ``values`` are the
    target's columns with what they get, in the words of the statement; None for all columns by
    their names.
    """

    when: str
    action: str
    condition: exp.Expression | None = None
    values: tuple[tuple[str, exp.Expression], ...] | None = ()


@dataclass(frozen=True)
class ChangeRows:
    """A statement that changes rows of one table; the first clause that fits a row decides.

    ``alias`` is what its columns are called by. ``source`` and ``on`` are those of ``MERGE``; one
    that ``evolves`` gives the table the columns that it fills and that the table lacks.
    """

    piece: Piece
    kind: str
    name: TableName
    alias: str
    target: exp.Table
    clauses: tuple[Clause, ...]
    source: exp.Table | exp.Subquery | exp.Values | None = None
    on: exp.Expression | None = None
    ctes: exp.With | None = None
    evolves: bool = False

    @property
    def expressions(self) -> Iterator[exp.Expression]:
        """Every condition and value that is computed for rows."""
        if self.on is not None:
            yield self.on
        for clause in self.clauses:
            if clause.condition is not None:
                yield clause.condition
            yield from (value for _, value in clause.values or ())

    @property
    def trees(self) -> Iterator[exp.Expression]:
        """Everything that may name a parameter, a frame or another table."""
        yield from (part for part in (self.ctes, self.source) if part is not None)
        yield from self.expressions
