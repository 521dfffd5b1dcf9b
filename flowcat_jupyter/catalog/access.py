"""Who sees what: one SQL expression, and one check.

An actor sees what it owns and what its groups were granted. Either on a namespace covers all
beneath it (owning a namespace counts as `manage` there), and reveals the names of the ancestors
above, no more. So whoever may add to a namespace sees all of it, and a name that is taken tells
nobody of anything hidden.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from sqlalchemy import (
    CTE,
    ColumnElement,
    FromClause,
    Integer,
    ScalarSelect,
    Select,
    case,
    func,
    literal_column,
    or_,
    select,
    union_all,
)

from flowcat_jupyter.catalog.store.rows import Node
from flowcat_jupyter.catalog.store.seen import (
    ACCESS,
    BROWSE,
    MANAGE,
    NAME,
    OWNER,
    USE,
    Seen,
    storable,
)
from flowcat_jupyter.shared.errors import Forbidden
from flowcat_jupyter.shared.names import name_key
from flowcat_jupyter.shared.schema import ROOT_ID, grants, groups, memberships, securables


@dataclass(frozen=True)
class Actor:
    """Who asks. ``groups`` are names an identity provider vouches for; memberships in the
    database count as well. ``unrestricted`` actors own everything.
    """

    name: str
    unrestricted: bool = False
    groups: frozenset[str] = frozenset()


LOCAL = Actor("local", unrestricted=True)
"""The one actor of embedded mode: server, command line and kernels alike."""

SYSTEM = Actor("system", unrestricted=True)
"""Upkeep that no user asked for."""


@lru_cache(maxsize=256)
def visible(actor: Actor) -> Seen:
    """All the actor sees; a query joins it and reads the rank.

    It is text, not rows, so it is built once for each actor: building costs more than most queries.
    """
    if actor.unrestricted:
        everything = securables.alias("seen")
        return Seen(everything, everything.c.id, _rank(OWNER))
    start = _start(actor)
    best = select(start.c.id, func.max(start.c.rank).label("rank")).group_by(start.c.id).cte("best")
    node, parent = securables.alias("node"), securables.alias("parent")
    own, over, top = best.alias("own"), best.alias("over"), best.alias("top")
    above = _above(start)
    # A node has at most two ancestors, so looking up beats a walk down through all beneath.
    rank = _greater(
        _greater(func.coalesce(own.c.rank, _rank(NAME)), _passed_down(over)), _passed_down(top)
    )
    seen = (
        select(node.c.id, rank.label("rank"))
        .join(parent, parent.c.id == node.c.parent_id)
        .outerjoin(own, own.c.id == node.c.id)
        .outerjoin(over, over.c.id == node.c.parent_id)
        .outerjoin(top, top.c.id == parent.c.parent_id)
        .outerjoin(above, above.c.id == node.c.id)
        .where(or_(*(found.c.id.is_not(None) for found in (own, over, top, above))))
        .subquery("seen")
    )
    walk, probe = _walk(start, above)
    return Seen(seen, seen.c.id, seen.c.rank, walk, probe)


def _walk(start: CTE, above: CTE) -> tuple[Seen, Select[Any]]:
    """All beneath what is the actor's or was granted, two levels down, and the names above."""
    parts = [select(start.c.id, start.c.rank), select(above.c.id, _rank(NAME))]
    level = start
    for name in ("below", "lowest"):
        beneath = securables.alias()
        step = select(beneath.c.id, _passed_down(level).label("rank"))
        level = step.join(level, level.c.id == beneath.c.parent_id).cte(name)
        parts.append(select(level.c.id, level.c.rank))
    every = union_all(*parts).subquery("every")
    best = select(every.c.id, func.max(every.c.rank).label("rank")).group_by(every.c.id)
    walk = best.cte("walk")
    return Seen(walk, walk.c.id, walk.c.rank), select(every.c.id)


def group_ids(actor: Actor) -> ScalarSelect[int]:
    """The actor's groups, as something `in_` takes."""
    names = [name_key(name) for name in sorted(actor.groups) if storable(name)]
    joined = select(memberships.c.group_id).where(memberships.c.member == actor.name)
    return (
        select(groups.c.id)
        .where(or_(groups.c.name_key.in_(names), groups.c.id.in_(joined)))
        .scalar_subquery()
    )


def _start(actor: Actor) -> CTE:
    """What is the actor's own or was granted to its groups, with the rank on each."""
    granted = case(
        (grants.c.level == "manage", _rank(MANAGE)),
        (grants.c.level == "use", _rank(USE)),
        else_=_rank(BROWSE),
    )
    own = select(securables.c.id, _rank(OWNER).label("rank")).where(
        securables.c.owner == actor.name
    )
    given = select(grants.c.securable_id, granted).where(grants.c.group_id.in_(group_ids(actor)))
    return union_all(own, given).cte("start")


def _passed_down(ancestor: FromClause) -> ColumnElement[int]:
    """What an ancestor's rank is worth below it: owning it counts as managing what it holds."""
    given = func.coalesce(ancestor.c.rank, _rank(NAME))
    return case((given > MANAGE, _rank(MANAGE)), else_=given)


def _greater(left: ColumnElement[int], right: ColumnElement[int]) -> ColumnElement[int]:
    return case((left >= right, left), else_=right)


def _above(start: CTE) -> CTE:
    """The ancestors of the start, but for the root."""
    parents = securables.alias("parents")
    above = (
        select(securables.c.parent_id.label("id"))
        .join(start, start.c.id == securables.c.id)
        .where(securables.c.parent_id != ROOT_ID)
        .cte("above", recursive=True)
    )
    return above.union(
        select(parents.c.parent_id)
        .join(above, above.c.id == parents.c.id)
        .where(parents.c.parent_id != ROOT_ID)
    )


def _rank(rank: int) -> ColumnElement[int]:
    # Written into the SQL: a bound parameter has no type where PostgreSQL needs one.
    return literal_column(str(rank), Integer)


def require(node: Node, level: int, action: str) -> None:
    """Let pass who has ``level`` on a node they see.

    :raises Forbidden: the node is visible at a lower level.
    """
    if ACCESS.index(node.access) < level:
        raise Forbidden(action, node.kind, node.sql_name, hint=_HINTS.get(level))


_HINTS = {
    BROWSE: "Ask its owner for access.",
    USE: "Ask its owner for the level use.",
    MANAGE: "Ask its owner for the level manage.",
    OWNER: "Only its owner may.",
}
