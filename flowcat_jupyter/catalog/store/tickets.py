"""Write tickets: leave to commit one change."""

from __future__ import annotations

from dataclasses import fields
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, select

from flowcat_jupyter.catalog.store.rows import Ticket
from flowcat_jupyter.catalog.store.runs import ACTIVE
from flowcat_jupyter.catalog.store.seen import storable
from flowcat_jupyter.shared.errors import NotFound
from flowcat_jupyter.shared.schema import runs, write_tickets


class Tickets:
    """Tickets of one actor, or of all when ``actor`` is None."""

    def __init__(self, connection: Connection, actor: str | None) -> None:
        """Read and write through ``connection``."""
        self._connection = connection
        self._actor = actor

    def add(self, ticket: Ticket) -> None:
        """Keep a new ticket."""
        values = {item.name: getattr(ticket, item.name) for item in fields(ticket)}
        self._connection.execute(write_tickets.insert().values(values))

    def get(self, ticket_id: str) -> Ticket:
        """The ticket with this id.

        :raises NotFound: there is none, or it is somebody else's.
        """
        found = self.find(ticket_id)
        if found is None:
            raise NotFound("write", ticket_id)
        return found

    def find(self, ticket_id: str) -> Ticket | None:
        """The ticket with this id, if it is the caller's."""
        if not storable(ticket_id):
            return None
        query = select(write_tickets).where(write_tickets.c.id == ticket_id)
        if self._actor is not None:
            query = query.where(write_tickets.c.actor == self._actor)
        row = self._connection.execute(query).one_or_none()
        return Ticket(**row._mapping) if row else None

    def close(self, ticket_id: str, state: str) -> bool:
        """End an open ticket; False if it was not open any more."""
        result = self._connection.execute(
            write_tickets.update()
            .where(write_tickets.c.id == ticket_id, write_tickets.c.state == "open")
            .values(state=state)
        )
        return bool(result.rowcount)

    def note_version(self, ticket: Ticket, version: int) -> None:
        """Keep which version was committed, so that a report may come twice."""
        self._connection.execute(
            write_tickets.update()
            .where(write_tickets.c.id == ticket.id)
            .values(spec={**ticket.spec, "committed": version})
        )

    def open(self) -> tuple[Ticket, ...]:
        """Those that are open and the caller's, the oldest first."""
        mine = () if self._actor is None else (write_tickets.c.actor == self._actor,)
        return tuple(sorted(self._open(*mine), key=lambda ticket: ticket.created_at))

    def of_run(self, run_id: int) -> tuple[Ticket, ...]:
        """The open tickets of a run."""
        return self._open(write_tickets.c.run_id == run_id)

    def expired(self, now: datetime) -> tuple[Ticket, ...]:
        """Open tickets whose time is over and whose run, if they have one, has ended."""
        working = select(runs.c.id).where(runs.c.state.in_(ACTIVE))
        idle = write_tickets.c.run_id.is_(None) | write_tickets.c.run_id.not_in(working)
        return self._open(write_tickets.c.expires_at <= now, idle)

    def unreported(self, before: datetime) -> tuple[Ticket, ...]:
        """Open tickets of no run that were given out before a moment."""
        return self._open(write_tickets.c.run_id.is_(None), write_tickets.c.created_at <= before)

    def _open(self, *conditions: Any) -> tuple[Ticket, ...]:
        query = select(write_tickets).where(write_tickets.c.state == "open", *conditions)
        return tuple(Ticket(**row._mapping) for row in self._connection.execute(query))
