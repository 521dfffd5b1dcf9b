"""DuckDB's spelling of what few words differ in."""

from __future__ import annotations

from flowcat_jupyter.sql.lowering.targets import Target
from flowcat_jupyter.sql.lowering.values import Value
from flowcat_jupyter.sql.quoting import literal

_EPOCH = "DATE '1970-01-01'"


class DuckDB(Target):
    """DuckDB folds the case of names, counts days by subtraction, and rounds when it casts."""

    name = "duckdb"
    steps = False
    wraps = False
    exact_division = False
    deep_correlation = True
    samples = True
    statistics_of_nan = False
    orders_nested = True

    def kept(self, sql: str) -> str:
        """A narrowing behind a sign, which costs nothing when it runs.

        Of `narrow(x) > 5` 1.5.5 makes `x > wide(5)`, also where the narrowing would have failed
        or been NULL. Its expression rewriter does, which has no part that can be turned off alone.
        """
        return f"(+ {sql})"

    def column(self, name: str, at: int) -> str:
        """Columns are numbered, as two of one relation may differ by case alone."""
        return f"k{at}"

    def days(self, date: str) -> str:
        """See `Target.days`."""
        return f"CAST((CAST({date} AS DATE) - {_EPOCH}) AS INTEGER)"

    def date(self, days: str) -> str:
        """See `Target.date`."""
        return f"({_EPOCH} + CAST({days} AS INTEGER))"

    def micros(self, moment: str) -> str:
        """See `Target.micros`."""
        return f"EPOCH_US({moment})"

    def moment(self, micros: str, *, zoned: bool) -> str:
        """See `Target.moment`."""
        wall = f"MAKE_TIMESTAMP({micros})"
        return f"({wall} AT TIME ZONE 'UTC')" if zoned else wall

    def reached(self, moved: str, start: str) -> str:
        """DuckDB fails by itself."""
        return moved

    def moved_date(self, moved: str) -> str:
        """A date plus an interval is a TIMESTAMP here."""
        return f"CAST({moved} AS DATE)"

    def matches(self, text: str, pattern: str) -> str:
        """See `Target.matches`."""
        return f"REGEXP_MATCHES({text}, {pattern})"

    def whole_quotient(self, left: Value, right: Value) -> str:
        """Both as whole numbers of the finer of their units: DuckDB's own is a DOUBLE's."""
        scale = max(left.type.scale, right.type.scale)
        one, other = (
            f"CAST(CAST({item.sql} AS DECIMAL(38,{scale})) * {10**scale} AS HUGEINT)"
            for item in (left, right)
        )
        return f"({one} // {other})"

    def field(self, struct: str, name: str) -> str:
        """See `Target.field`."""
        return f"STRUCT_EXTRACT({struct}, {literal(name)})"

    def unnest(self, array: str) -> str:
        """An empty array gives no row here, so it is made one of NULL."""
        return f"UNNEST(CASE WHEN (LEN({array}) > 0) THEN {array} ELSE [NULL] END)"


DUCKDB = DuckDB()
