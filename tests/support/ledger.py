"""What was measured, with the bound of each ratio; kept as JSON and as a page of the documentation.

A ratio is of two medians of one run, taken in turns. On a machine that others use at the time, the
processor time that the work took is the fairer measure, so where both are known and the machine is
busy, the bound is held to that.
"""

from __future__ import annotations

import json
import math
import os
import platform
import statistics
import sys
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import psutil

PACKAGES = ("polars", "deltalake", "duckdb", "sqlglot", "jupyter-server", "tornado")


@dataclass(frozen=True)
class Ratio:
    """One ratio: what was measured, against what, and what it may be at most.

    ``bound`` is None for what is there to be seen alone; ``cpu`` is the ratio of processor times.
    """

    name: str
    baseline: str
    ratio: float
    bound: float | None
    cpu: float | None = None
    note: str = ""
    run: str = ""

    @property
    def decisive(self) -> float:
        """The ratio that the bound is held to."""
        return self.ratio if self.cpu is None or not busy() else self.cpu

    @property
    def holds(self) -> bool:
        return self.bound is None or self.decisive <= self.bound


def busy() -> bool:
    """Whether others use the machine as well."""
    return os.getloadavg()[0] > (os.cpu_count() or 1)


def geometric_mean(values: Iterable[float]) -> float:
    return math.exp(statistics.mean(math.log(value) for value in values))


def machine() -> dict[str, Any]:
    """Where and with what the run is made."""
    versions: dict[str, str] = {"python": platform.python_version()}
    for name in PACKAGES:
        try:
            versions[name] = version(name)
        except PackageNotFoundError:
            continue
    return {
        "at": datetime.now(UTC).strftime("%Y-%m-%d"),
        "system": f"{platform.system()} {platform.machine()}",
        "cores": os.cpu_count(),
        "memory_gb": round(psutil.virtual_memory().total / 1e9),
        "load": round(os.getloadavg()[0], 1),
        "versions": versions,
    }


@dataclass
class Ledger:
    """The ratios of one run; ``folder`` holds those of earlier ones, which new ones replace."""

    folder: Path | None
    where: dict[str, Any] = field(default_factory=machine)
    ratios: list[Ratio] = field(default_factory=list)

    def hold(
        self,
        name: str,
        baseline: str,
        ratio: float,
        bound: float | None,
        *,
        cpu: float | None = None,
        note: str = "",
    ) -> None:
        """Print and keep a ratio.

        :raises AssertionError: it is past its bound.
        """
        made = Ratio(name, baseline, round(ratio, 3), bound, cpu and round(cpu, 3), note)
        self.ratios.append(made)
        sys.stdout.write(f"  {line(made)}\n")
        sys.stdout.flush()
        assert made.holds, line(made)

    def close(self) -> None:
        """Print every ratio, and write them beside the earlier ones."""
        if not self.ratios:
            return
        sys.stdout.write("\nRatios, each with its bound\n")
        sys.stdout.writelines(f"  {line(item)}\n" for item in self.ratios)
        if self.folder is None:
            return
        file = self.folder / "performance.json"
        before = json.loads(file.read_text()) if file.exists() else {"runs": {}, "ratios": []}
        run = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        kept = {item["name"]: item for item in before["ratios"]}
        kept |= {item.name: {**asdict(item), "run": run} for item in self.ratios}
        used = {item["run"] for item in kept.values()}
        runs = {key: value for key, value in before["runs"].items() if key in used}
        whole = {"runs": {**runs, run: self.where}, "ratios": list(kept.values())}
        file.write_text(json.dumps(whole, indent=2, ensure_ascii=False) + "\n")
        (self.folder / "performance.md").write_text(page(whole))


def line(item: Ratio) -> str:
    """A ratio in words."""
    bound = "        " if item.bound is None else f"≤ {item.bound:<6.2f}"
    cpu = "" if item.cpu is None else f"  (processor time x {item.cpu:.2f})"
    mark = "" if item.holds else "   PAST ITS BOUND"
    return f"x {item.ratio:<6.2f} {bound} {item.name}; baseline: {item.baseline}{cpu}{mark}"


_INTRODUCTION = """# Performance

`make bench` measures flowcat beside what does the same without it, in one run and in turns, and
ends with an error where a ratio is past its bound. This page is written by it. Times differ from
machine to machine; ratios hardly do. A ratio of 1 means: as fast as the baseline.

Where others used the machine at the time, the bound is held to the processor time that the work
took, shown in its own column, instead of the time that passed.

| What | Baseline | Ratio | Processor time | Bound | Run |
| --- | --- | --- | --- | --- | --- |
"""


def page(whole: dict[str, Any]) -> str:
    """The page of the documentation."""
    numbers = {run: at for at, run in enumerate(sorted(whole["runs"]), 1)}
    rows = []
    for item in whole["ratios"]:
        cpu = "" if item["cpu"] is None else f"{item['cpu']:.2f}"
        bound = "" if item["bound"] is None else f"{item['bound']:.2f}"
        note = f"<br>{item['note']}" if item["note"] else ""
        rows.append(
            f"| {item['name']}{note} | {item['baseline']} | {item['ratio']:.2f} | {cpu} | {bound} "
            f"| {numbers[item['run']]} |\n"
        )
    runs = []
    for run, at in numbers.items():
        where = whole["runs"][run]
        versions = ", ".join(f"{name} {number}" for name, number in where["versions"].items())
        runs.append(
            f"{at}. {where['at']}, {where['system']}, {where['cores']} cores, "
            f"{where['memory_gb']} GB, load {where['load']}: {versions}\n"
        )
    return f"{_INTRODUCTION}{''.join(rows)}\n## Runs\n\n{''.join(runs)}"
