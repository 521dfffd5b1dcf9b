"""Many clients at once, each asking one thing after the other over a connection of its own."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import cycle
from uuid import uuid4

from tests.support.live import LiveServer

QUERIES = (
    "SELECT 1 AS one",
    "SELECT name FROM demo.nyc.airlines WHERE carrier = 'UA'",
    "SELECT carrier, count(*) AS n, avg(arr_delay) AS late FROM demo.nyc.flights GROUP BY carrier",
    "SELECT a.name, count(*) AS n FROM demo.nyc.flights f JOIN demo.nyc.airlines a "
    "ON f.carrier = a.carrier WHERE f.month = 6 GROUP BY a.name ORDER BY n DESC",
    "SELECT * FROM demo.nyc.flights WHERE dep_delay > 120 LIMIT 2000",
)


@dataclass
class Told:
    """What the clients saw: how often they asked for six things in turn, and what went wrong."""

    rounds: int = 0
    wrong: list[str] = field(default_factory=list)


class _Browser:
    """One client's connection, which keeps the cookie of its login as a browser does."""

    def __init__(self, server: LiveServer) -> None:
        self.connection = server.connect()
        self._base = f"{server.base}flowcat/catalog/"
        self._headers = {"Authorization": f"token {server.token}"}

    def send(self, method: str, path: str, body: object = None) -> bytes:
        sent = None if body is None else json.dumps(body).encode()
        self.connection.request(method, f"{self._base}{path}", body=sent, headers=self._headers)
        response = self.connection.getresponse()
        content = response.read()
        assert response.status == 200, f"{method} {path}: {response.status} {content[:500]!r}"
        if "Cookie" not in self._headers and (cookie := response.headers["Set-Cookie"]):
            self._headers["Cookie"] = cookie.partition(";")[0]
        return content


class Crowd:
    """Clients that ask until told to stop; each mixes queries, pages of results and the tree."""

    def __init__(self, server: LiveServer, clients: int) -> None:
        self.told = Told()
        self._server = server
        self._done = threading.Event()
        self._flights = int(server.table("demo.nyc.flights")["id"])
        self._threads = [threading.Thread(target=self._ask, args=(at,)) for at in range(clients)]

    def run(self, seconds: float, every_s: float) -> Iterator[float]:
        """Let them ask; gives how long they have, every so often, until the time is over."""
        for thread in self._threads:
            thread.start()
        began = time.monotonic()
        try:
            while (passed := time.monotonic() - began) < seconds and not self.told.wrong:
                yield passed
                time.sleep(every_s)
        finally:
            self._done.set()
            for thread in self._threads:
                thread.join()

    def _ask(self, number: int) -> None:
        browser = _Browser(self._server)
        try:
            for at in cycle(range(len(QUERIES))):
                if self._done.is_set():
                    return
                self._round(browser, QUERIES[(at + number) % len(QUERIES)])
        except (OSError, AssertionError, ValueError) as error:
            self.told.wrong.append(f"client {number}: {error!r}")
        finally:
            browser.connection.close()

    def _round(self, browser: _Browser, query: str) -> None:
        query_id = str(uuid4())
        browser.send("POST", "sql/execute", {"query": query, "query_id": query_id})
        browser.send("GET", f"sql/{query_id}/rows?limit=200")
        tree = browser.send("GET", "namespaces/tree?limit=100")
        parent = json.loads(tree)["items"][0]["id"]
        browser.send("GET", f"namespaces/tree?limit=100&parent={parent}")
        browser.send("GET", f"tables/{self._flights}")
        browser.send("GET", "search?q=fli&limit=20")
        self.told.rounds += 1
