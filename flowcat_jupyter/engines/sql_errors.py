"""What engines' failures mean, as Spark's conditions; each adapter reads its own engine's words."""

from __future__ import annotations

from flowcat_jupyter.shared.errors import LimitExceeded, SqlError

_TRY = "Use TRY_CAST to get NULL instead."


def bad_text(value: str, kind: str, label: str | None = None) -> SqlError:
    """A text that is not a value of a type."""
    where = f" in column {label}" if label else ""
    return SqlError(
        f"The text {value!r}{where} cannot be cast to {kind}.",
        condition="CAST_INVALID_INPUT",
        sqlstate="22018",
        hint="Correct the value, or use TRY_CAST to get NULL instead.",
    )


def cast_overflow(value: str, kind: str) -> SqlError:
    """A number that an explicit cast cannot hold."""
    return SqlError(
        f"The value {value} does not fit {kind}.",
        condition="CAST_OVERFLOW",
        sqlstate="22003",
        hint=_TRY,
    )


def decimal_overflow(value: str, kind: str) -> SqlError:
    """A number of too many digits for a DECIMAL."""
    return SqlError(
        f"The value {value} does not fit {kind}.",
        condition="NUMERIC_VALUE_OUT_OF_RANGE",
        sqlstate="22003",
        hint="Cast to a wider DECIMAL, or use TRY_CAST to get NULL instead.",
    )


def overflow(message: str) -> SqlError:
    """Arithmetic beyond its type."""
    return SqlError(
        message,
        condition="ARITHMETIC_OVERFLOW",
        sqlstate="22003",
        hint="Cast an operand to BIGINT or DECIMAL before calculating.",
    )


def divide_by_zero() -> SqlError:
    """A zero divisor."""
    return SqlError(
        "Division by zero.",
        condition="DIVIDE_BY_ZERO",
        sqlstate="22012",
        hint="Use try_divide(a, b), or a / nullif(b, 0), to get NULL instead.",
    )


def bad_index() -> SqlError:
    """An index outside its array."""
    return SqlError(
        "An index is outside its array.",
        condition="INVALID_ARRAY_INDEX",
        sqlstate="22003",
        hint="Elements count from 0; test size(array) first.",
    )


def moved_too_far() -> SqlError:
    """A date or time that no type holds."""
    return SqlError(
        "A date or time is moved too far from 1970.",
        condition="DATETIME_OVERFLOW",
        sqlstate="22008",
        hint="Move it by less.",
    )


def failed(engine: str, reason: str) -> SqlError:
    """A value or an argument that an engine refuses, in its own words."""
    return SqlError(
        f"The {engine} engine refuses a value or an argument: {reason.rstrip('.')}.",
        condition="INVALID_PARAMETER_VALUE",
        sqlstate="22023",
    )


def too_many_rows() -> SqlError:
    """A scalar sub-query of more than one row."""
    return SqlError(
        "A sub-query that stands for one value gave more than one row.",
        condition="SCALAR_SUBQUERY_TOO_MANY_ROWS",
        sqlstate="21000",
        hint="Aggregate it, or use IN or EXISTS.",
    )


def unsupported(engine: str, reason: str) -> SqlError:
    """What an engine does not do."""
    return SqlError(
        f"Not supported by the {engine} engine: {reason}.",
        condition="UNSUPPORTED_FEATURE",
        sqlstate="0A000",
    )


def cell_too_large(most: int | None = None, what: str = "A text or an array") -> LimitExceeded:
    """A single value beyond ``most`` bytes; ``what`` has it, or made it."""
    limit = (
        f" than {most / 1_000_000:,.1f} MB" if most is not None else " than max_cell_bytes allows"
    )
    return LimitExceeded(
        f"{what} has a value larger{limit}.",
        hint="Make shorter values, or raise max_cell_bytes.",
    )


def out_of_memory() -> LimitExceeded:
    """What an engine could get no memory for."""
    return LimitExceeded(
        "The query needs more memory than there is.",
        hint="Select fewer columns or rows, or raise the worker's memory limit.",
    )
