"""From a plan and its relations to the text one engine runs."""

from __future__ import annotations

from collections.abc import Mapping

from flowcat_jupyter.engines.protocol import Relation
from flowcat_jupyter.shared.errors import SqlError
from flowcat_jupyter.shared.wire import Column, QueryPlan
from flowcat_jupyter.sql.lowering import Lowered, lower
from flowcat_jupyter.sql.nesting import room
from flowcat_jupyter.sql.tree import load_tree

# Engines that find equal parts of a plan by their columns' names.
_SHARING = ("polars",)


def lowered(plan: QueryPlan, relations: Mapping[str, Relation], target: str) -> Lowered:
    """Lower ``plan`` for the engine called ``target``.

    :raises SqlError: a name, type or construct in it is wrong or not supported there.
    """
    try:
        return _lowered(plan, relations, target)
    except RecursionError as error:
        raise too_deep() from error


@room()
def _lowered(plan: QueryPlan, relations: Mapping[str, Relation], target: str) -> Lowered:
    return lower(
        load_tree(plan.tree),
        {key: relation.columns for key, relation in relations.items()},
        target=target,
        time_zone=plan.time_zone,
        now=plan.now,
        user=plan.user,
        params=plan.params,
        headings=plan.headings,
        names={key: relation.name for key, relation in relations.items()},
        max_cell_bytes=plan.max_cell_bytes,
        variables=plan.variables,
        same=_same(relations) if target in _SHARING else {},
    )


def _same(relations: Mapping[str, Relation]) -> dict[str, str]:
    """For each relation the first that holds the same rows; nothing where no two do."""
    groups: dict[tuple[int, tuple[Column, ...]], list[str]] = {}
    for key, relation in relations.items():
        groups.setdefault((id(relation.frame), relation.columns), []).append(key)
    if len(groups) == len(relations):
        return {}
    return {key: keys[0] for keys in groups.values() for key in keys}


def too_deep() -> SqlError:
    """The error for a query whose parts are nested deeper than the engine can read."""
    return SqlError(
        "The query is nested too deeply.",
        condition="FAILED_TO_PARSE_TOO_COMPLEX",
        sqlstate="54001",
        hint="Compute inner parts in a WITH clause or a sub-query of their own.",
    )
