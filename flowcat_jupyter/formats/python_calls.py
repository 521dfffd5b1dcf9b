"""Calls into data sources that others wrote, whose errors become ours."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from flowcat_jupyter.shared.errors import FlowcatError, Invalid

FAILED = "DATA_SOURCE_FAILED"
_SHOWN = 500


@contextmanager
def calling(label: str, doing: str) -> Iterator[None]:
    """Have what a data source raises told as its error: the exception's type and message alone.

    ``label`` is what people call the source, ``doing`` what it was asked to do.

    :raises Invalid: it raised something that is none of our errors.
    """
    try:
        yield
    except (FlowcatError, MemoryError):
        raise
    except NotImplementedError as error:
        raise cannot(label, doing) from error
    except Exception as error:
        told = f"{type(error).__name__}: {error}".strip()
        told = told if len(told) <= _SHOWN else told[:_SHOWN] + "…"
        raise Invalid(
            f"The data source {label} failed to {doing}: {told.rstrip('.: ')}.",
            condition=FAILED,
            sqlstate="38000",
            hint="The error is of the data source's own code: check its options, and the code.",
        ) from error


def cannot(label: str, doing: str, hint: str | None = None) -> Invalid:
    """The error of a data source that lacks a method."""
    return Invalid(
        f"The data source {label} cannot {doing}: it has no code for it.",
        condition="UNSUPPORTED_FEATURE.DATA_SOURCE",
        sqlstate="0A000",
        hint=hint,
    )


def overrides(held: object, method: str) -> bool:
    """Whether a class (or an object's) has a method of its own, not just a base class's."""
    kind = held if isinstance(held, type) else type(held)
    bases = (base for base in kind.__mro__ if method in vars(base))
    owner = next(bases, None)
    return owner is not None and owner.__module__ not in _BASES


_BASES = ("flowcat_jupyter.formats.data_source", "pyspark.sql.datasource")
