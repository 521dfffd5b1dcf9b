"""Clients that work on a catalog while its processes are killed, and remember what they were told.

Each has tables or notebooks that nobody else writes, so that what they must hold is known.
"""

from __future__ import annotations

import json
import random
import subprocess
import sys
import threading
from collections.abc import Callable
from http.client import HTTPException
from itertools import count
from typing import Any
from uuid import uuid4

from tests.support.live import LiveServer, Reply
from tests.support.storm_model import Journal, Rows, TableModel, csv, digest
from tests.support.storm_model import summary as summary_of

LOST = (OSError, HTTPException, ValueError)
"""What a client hears of a server that was killed."""

EXPECTED = {
    "NotFound",
    "Unavailable",
    "LimitExceeded",
    "Conflict",
    "AlreadyExists",
    "Cancelled",
    "TABLE_OR_VIEW_NOT_FOUND",
    "TABLE_OR_VIEW_ALREADY_EXISTS",
    "DELTA_CONCURRENT_WRITE",
}


class Field:
    """Where the server is at the moment, and whether the storm goes on."""

    def __init__(self) -> None:
        """There is no server yet."""
        self.over = threading.Event()
        self._there = threading.Event()
        self._server: LiveServer | None = None

    def put(self, server: LiveServer | None) -> None:
        """A server is there from now on, or none."""
        self._server = server
        self._there.set() if server else self._there.clear()

    def server(self) -> LiveServer:
        """The server, waited for."""
        while True:
            self._there.wait()
            if (found := self._server) is not None:
                return found


class Client:
    """Does one thing after the other until the storm is over."""

    def __init__(self, field: Field, journal: Journal, seed: str) -> None:
        """Choose by ``seed``."""
        self.field = field
        self.journal = journal
        self.random = random.Random(seed)  # noqa: S311 - a storm that can be repeated
        self.thread = threading.Thread(target=self._live, name=seed)

    def step(self) -> None:
        """Do one thing."""
        raise NotImplementedError

    def check(self) -> None:
        """Note a fault for whatever is not as it must be, once the storm is over."""

    def _live(self) -> None:
        while not self.field.over.is_set():
            try:
                self.step()
            except Exception as error:  # noqa: BLE001 - the fault is told, the storm goes on
                self.journal.fault(f"{self.thread.name}: {type(error).__name__}: {error}")
                self.field.over.wait(1)

    def ask(self, method: str, path: str, body: Any = None, **options: Any) -> Reply | None:
        """The answer; None if the server went before it gave one, or said that it cannot now."""
        try:
            reply = self.field.server().request(method, path, body, **options)
        except LOST:
            return None
        if reply.status >= 400 and options.get("root") is None:
            self._judge(method, path, reply)
        return reply

    def _judge(self, method: str, path: str, reply: Reply) -> None:
        try:
            code = reply.json.get("condition") or reply.json["code"]
        except (ValueError, KeyError, TypeError):
            code = "?"
        if not {code, code.partition(".")[0]} & EXPECTED:
            self.journal.fault(f"{method} {path}: {reply.status} {reply.body[:300]!r}")

    def insist(self, method: str, path: str, body: Any = None, **options: Any) -> Reply:
        """An answer, whatever it takes: for questions that change nothing."""
        while True:
            reply = self.ask(method, path, body, **options)
            if reply is not None and reply.status not in (503, 500):
                return reply
            self.field.over.wait(0.2)

    def see(self, table: str) -> tuple[int, ...] | None:
        """What a table holds; None if there is none."""
        reply = self.insist("POST", "sql/execute", _query(summary_of(table)))
        for _ in range(100):
            if reply.status == 200:
                return tuple(int(cell) for cell in reply.json["rows"][0])
            if reply.json.get("condition") == "TABLE_OR_VIEW_NOT_FOUND":
                return None
            reply = self.insist("POST", "sql/execute", _query(summary_of(table)))
        self.journal.fault(f"{table} cannot be asked: {reply.status} {reply.body[:300]!r}")
        return None


def _query(text: str, **more: Any) -> dict[str, Any]:
    return {"query": text, "query_id": str(uuid4()), **more}


