"""A storm of ``kill -9`` over a catalog at work, and the reckoning after it."""

from __future__ import annotations

import json
import os
import random
import signal
import time
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psutil
from sqlalchemy import text

from flowcat_jupyter.catalog.store.engine import connect, open_engine
from tests.support.live import flowcat, live_server
from tests.support.processes import workers
from tests.support.storm_clients import (
    Client,
    Dropper,
    Field,
    Importer,
    KernelWriter,
    Reader,
    TableClient,
)
from tests.support.storm_model import Journal
from tests.support.storm_notebooks import Notebooks

AIMS = ("server", "worker", "writer")
PAUSE_S = (0.2, 4.0)


@dataclass
class Report:
    """What a storm did, and every fault it found."""

    kills: dict[str, int] = field(default_factory=dict)
    done: dict[str, int] = field(default_factory=dict)
    faults: list[str] = field(default_factory=list)
    doctor: list[Any] = field(default_factory=list)
    seconds: float = 0.0


class Storm:
    """Clients at work on one home, and a hand that kills."""

    def __init__(self, home: Path, seed: int, *, db_url: str | None = None) -> None:
        """Everything lies below ``home``; ``seed`` chooses what is done and killed."""
        self.home = home
        self.root = home / "root"
        self.root.mkdir(parents=True)
        self.random = random.Random(seed)  # noqa: S311 - a storm that can be repeated
        self.env = {"FLOWCAT_WORKERS": "2", **({"FLOWCAT_DB_URL": db_url} if db_url else {})}
        self.db_url = db_url or f"sqlite:///{home / 'flowcat' / 'catalog.db'}"
        self.journal = Journal()
        self.field = Field()
        self.kills: dict[str, int] = {}
        self.writers = [KernelWriter(self.field, self.journal, f"writer-{seed}", 4)]
        importers = [Importer(self.field, self.journal, f"importer-{seed}-{n}", 3) for n in "ab"]
        droppers = [Dropper(self.field, self.journal, f"dropper-{seed}", 3)]
        self.tables: list[TableClient] = [*self.writers, *importers, *droppers]
        self.clients: list[Client] = [
            *self.tables,
            Notebooks(self.field, self.journal, f"notebooks-{seed}", 4),
            Reader(self.field, self.journal, f"reader-{seed}", self._names),
        ]

    def run(self, kills: int, say: Any = None) -> Report:
        """Kill so many processes, then reckon."""
        began = time.monotonic()
        with ExitStack() as stack:
            self._start(stack)
            for client in self.clients:
                client.thread.start()
            for number in range(kills):
                time.sleep(self.random.uniform(*PAUSE_S))
                self._kill(stack)
                if say is not None:
                    say(number + 1, self.journal)
            self.field.over.set()
            for client in self.clients:
                client.thread.join()
            for writer in self.writers:
                writer.stop()
        doctor = self._mend()
        with ExitStack() as stack:
            self._start(stack)
            for client in self.clients:
                client.check()
        self.journal.faults.extend(self._leftovers())
        took = time.monotonic() - began
        return Report(self.kills, self.journal.counts, self.journal.faults, doctor, took)

    def _names(self) -> list[str]:
        return [table.name for client in self.tables for table in client.tables]

    def _start(self, stack: ExitStack) -> None:
        env: dict[str, Any] = self.env
        server = stack.enter_context(live_server(self.home, self.root, **env))
        self.server = server
        self.field.put(server)

    def _kill(self, stack: ExitStack) -> None:
        aim = self.random.choice(AIMS)
        self.kills[aim] = self.kills.get(aim, 0) + 1
        if aim == "server":
            self.field.put(None)
            os.kill(self.server.pid, signal.SIGKILL)
            stack.close()
            self._start(stack)
        elif aim == "worker":
            found = sorted(workers(self.server.pid), key=lambda worker: worker.pid)
            if found:
                _kill(self.random.choice(found).pid)
        else:
            process = self.random.choice(self.writers).process
            if process is not None:
                _kill(process.pid)

    def _mend(self) -> list[Any]:
        """Have the doctor repair, and look again: nothing may be left."""
        said = []
        for arguments in (("--repair", "--grace", "0"), ("--grace", "0")):
            done = flowcat(self.home, "doctor", "--json", *arguments, **self.env)
            report = json.loads(done.stdout) if done.stdout else {"ok": False, "said": done.stderr}
            said.append(report)
            if not report["ok"]:
                self.journal.fault(f"doctor {' '.join(arguments)}: {report}")
        return said

    def _leftovers(self) -> list[str]:
        """What lies in the catalog's folders and belongs to nothing."""
        engine = open_engine(self.db_url)
        with connect(engine, write=False) as connection:

            def column(query: str) -> set[str]:
                return {str(value) for value in connection.execute(text(query)).scalars()}

            known = column("SELECT location FROM tables")
            known |= column("SELECT location FROM dropped_tables")
            rejects = column("SELECT location FROM run_rejects")
            creating = column("SELECT name FROM securables WHERE state = 'creating'")
            tickets = column("SELECT id FROM write_tickets WHERE state = 'open'")
            runs = column(
                "SELECT id FROM runs WHERE state = 'running' "
                "OR (state = 'queued' AND kind <> 'purge')"
            )
        engine.dispose()
        home = self.home / "flowcat"
        there = {str(path) for path in (home / "data").iterdir() if not path.name.startswith(".")}
        left = {
            "folders of no table": there - known,
            "tables without a folder": known - there,
            "files of rejected lines": _files(home / "data" / ".rejects") - rejects,
            "results": _files(home / "results"),
            "uploads": _files(home / "uploads"),
            "half-made tables": creating,
            "open tickets": tickets,
            "runs at work": runs,
            # What a save that was killed leaves is hidden, one a notebook, and the next one's.
            "parts of notebooks": {
                str(path)
                for path in self.root.rglob(".*")
                if path.is_file() and path.suffix != ".saving"
            },
        }
        return [f"{what}: {sorted(found)}" for what, found in left.items() if found]


def _files(folder: Path) -> set[str]:
    return {str(path) for path in folder.rglob("*")} if folder.is_dir() else set()


def _kill(pid: int) -> None:
    try:
        os.kill(pid, signal.SIGKILL)
        psutil.Process(pid).wait(5)
    except (ProcessLookupError, psutil.Error):
        return
