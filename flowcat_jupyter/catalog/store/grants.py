"""Groups, who is in them, and what they were granted."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from datetime import datetime

from sqlalchemy import Connection, select
from sqlalchemy.exc import IntegrityError

from flowcat_jupyter.catalog.store.results import inserted_id
from flowcat_jupyter.catalog.store.rows import Grant
from flowcat_jupyter.shared.errors import AlreadyExists
from flowcat_jupyter.shared.events import Audience
from flowcat_jupyter.shared.names import name_key
from flowcat_jupyter.shared.schema import ROOT_ID, grants, groups, memberships, securables


class Grants:
    """Groups and grants; callers have checked that the actor may touch them."""

    def __init__(self, connection: Connection) -> None:
        """Read and write through ``connection``."""
        self._connection = connection

    def add_group(self, name: str, *, at: datetime, members: Iterable[str] = ()) -> int:
        """Add a group with its members; return its id.

        :raises AlreadyExists: there is a group of that name.
        """
        values = {"name": name, "name_key": name_key(name), "created_at": at}
        try:
            with self._connection.begin_nested():
                group_id = inserted_id(self._connection.execute(groups.insert().values(values)))
        except IntegrityError as error:
            raise AlreadyExists("group", name) from error
        rows = [{"group_id": group_id, "member": member} for member in members]
        if rows:
            self._connection.execute(memberships.insert(), rows)
        return group_id

    def grant(self, securable_id: int, group_id: int, level: str, *, by: str, at: datetime) -> None:
        """Give a group a level on an object, in place of any it had."""
        self.revoke(securable_id, group_id)
        self._connection.execute(
            grants.insert().values(
                securable_id=securable_id,
                group_id=group_id,
                level=level,
                granted_by=by,
                granted_at=at,
            )
        )

    def revoke(self, securable_id: int, group_id: int) -> bool:
        """Take a group's level on an object away; False if it had none."""
        result = self._connection.execute(
            grants.delete().where(
                grants.c.securable_id == securable_id, grants.c.group_id == group_id
            )
        )
        return bool(result.rowcount)

    def on(self, securable_id: int) -> tuple[Grant, ...]:
        """The grants on an object itself, by group name."""
        query = (
            select(grants, groups.c.name.label("group"))
            .join(groups, groups.c.id == grants.c.group_id)
            .where(grants.c.securable_id == securable_id)
            .order_by(groups.c.name_key)
        )
        return tuple(Grant(**row._mapping) for row in self._connection.execute(query))

    def audiences(self, node_id: int) -> dict[int, Audience]:
        """Who sees a node and everything beneath it, by id, straight from owners and grants.

        Whoever sees something also sees the names above it, up to the node; so the node's own
        audience is that of its whole tree.
        """
        parents = self._family(node_id)
        own = self._own(parents)
        whole: dict[int, Audience] = defaultdict(Audience)
        for member in parents:
            chain = list(_chain(member, parents))
            sees = Audience()
            for above in chain:
                sees |= own[above]
            whole[member] |= sees
            if node_id in chain:
                for above in chain[: chain.index(node_id) + 1]:
                    whole[above] |= own[member]
        return {member: whole[member] for member in parents if node_id in _chain(member, parents)}

    def _family(self, node_id: int) -> dict[int, int | None]:
        """Parents by id, of the node, its ancestors and its descendants."""
        up = (
            select(securables.c.id, securables.c.parent_id)
            .where(securables.c.id == node_id)
            .cte("up", recursive=True)
        )
        over = securables.alias("over")
        up = up.union(select(over.c.id, over.c.parent_id).join(up, up.c.parent_id == over.c.id))
        down = (
            select(securables.c.id, securables.c.parent_id)
            .where(securables.c.id == node_id)
            .cte("down", recursive=True)
        )
        under = securables.alias("under")
        down = down.union(
            select(under.c.id, under.c.parent_id).join(down, down.c.id == under.c.parent_id)
        )
        family = select(up.c.id, up.c.parent_id).union(select(down.c.id, down.c.parent_id))
        rows = self._connection.execute(family)
        return {row.id: row.parent_id for row in rows if row.id != ROOT_ID}

    def _own(self, members: Iterable[int]) -> dict[int, Audience]:
        ids = list(members)
        own: dict[int, Audience] = defaultdict(Audience)
        for start in range(0, len(ids), 500):
            some = ids[start : start + 500]
            owners = select(securables.c.id, securables.c.owner).where(securables.c.id.in_(some))
            for row in self._connection.execute(owners):
                own[row.id] |= Audience(users=frozenset([row.owner]))
            given = select(grants.c.securable_id, grants.c.group_id).where(
                grants.c.securable_id.in_(some)
            )
            for pair in self._connection.execute(given):
                own[pair.securable_id] |= Audience(groups=frozenset([pair.group_id]))
        return own


def _chain(node_id: int, parents: dict[int, int | None]) -> Iterable[int]:
    here: int | None = node_id
    while here is not None and here in parents:
        yield here
        here = parents[here]