class TableClient(Client):
    """Knows what its tables hold."""

    def __init__(self, field: Field, journal: Journal, seed: str, tables: int) -> None:
        """Work on so many tables."""
        super().__init__(field, journal, seed)
        self.prefix = seed.replace("-", "_")
        self.tables = [TableModel(f"main.default.{self.prefix}_{n}") for n in range(tables)]
        self.ids = count(1)

    def rows(self, most: int) -> Rows:
        """New rows, a few or many."""
        number = self.random.choice([3, 20, most])
        return {next(self.ids): self.random.randrange(1000) for _ in range(number)}

    def check(self) -> None:
        for table in self.tables:
            self.settle(table)

    def settle(self, table: TableModel) -> None:
        """See how the table is, after something nobody answered or at the end."""
        seen = self.see(table.name)
        wanted = [digest(rows) for rows in table.states]
        fits = table.resolve(seen)
        self.journal.expect(fits, lambda: f"{table.name} holds {seen}, not one of {wanted}")
        if not fits:
            # Told once; a new name, so that the storm goes on.
            table.name = f"main.default.{self.prefix}_{uuid4().hex[:8]}"
            table.certain(None)


class Importer(TableClient):
    """Imports files in every mode."""

    def step(self) -> None:
        table = self.random.choice(self.tables)
        if table.rows is None and self.random.random() < 0.2:
            return
        mode = self.random.choice(["append", "append", "overwrite", "upsert"])
        mode = "error" if table.rows is None else mode
        rows = self.rows(30_000)
        before = table.rows or {}
        if mode == "upsert" and before:
            rows.update(dict.fromkeys(self.random.sample(sorted(before), min(5, len(before))), 7))
        after = dict(rows) if mode in ("error", "overwrite") else {**before, **rows}
        done = self.send(table.name, mode, csv(rows.items()))
        self.journal.count("imports" if done else "imports that failed or were lost")
        if done:
            table.certain(after)
        elif done is None:
            table.perhaps(after)
        self.settle(table)

    def send(self, table: str, mode: str, text: str) -> bool | None:
        """Import a file; whether it was done, None if nobody said."""
        upload = self.ask("POST", "uploads", name=f"{self.prefix}.csv")
        if upload is None or upload.status != 201:
            return False
        place = f"uploads/{upload.json['upload_id']}"
        sent = self.ask("PUT", place, text.encode(), offset=0)
        if sent is None or sent.status != 200:
            return False
        body = {"table": table, "upload_id": upload.json["upload_id"], "mode": mode}
        if mode == "upsert":
            body["merge_keys"] = ["id"]
        reply = self.ask("POST", "tables/import", body)
        if reply is None:
            return None
        if reply.status != 202:
            return False
        return self._ended(reply.json["id"])

    def _ended(self, run_id: int) -> bool:
        while True:
            run = self.insist("GET", f"runs/{run_id}").json
            if run["state"] not in ("queued", "running"):
                self._told(run)
                return bool(run["state"] == "succeeded")
            self.field.over.wait(0.1)

    def _told(self, run: dict[str, Any]) -> None:
        code = (run["error"] or {}).get("code")
        if code and code not in EXPECTED:
            self.journal.fault(f"run {run['id']} {run['state']}: {run['error']}")


