"""Trees as plain lists, for travelling between processes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

from sqlglot import exp, serde

from flowcat_jupyter.shared.errors import Internal


def dump_tree(tree: exp.Expression) -> list[Any]:
    """The tree as JSON-ready lists and dicts, with its nodes' places."""
    return cast("list[Any]", serde.dump(tree))


def load_tree(data: Sequence[Any]) -> exp.Expression:
    """The tree that :func:`dump_tree` was given; tuples stand for lists.

    :raises Internal: the data are not a tree.
    """
    tree = serde.load(_lists(data))
    if not isinstance(tree, exp.Expression):
        raise Internal("The plan holds no tree.")
    return tree


def _lists(value: Any) -> Any:
    if isinstance(value, (tuple, list)):
        return [_lists(item) for item in value]
    if isinstance(value, dict):
        return {key: _lists(item) for key, item in value.items()}
    return value
