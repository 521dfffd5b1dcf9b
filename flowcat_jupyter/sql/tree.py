"""Trees as text, for travelling between processes.

They are made and read where a statement is planned and run, so that the server's event loop, which
only passes them on, need not walk them.
"""

from __future__ import annotations

import json

from sqlglot import exp, serde

from flowcat_jupyter.shared.errors import Internal

OF_A_VIEW = "of_a_view"
"""Marks, in a column's meta, that its name is read in a view: it can be no variable's."""


def dump_tree(tree: exp.Expression) -> str:
    """The tree as JSON, with its nodes' places."""
    return json.dumps(serde.dump(tree), separators=(",", ":"))


def load_tree(text: str) -> exp.Expression:
    """The tree that :func:`dump_tree` was given.

    :raises Internal: the text is no tree.
    """
    tree = serde.load(json.loads(text))
    if not isinstance(tree, exp.Expression):
        raise Internal("The plan holds no tree.")
    return tree
