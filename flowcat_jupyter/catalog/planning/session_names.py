"""What a session calls its own in expressions: its current catalog and schema."""

from __future__ import annotations

from sqlglot import exp

_CATALOG = ("current_catalog",)
_SCHEMA = ("current_schema", "current_database")


def set_places(tree: exp.Expression, place: tuple[str, str]) -> exp.Expression:
    """``tree`` with ``current_catalog()``, ``current_schema()`` and ``current_database()`` as the
    texts that they are.
    """
    for node in list(tree.find_all(exp.Anonymous)):
        name = node.name.casefold()
        if node.expressions or name not in (*_CATALOG, *_SCHEMA):
            continue
        text = exp.Literal.string(place[0] if name in _CATALOG else place[1])
        text.meta.update(node.meta)
        node.replace(text)
    return tree
