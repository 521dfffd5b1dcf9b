"""What every family of statements that change something is carried out with."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from flowcat_jupyter.catalog.access import Actor
from flowcat_jupyter.catalog.deps import Deps
from flowcat_jupyter.catalog.sql_commits import (
    Asking,
    Committed,
    Outcome,
    Planned,
    SqlCommits,
    Write,
)
from flowcat_jupyter.catalog.store.rows import Ticket
from flowcat_jupyter.shared.wire import Job


class Commits(Protocol):
    """What carries out the one job of a statement that writes to a table."""

    async def commit(
        self,
        write: Write[Planned],
        job_of: Callable[[Ticket, Planned], Job],
        told: type[Outcome],
    ) -> Committed[Outcome]:
        """Carry out a job, which answers ``told``; see `SqlCommits.commit`."""
        ...


class Carrier:
    """One actor's asking, and the means to answer it."""

    def __init__(self, actor: Actor, deps: Deps, asking: Asking) -> None:
        """Serve one statement of one actor."""
        self.actor = actor
        self.deps = deps
        self.asking = asking
        self.begin = deps.begin
        self.threads = deps.threads
        self.commits: Commits = SqlCommits(actor, deps, asking)

    @property
    def place(self) -> tuple[str, str]:
        """The current catalog and schema."""
        return self.asking.catalog, self.asking.schema

    def commit_info(self, ticket: Ticket, kind: str) -> dict[str, str]:
        """What a commit says of whose it is, and of what statement."""
        return {
            "user": self.actor.name,
            "flowcat_write": ticket.id,
            "flowcat_statement": kind,
        }
