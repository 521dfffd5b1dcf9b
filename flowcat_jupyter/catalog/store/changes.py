"""The sequence of changes, in the order their transactions committed."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import Connection, Row, func, select

from flowcat_jupyter.catalog.store.rows import Change, Changes, Edit
from flowcat_jupyter.catalog.store.seen import Seen, check_limit
from flowcat_jupyter.shared.events import Event
from flowcat_jupyter.shared.schema import changes, securables

KEPT = 20_000
EDITS = (
    "table_created",
    "table_renamed",
    "moved",
    "described",
    "commented",
    "tagged",
    "owner_changed",
)
"""Kinds of changes to what is said of an object rather than to its data."""


class ChangeLog:
    """The changes feed as one caller sees it.

    ``user`` is the caller's name, None for who sees all; ``groups`` are the caller's group ids.
    """

    def __init__(
        self, connection: Connection, seen: Seen, user: str | None, groups: frozenset[int]
    ) -> None:
        """Read through ``connection`` what ``seen`` reveals or the caller saw go."""
        self._connection = connection
        self._seen = seen
        self._user = user
        self._groups = groups

    def latest(self) -> int:
        """The newest sequence number; 0 when nothing ever changed."""
        return int(self._connection.execute(select(func.max(changes.c.seq))).scalar() or 0)

    def since(self, seq: int, limit: int) -> Changes:
        """Changes after ``seq`` that concern the caller, oldest first, at most ``limit``.

        A live object goes by its present name and parent, so that an old name tells nothing.
        """
        limit = check_limit(limit)
        latest = self.latest()
        oldest = int(self._connection.execute(select(func.min(changes.c.seq))).scalar() or 0)
        if seq > latest or seq < oldest - 1:
            return Changes(latest, (), reset=True)
        found: list[Change] = []
        while seq < latest and len(found) < limit:
            rows = self._batch(seq, limit)
            for row in rows:
                seq = row.seq
                if self._concerns(row):
                    found.append(_change(row))
                if len(found) == limit:
                    break
        return Changes(seq, tuple(found), reset=False)

    def _batch(self, seq: int, limit: int) -> list[Row[tuple[object, ...]]]:
        query = (
            select(
                changes,
                self._seen.id.label("seen_id"),
                securables.c.name.label("now_name"),
                securables.c.parent_id.label("now_parent"),
            )
            .outerjoin(self._seen.source, self._seen.id == changes.c.object_id)
            .outerjoin(securables, securables.c.id == changes.c.object_id)
            .where(changes.c.seq > seq)
            .order_by(changes.c.seq)
            .limit(limit)
        )
        return list(self._connection.execute(query))

    def _concerns(self, row: Row[tuple[object, ...]]) -> bool:
        if row.audience is None:
            return row.seen_id is not None
        if self._user is None:
            return True
        return self._user in row.audience["users"] or not self._groups.isdisjoint(
            row.audience["groups"]
        )

    def append(self, event: Event, at: datetime, by: str) -> None:
        """Add what happened, and who did it."""
        audience = event.audience
        stored = audience and {
            "users": sorted(audience.users),
            "groups": sorted(audience.groups),
        }
        self._connection.execute(
            changes.insert().values(
                kind=event.kind,
                object_id=event.object_id,
                object_uuid=event.object_uuid,
                object_kind=event.object_kind,
                parent_id=event.parent_id,
                name=event.name,
                at=at,
                audience=stored,
                by=by,
                detail=event.detail,
            )
        )

    def edits(self, object_id: int, limit: int) -> tuple[Edit, ...]:
        """What was changed of the words about an object, newest first, as far as it is kept.

        The caller has checked that the actor may know.
        """
        query = (
            select(*(changes.c[name] for name in ("seq", "kind", "at", "by", "detail")))
            .where(
                changes.c.object_id == object_id,
                changes.c.kind.in_(EDITS),
                changes.c.audience.is_(None),
            )
            .order_by(changes.c.seq.desc())
            .limit(check_limit(limit))
        )
        return tuple(Edit(**row._mapping) for row in self._connection.execute(query))

    def prune(self, keep: int = KEPT) -> None:
        """Forget all but the newest ``keep`` changes; who is further behind reloads."""
        self._connection.execute(changes.delete().where(changes.c.seq <= self.latest() - keep))


def _change(row: Row[tuple[object, ...]]) -> Change:
    lives = row.audience is None
    return Change(
        seq=row.seq,
        kind=row.kind,
        object_id=row.object_id,
        object_uuid=row.object_uuid,
        object_kind=row.object_kind,
        parent_id=row.now_parent if lives else row.parent_id,
        name=row.now_name if lives else row.name,
        at=row.at,
    )
