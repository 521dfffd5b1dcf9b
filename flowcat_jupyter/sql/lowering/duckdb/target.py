"""DuckDB's spelling of what few words differ in."""

from __future__ import annotations

from flowcat_jupyter.sql.lowering.duckdb.plain import plainly
from flowcat_jupyter.sql.lowering.targets import Target
from flowcat_jupyter.sql.lowering.text import OVER
from flowcat_jupyter.sql.lowering.values import Value
from flowcat_jupyter.sql.quoting import literal

_QUICK_DIGITS = 18
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

    def exact(self, left: Value, operator: str, right: Value) -> str | None:
        """DuckDB's has 18 digits where both sides have no more, and fails of any it lacks.

        As that is twice as fast, it is tried first, and the wider one only where it fails.
        """
        scales = (left.type.scale, right.type.scale)
        digits = (left.type.precision, right.type.precision)
        whole = max(size - scale for size, scale in zip(digits, scales, strict=True))
        needed = sum(digits) if operator == "*" else max(scales) + whole + 1
        if max(digits) > _QUICK_DIGITS or needed <= _QUICK_DIGITS:
            return None
        plain = f"{left.sql} {operator} {right.sql}"
        scale = left.type.scale
        wide = f"(CAST({left.sql} AS DECIMAL({_QUICK_DIGITS + 1},{scale})) {operator} {right.sql})"
        if operator != "*" and len(set(scales)) > 1:
            return wide  # What may fail then is making the scales equal, and not in TRY alone.
        # TRY takes no sub-query, and each further level of it would double the text.
        simple = not any(word in plain for word in ("SELECT", "TRY(", OVER))
        return f"COALESCE(TRY({plain}), {wide})" if simple else wide

    def to_round(self, text: str) -> str:
        """DuckDB rounds half up by itself."""
        return plainly(text)

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
