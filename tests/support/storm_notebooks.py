"""A client that saves notebooks while the processes are killed, and remembers what it was told."""

from __future__ import annotations

from itertools import count

from tests.support.storm_clients import Client, Field
from tests.support.storm_model import Journal, notebook, save_of


class Notebooks(Client):
    """Saves notebooks."""

    root = "api/contents/"

    def __init__(self, field: Field, journal: Journal, seed: str, notebooks: int) -> None:
        """Keep so many notebooks."""
        super().__init__(field, journal, seed)
        self.saved = {f"{seed}-{n}.notebook.yaml": {-1} for n in range(notebooks)}
        self.numbers = count(1)

    def step(self) -> None:
        path = self.random.choice(sorted(self.saved))
        number = next(self.numbers)
        content = notebook(number, self.random.choice([2, 30, 200]), self.random.choice([5, 8000]))
        body = {"type": "notebook", "format": "json", "content": content}
        reply = self.ask("PUT", path, body, root=self.root)
        if reply is not None and reply.status in (200, 201):
            self.saved[path] = {number}
            self.journal.count("notebook saves")
            return
        if reply is not None:
            self.journal.fault(f"saving {path}: {reply.status} {reply.body[:200]!r}")
        self.saved[path].add(number)
        self.journal.count("notebook saves lost")
        self._settle(path)

    def check(self) -> None:
        for path in self.saved:
            self._settle(path)

    def _settle(self, path: str) -> None:
        reply = self.insist("GET", path, root=self.root)
        number, whole = -1, True
        if reply.status == 200:
            number, whole = save_of(reply.json["content"])
        wanted = self.saved[path]
        fits = whole and number in wanted
        self.journal.expect(
            fits, lambda: f"{path} is of save {number} (whole: {whole}), not {wanted}"
        )
        self.saved[path] = {number}
