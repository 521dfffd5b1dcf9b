"""Timing and printing for the measurements; times mean little, ratios to a baseline do."""

from __future__ import annotations

import os
import statistics
import sys
import time
from collections.abc import Callable
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

from sqlalchemy import Engine

from flowcat_jupyter.catalog.access import LOCAL
from flowcat_jupyter.catalog.reactions import Reactions
from flowcat_jupyter.catalog.store.engine import open_engine
from flowcat_jupyter.catalog.unit import UnitFactory
from flowcat_jupyter.shared.wire import Column


class _Clock:
    def now(self) -> datetime:
        return datetime.now(UTC)


def seconds(work: Callable[[], object]) -> float:
    """How long ``work`` takes, once."""
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def interleaved(rounds: int, *works: Callable[[], float]) -> list[list[float]]:
    """What each of ``works`` measures, taken in turns so that a busy machine is fair to all."""
    taken: list[list[float]] = [[] for _ in works]
    for _ in range(rounds):
        for at, work in enumerate(works):
            taken[at].append(work())
    return taken


class Report:
    """Lines of one measurement, each with its ratio to the first line, the baseline."""

    def __init__(self, title: str) -> None:
        """``title`` says what is measured, and in which state the machine is."""
        load = os.getloadavg()[0]
        self._say(f"\n{title}   [{os.cpu_count()} cores, load {load:.1f}]")
        self._baseline: float | None = None

    def line(
        self, name: str, values: list[float], *, scale: float = 1e3, unit: str = "ms"
    ) -> float:
        """Print a median; its ratio to the baseline's."""
        middle = statistics.median(values)
        self._baseline = middle if self._baseline is None else self._baseline
        ratio = middle / self._baseline
        spread = f"{min(values) * scale:.1f} … {max(values) * scale:.1f}"
        self._say(f"  {name:<46}{middle * scale:>10.1f} {unit}  x {ratio:<7.2f} ({spread})")
        return ratio

    def note(self, text: str) -> None:
        """Print a fact that is no time."""
        self._say(f"  {text}")

    def _say(self, text: str) -> None:
        sys.stdout.write(f"{text}\n")
        sys.stdout.flush()


def open_catalog(home: Path) -> Engine:
    """The database of the catalog at ``home``."""
    return open_engine(f"sqlite:///{home / 'flowcat' / 'catalog.db'}")


def add_tables(home: Path, schema: str, count: int, location: str) -> None:
    """Add a schema of ``main`` with ``count`` tables that all lie at one real Delta folder."""
    engine = open_catalog(home)
    begin = UnitFactory(engine, _Clock(), Reactions())
    columns = (Column("a", "bigint"), Column("b", "string"))
    with begin(LOCAL, write=True) as unit:
        insert = partial(unit.securables.insert, by=LOCAL.name, at=unit.now)
        catalog = unit.securables.catalog("main")
        parent = insert("schema", catalog.id, schema)
        unit.securables.insert_namespace(parent, 1)
        for number in range(count):
            table = insert("table", parent, f"{schema}_{number:05}")
            unit.tables.insert(
                table, table_type="external", format="delta", location=location, columns=columns
            )
    engine.dispose()
