"""The parts of what an import says about its files; `wire` has the messages themselves."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class ProposedColumn:
    """A column's proposed type, and why."""

    name: str
    type: str
    reason: str
    examples: tuple[str, ...]


@dataclass(frozen=True)
class ImportFile:
    """A file that an import reads; a member of an archive is ``archive/member``."""

    name: str
    size_bytes: int


@dataclass(frozen=True)
class Detected:
    """How a file was found to be written: an option's value as text, and why in one sentence."""

    option: str
    value: str
    reason: str


@dataclass(frozen=True)
class Reject:
    """A line that became no row. ``line`` counts from 1 in ``file``; in a file that has no lines
    it is the row's number.
    """

    file: str
    line: int
    reason: str
    text: str


@dataclass(frozen=True)
class DriftColumn:
    """A column in which files and table differ: ``type`` is the files', or for a column that they
    lack the table's; ``was`` is the table's where both have it.
    """

    name: str
    type: str
    was: str | None = None


@dataclass(frozen=True)
class Drift:
    """How the files' columns differ from the table's: only in the files, only in the table, and
    in both with a type whose values the table's may not take.
    """

    added: tuple[DriftColumn, ...] = ()
    missing: tuple[DriftColumn, ...] = ()
    changed: tuple[DriftColumn, ...] = ()
