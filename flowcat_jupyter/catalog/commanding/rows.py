"""Small results made of metadata."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from flowcat_jupyter.shared.wire import Column, Job

Value = str | int | float | bool | list[str] | dict[str, str] | None


@dataclass(frozen=True)
class Rows:
    """A small result made from metadata."""

    columns: tuple[Column, ...]
    rows: tuple[tuple[Value, ...], ...]


@dataclass(frozen=True)
class Read:
    """A result for which a worker has to read something first: its job, and what to make of the
    answer.
    """

    job: Job
    rows: Callable[[Any], Rows]


def texts(*names: str, nullable: str = "") -> tuple[Column, ...]:
    """Columns of text; the one called ``nullable`` may be NULL."""
    return tuple(Column(name, "string", nullable=name == nullable) for name in names)


def named(heading: str, names: Iterable[str], fits: Callable[[str], bool]) -> Rows:
    """One column of the names that fit."""
    return Rows(texts(heading), tuple((name,) for name in names if fits(name)))
