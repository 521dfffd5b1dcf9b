"""ROLLUP, CUBE and GROUPING SETS as the sets of keys they stand for."""

from __future__ import annotations

from itertools import combinations, product

from sqlglot import exp

from flowcat_jupyter.sql.dialect import refusal

_MAX_SETS = 256
_KINDS = (exp.Rollup, exp.Cube, exp.GroupingSets)
Keys = list[exp.Expression]


def are_asked(nodes: Keys, group: exp.Expression) -> bool:
    """Whether a GROUP BY has more than one set of keys, or a set written out."""
    return any(isinstance(item, _KINDS) for item in [*nodes, *_after(group)])


def sets_of(nodes: Keys, group: exp.Expression) -> list[Keys]:
    """The sets of keys that GROUP BY groups by, one after the other.

    :raises SqlError: they are too many.
    """
    after = _after(group)
    plain = [item for item in nodes if not isinstance(item, _KINDS)]
    special = [item for item in nodes if isinstance(item, _KINDS)]
    if after:
        # Behind the keys stands how to combine them: WITH ROLLUP, or the sets of them.
        return [one for item in after for one in _sets(item, plain, group)]
    if not special:
        return [plain]
    found = [[plain], *(_sets(item, [], group) for item in special)]
    crossed = [[key for part in parts for key in part] for parts in product(*found)]
    return _few(crossed, group)


def _after(group: exp.Expression) -> Keys:
    return [
        item for name in ("rollup", "cube", "grouping_sets") for item in group.args.get(name) or ()
    ]


def _sets(node: exp.Expression, keys: Keys, group: exp.Expression) -> list[Keys]:
    parts = [_one(item) for item in node.expressions or keys]
    if isinstance(node, exp.Rollup):
        return [_flat(parts[:length]) for length in range(len(parts), -1, -1)]
    if isinstance(node, exp.Cube):
        if len(parts) > 8:
            raise refusal("CUBE of more than 8 keys", group)
        lengths = range(len(parts), -1, -1)
        return [_flat(chosen) for length in lengths for chosen in combinations(parts, length)]
    made: list[Keys] = []
    for item in node.expressions:
        made += _sets(item, [], group) if isinstance(item, _KINDS) else [_one(item)]
    return made


def _one(node: exp.Expression) -> Keys:
    """The keys that stand together as one."""
    if isinstance(node, exp.Tuple):
        return list(node.expressions)
    while isinstance(node, exp.Paren):
        node = node.this
    return [node]


def _flat(parts: list[Keys] | tuple[Keys, ...]) -> Keys:
    return [key for part in parts for key in part]


def _few(sets: list[Keys], group: exp.Expression) -> list[Keys]:
    if len(sets) > _MAX_SETS:
        raise refusal(f"GROUP BY of more than {_MAX_SETS} sets of keys", group)
    return sets
