"""TABLESAMPLE: some of a source's rows."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal

from sqlglot import exp

from flowcat_jupyter.sql.dialect import refusal
from flowcat_jupyter.sql.lowering import text
from flowcat_jupyter.sql.lowering.expressions import Binder, child
from flowcat_jupyter.sql.lowering.fromclause import Leaf

_PLAIN = ("percent", "size", "this")


def sampled(leaf: Leaf, node: exp.Expression, binder: Binder) -> Leaf:
    """A leaf of which so many rows, or each with so much chance, are read.

    :raises SqlError: it is of another form, or the engine does not choose rows by chance.
    """
    known = [name for name, value in node.args.items() if value]
    if any(name not in _PLAIN for name in known):
        raise refusal("TABLESAMPLE other than (n PERCENT) and (n ROWS)", node)
    tail = _rows(node, binder) if node.args.get("size") else _share(node, binder)
    return replace(
        leaf,
        write=lambda: text.nested(text.select(["*"], leaf.write()) + tail, leaf.alias),
        physical=(),
    )


def _rows(node: exp.Expression, binder: Binder) -> str:
    count = binder.bind(child(node, "size")).constant
    if not isinstance(count, int) or isinstance(count, bool) or count < 0:
        raise refusal("TABLESAMPLE of a number of rows that is not written out", node)
    return f" LIMIT {count}"


def _share(node: exp.Expression, binder: Binder) -> str:
    target = binder.context.target
    share = binder.bind(child(node, "percent")).constant
    if isinstance(share, bool) or not isinstance(share, (int, Decimal)) or not 0 <= share <= 100:
        raise refusal("TABLESAMPLE of a share that is not from 0 to 100 PERCENT", node)
    if not target.samples:
        raise refusal(f"TABLESAMPLE (n PERCENT) on {target.name}", node)
    return f" USING SAMPLE {share} PERCENT (bernoulli)"