class KernelWriter(TableClient):
    """Writes through tickets from a process of its own, which is killed now and then."""

    def __init__(self, field: Field, journal: Journal, seed: str, tables: int) -> None:
        """No process yet."""
        super().__init__(field, journal, seed, tables)
        self.process: subprocess.Popen[str] | None = None
        self.made = count(1)

    def step(self) -> None:
        place = self.random.randrange(len(self.tables))
        table = self.tables[place]
        if None in table.states and len(table.states) > 1:
            # A creation nobody answered holds its name for as long as its leave: take another.
            self.tables.append(TableModel(f"main.default.{self.prefix}_n{next(self.made)}"))
            self.tables[place], self.tables[-1] = self.tables[-1], table
            return
        mode = self.random.choice(["append", "append", "overwrite", "upsert"])
        rows = self.rows(5_000)
        creates = table.rows is None
        mode = "error" if creates else mode
        before = table.rows or {}
        after = dict(rows) if mode in ("error", "overwrite") else {**before, **rows}
        done = self._write(table, mode, rows)
        self.journal.count("kernel writes" if done else "kernel writes that failed or were lost")
        if done:
            table.certain(after)
            self.settle(table)
        elif creates:
            # Nothing may be seen of it now; it may be whole once its leave is taken back.
            self.journal.expect(
                self.see(table.name) in (None, digest(after)), lambda: f"{table.name}: half made"
            )
            table.perhaps(after)
        else:
            table.perhaps(after)
            self.settle(table)

    def _write(self, table: TableModel, mode: str, rows: Rows) -> bool | None:
        server = self.field.server()
        order = {
            "url": server.url,
            "token": server.token,
            "table": table.name,
            "mode": mode,
            "ids": list(rows),
            "values": list(rows.values()),
        }
        answer = self._order(order)
        if answer is None:
            return None
        if not answer["ok"] and answer["code"] not in EXPECTED:
            self.journal.fault(f"kernel write: {answer}")
        return bool(answer["ok"])

    def _order(self, order: dict[str, Any]) -> dict[str, Any] | None:
        process = self._running()
        stdin, stdout = process.stdin, process.stdout
        if stdin is None or stdout is None:
            return None
        try:
            stdin.write(json.dumps(order) + "\n")
            stdin.flush()
            answer: dict[str, Any] = json.loads(stdout.readline())
            return answer
        except LOST:
            return None

    def _running(self) -> subprocess.Popen[str]:
        if self.process is None or self.process.poll() is not None:
            self._forget()
            process = subprocess.Popen(
                [sys.executable, "-m", "tests.support.storm_writer"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
            )
            self.process = process
            if process.stdout is not None:
                process.stdout.readline()
        return self.process

    def _forget(self) -> None:
        if self.process is not None:
            for stream in (self.process.stdin, self.process.stdout):
                if stream is not None:
                    _close(stream.close)

    def stop(self) -> None:
        """End the process."""
        if self.process is not None:
            self.process.kill()
            self.process.wait()
            self._forget()


def _close(close: Callable[[], None]) -> None:
    try:
        close()
    except OSError:
        return


class Dropper(TableClient):
    """Drops tables and brings them back."""

    def step(self) -> None:
        table = self.random.choice(self.tables)
        if table.states == [None] and table.dropped_id is None:
            self._make(table)
        elif table.dropped_id is None:
            self._drop(table)
        else:
            self._undrop(table)

    def _make(self, table: TableModel) -> None:
        rows = self.rows(50)
        importer = Importer(self.field, self.journal, f"{self.prefix}-maker", 0)
        if importer.send(table.name, "error", csv(rows.items())):
            table.certain(rows)
        else:
            table.name = f"main.default.{self.prefix}_{uuid4().hex[:8]}"

    def _drop(self, table: TableModel) -> None:
        rows = table.rows
        found = self.insist("GET", "tables/resolve", name=table.name)
        if found.status != 200:
            self.journal.fault(f"{table.name} is not there to be dropped: {found.body[:200]!r}")
            table.certain(None)
            return
        reply = self.ask("DELETE", f"tables/{found.json['id']}")
        gone = self._dropped(table)
        self.journal.count("drops")
        if reply is not None and reply.status == 200:
            told = reply.json["dropped_id"]
            self.journal.expect(gone == told, lambda: f"{table.name}: drop {told} is not listed")
        seen = self.see(table.name)
        wanted = None if gone else digest(rows)
        self.journal.expect(seen == wanted, lambda: f"{table.name}: {seen} after a drop {gone}")
        table.dropped_id = gone

    def _undrop(self, table: TableModel) -> None:
        self.ask("POST", f"tables/dropped/{table.dropped_id}/undrop", {})
        self.journal.count("undrops")
        gone = self._dropped(table)
        seen = self.see(table.name)
        wanted = None if gone else digest(table.rows)
        self.journal.expect(seen == wanted, lambda: f"{table.name}: {seen} after an undrop {gone}")
        table.dropped_id = gone

    def _dropped(self, table: TableModel) -> int | None:
        items = self.insist("GET", "tables/dropped").json["items"]
        names = {".".join(item["full_name"]): int(item["dropped_id"]) for item in items}
        return names.get(table.name)

    def check(self) -> None:
        for table in self.tables:
            seen, gone = self.see(table.name), self._dropped(table)
            wanted = None if table.dropped_id else digest(table.rows)
            self.journal.expect(
                (seen, gone) == (wanted, table.dropped_id),
                lambda: f"{table.name}: {seen} and dropped as {gone}, not {wanted}",  # noqa: B023
            )


class Reader(Client):
    """Asks for whole tables, whatever they are."""

    def __init__(
        self, field: Field, journal: Journal, seed: str, tables: Callable[[], list[str]]
    ) -> None:
        """Ask about ``tables``."""
        super().__init__(field, journal, seed)
        self.tables = tables

    def step(self) -> None:
        name = self.random.choice(self.tables())
        query = f"SELECT * FROM {name} ORDER BY v"  # noqa: S608
        reply = self.ask("POST", "sql/execute", _query(query, max_rows=None))
        if reply is not None and reply.status == 200:
            self.journal.count("queries")
        else:
            self.journal.count("queries refused or lost")
        self.field.over.wait(0.05)
