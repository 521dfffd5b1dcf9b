"""Engines the text can be for, and the small things each of them spells its own way.

Lowering asks ``context.target`` where only a few words differ. Where more does, the whole handler,
rewrite, aggregate or cast is registered once more with ``target="…"`` (see `handles`, `rewrites`,
`aggregates.spells`, `casts.rules`), and a function's line once more in `functions_duckdb`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from flowcat_jupyter.sql.lowering import rounding
from flowcat_jupyter.sql.quoting import column_name, identifier

if TYPE_CHECKING:
    from flowcat_jupyter.sql.lowering.values import Value


class Target:
    """Spells as polars does; other engines override what differs."""

    name = "polars"
    steps = True
    """Whether the engine adds columns by expressions of its own, besides SQL."""
    wraps = True
    """Whether whole numbers that do not fit their type become others in silence."""
    exact_division = True
    """Whether ``/`` of two DECIMALs is a DECIMAL."""
    deep_correlation = False
    """Whether a correlated sub-query may have groups, or be over groups."""

    orders_nested = False
    """Whether it knows which of two arrays or structs is the larger."""

    statistics_of_nan = True
    """Whether a statistic of NaN or infinite numbers is NaN, and not a failure."""

    samples = False
    """Whether rows may be chosen by chance."""

    def kept(self, sql: str) -> str:
        """A number that does not exist where it fails, though it be only compared."""
        return sql

    def column(self, name: str, at: int) -> str:
        """What a relation's column number ``at``, called ``name``, is called in the text."""
        return column_name(name, at)

    def days(self, date: str) -> str:
        """A date as the INTEGER number of days since 1970."""
        return f"CAST({date} AS INTEGER)"

    def date(self, days: str) -> str:
        """A date from its BIGINT number of days since 1970."""
        return f"CAST(CAST({days} AS INTEGER) AS DATE)"

    def micros(self, moment: str) -> str:
        """A moment, with a zone or without, as the BIGINT number of microseconds since 1970."""
        return f"CAST({moment} AS BIGINT)"

    def moment(self, micros: str, *, zoned: bool) -> str:
        """A moment from its BIGINT number of microseconds since 1970."""
        return f"CAST({micros} AS {'TIMESTAMPTZ' if zoned else 'TIMESTAMP'})"

    def reached(self, moved: str, start: str) -> str:
        """A date that was moved, which fails with the number 22008 where no date is so far away."""
        lost = f"(({moved} IS NULL) AND ({start} IS NOT NULL))"
        failing = f"CAST((CAST({lost} AS INTEGER) * 22008) AS TINYINT)"
        return f"CASE WHEN ({failing} > 0) THEN NULL ELSE {moved} END"

    def moved_date(self, moved: str) -> str:
        """A date plus an interval, which must still be a date."""
        return moved

    def matches(self, text: str, pattern: str) -> str:
        """Whether a regular expression is found in a text; both are SQL."""
        return f"REGEXP_LIKE({text}, {pattern})"

    def exact(self, left: Value, operator: str, right: Value) -> str | None:
        """A sum, difference or product of two DECIMALs where the engine's own has too few digits.

        None where it has enough.
        """
        return None

    def to_round(self, text: str) -> str:
        """A number's text, written so that a cast to a DECIMAL rounds it half up."""
        return rounding.untied(text)

    def whole_quotient(self, left: Value, right: Value) -> str:
        """One DECIMAL divided by another, without what is left."""
        return f"({left.sql} // {right.sql})"

    def field(self, struct: str, name: str) -> str:
        """A field of a struct."""
        return f"{struct}.{identifier(name)}"

    def unnest(self, array: str) -> str:
        """The elements of an array as rows, and one row of NULL where there are none."""
        return f"UNNEST({array})"


POLARS = Target()
