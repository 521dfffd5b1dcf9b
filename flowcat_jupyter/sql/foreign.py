"""What of another dialect's statement the house dialect's text could not say.

Translating writes a tree as text, and leaves out in silence what the writer does not know. So
every argument of the nodes that make up a query is one that is written, or is refused.
"""

from __future__ import annotations

from sqlglot import exp

_QUERY = "this with_ order limit offset joins laterals sort cluster distribute pivots sample"
_WRITTEN: dict[type[exp.Expr], frozenset[str]] = {
    kind: frozenset(names.split())
    for kind, names in {
        exp.Select: f"{_QUERY} expressions distinct from_ where group having qualify windows hint",
        exp.Subquery: f"{_QUERY} alias",
        exp.SetOperation: f"{_QUERY} expression distinct",
        exp.Table: "this alias db catalog joins laterals pivots sample version hints",
        exp.Join: "this on using side kind method hint pivots",
        exp.Group: "expressions all rollup cube grouping_sets",
        exp.Limit: "this expression offset limit_options",
        exp.Fetch: "direction count limit_options",
        exp.LimitOptions: "rows",
        exp.Ordered: "this desc nulls_first",
        exp.Column: "this table db catalog",
        exp.Cast: "this to safe requires_string",
        exp.CTE: "this alias materialized",
        exp.With: "expressions recursive",
    }.items()
}

_NAMES: dict[tuple[type[exp.Expr], str], str] = {
    (exp.Limit, "expressions"): "LIMIT BY",
    (exp.LimitOptions, "percent"): "PERCENT in LIMIT",
    (exp.LimitOptions, "with_ties"): "WITH TIES in LIMIT",
    (exp.Ordered, "with_fill"): "WITH FILL in ORDER BY",
    (exp.Column, "join_mark"): "the join mark (+)",
}


def overlooked(tree: exp.Expression) -> str | None:
    """The first thing of another dialect's tree that the house dialect's text would not say."""
    for node in tree.walk():
        written = next((names for kind, names in _WRITTEN.items() if isinstance(node, kind)), None)
        if written is None:
            continue
        for name, value in node.args.items():
            if name not in written and value not in (None, False, []):
                plain = f"{name.strip('_').replace('_', ' ').upper()} in {node.key.upper()}"
                return _NAMES.get((type(node), name), plain)
    return None
