"""What a catalog must hold after whatever was acknowledged, and what it may hold besides."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

Rows = dict[int, int]
"""Rows of a table by id."""


def digest(rows: Rows | None) -> tuple[int, ...] | None:
    """What SUMMARY answers for these rows; None: there is no table."""
    if rows is None:
        return None
    values = rows.items()
    return len(rows), sum(rows), sum(rows.values()), sum(i * v for i, v in values)


def summary(table: str) -> str:
    """The query whose answer `digest` foretells."""
    return (
        "SELECT count(*), coalesce(sum(id), 0), coalesce(sum(v), 0), "  # noqa: S608
        f"coalesce(sum(CAST(id AS BIGINT) * v), 0) FROM {table}"
    )


@dataclass
class TableModel:
    """One table and all the states it may be in: one, but for what nobody acknowledged."""

    name: str
    states: list[Rows | None] = field(default_factory=lambda: [None])
    dropped_id: int | None = None

    def certain(self, rows: Rows | None) -> None:
        """It was acknowledged that the table is so."""
        self.states = [rows]

    def perhaps(self, rows: Rows | None) -> None:
        """It may be so as well: nobody answered."""
        self.states.append(rows)

    @property
    def rows(self) -> Rows | None:
        """How it is, once that is certain."""
        (rows,) = self.states
        return rows

    def resolve(self, seen: tuple[int, ...] | None) -> bool:
        """Whether what was seen is one of the states; it is the only one from now on."""
        fitting = [rows for rows in self.states if digest(rows) == seen]
        self.states = fitting[:1] or self.states
        return bool(fitting)


class Journal:
    """Faults and counts, from any thread."""

    def __init__(self) -> None:
        """Begin empty."""
        self._lock = threading.Lock()
        self.faults: list[str] = []
        self.counts: dict[str, int] = {}

    def count(self, what: str) -> None:
        """One more of something."""
        with self._lock:
            self.counts[what] = self.counts.get(what, 0) + 1

    def fault(self, text: str) -> None:
        """Something that must not be."""
        with self._lock:
            self.faults.append(text)

    def expect(self, holds: bool, text: Callable[[], str]) -> None:
        """Note a fault unless something holds."""
        if not holds:
            self.fault(text())


def csv(rows: Iterable[tuple[int, int]]) -> str:
    """Rows as a file to import."""
    return "id,v\n" + "".join(f"{number},{value}\n" for number, value in rows)


def notebook(number: int, cells: int, width: int) -> dict[str, Any]:
    """A notebook all of whose cells tell which save they are of."""
    return {
        "nbformat": 4,
        "nbformat_minor": 5,
        "metadata": {},
        "cells": [
            {
                "id": f"c{cell}",
                "cell_type": "code",
                "source": f"save = {number}  # {cell} of {cells} {'x' * width}",
                "metadata": {},
                "outputs": [],
                "execution_count": None,
            }
            for cell in range(cells)
        ],
    }


def save_of(content: dict[str, Any]) -> tuple[int, bool]:
    """Which save a notebook is of, and whether it is whole."""
    sources = [cell["source"] for cell in content["cells"]]
    if not sources:
        return -1, False
    words = sources[0].split()
    number, cells = int(words[2]), int(words[6])
    whole = len(sources) == cells and all(s.startswith(f"save = {number} ") for s in sources)
    return number, whole
