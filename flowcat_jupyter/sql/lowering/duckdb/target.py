"""DuckDB's spelling of what few words differ in."""

from __future__ import annotations

from flowcat_jupyter.sql.lowering.targets import Target

_EPOCH = "DATE '1970-01-01'"


class DuckDB(Target):
    """DuckDB folds the case of names, counts days by subtraction, and rounds when it casts."""

    name = "duckdb"
    steps = False
    exact_division = False

    def column(self, name: str, at: int) -> str:
        """Columns are numbered, as two of one relation may differ by case alone."""
        return f"k{at}"

    def days(self, date: str) -> str:
        """See `Target.days`."""
        return f"CAST((CAST({date} AS DATE) - {_EPOCH}) AS INTEGER)"

    def date(self, days: str) -> str:
        """See `Target.date`."""
        return f"({_EPOCH} + CAST({days} AS INTEGER))"

    def moved_date(self, moved: str) -> str:
        """A date plus an interval is a TIMESTAMP here."""
        return f"CAST({moved} AS DATE)"

    def matches(self, text: str, pattern: str) -> str:
        """See `Target.matches`."""
        return f"REGEXP_MATCHES({text}, {pattern})"

    def unnest(self, array: str) -> str:
        """An empty array gives no row here, so it is made one of NULL."""
        return f"UNNEST(CASE WHEN (LEN({array}) > 0) THEN {array} ELSE [NULL] END)"


DUCKDB = DuckDB()
