"""Which arguments of each node are understood; any other is refused, never overlooked."""

from __future__ import annotations

from sqlglot import exp

from flowcat_jupyter.sql.dialect import refusal

_PLAIN = frozenset(("this", "expression", "expressions"))
_MORE: dict[type[exp.Expression], str] = {
    exp.Between: "low high",
    exp.Case: "ifs default",
    exp.Cast: "to",
    exp.Column: "table db catalog",
    exp.CTE: "alias",
    exp.DPipe: "safe",
    exp.If: "true false",
    exp.Identifier: "quoted",
    exp.ILike: "negate",
    exp.In: "query",
    exp.Interval: "unit",
    exp.Join: "on using side kind method",
    exp.Lateral: "alias outer view",
    exp.Like: "negate",
    exp.Limit: "offset",
    exp.Literal: "is_string",
    exp.Ordered: "desc nulls_first",
    exp.RegexpLike: "negate",
    exp.Select: "with_ distinct from_ joins laterals where group having qualify windows "
    "order limit offset",
    exp.StrPosition: "substr",
    exp.Subquery: "alias with_ order limit offset joins",
    exp.Substring: "start length",
    exp.Table: "alias joins",
    exp.Trim: "position",
    exp.TryCast: "to safe",
    exp.Union: "with_ distinct order limit offset",
    exp.Except: "with_ distinct order limit offset",
    exp.Intersect: "with_ distinct order limit offset",
    exp.Values: "alias",
    exp.Window: "partition_by order spec over alias",
    exp.WindowSpec: "kind start start_side end end_side",
    exp.With: "recursive",
    exp.Group: "all rollup cube grouping_sets",
}
_KNOWN = {kind: _PLAIN | frozenset(more.split()) for kind, more in _MORE.items()}
_NAMES = {"sample": "TABLESAMPLE", "pivots": "PIVOT", "alias": "an alias"}


def check_arguments(node: exp.Expression) -> None:
    """Refuse a node with an argument that would be overlooked.

    :raises SqlError: it has one.
    """
    known = _KNOWN.get(type(node), _PLAIN)
    for name, value in node.args.items():
        if value and name not in known:
            what = _NAMES.get(name, name.rstrip("_").replace("_", " ").upper())
            raise refusal(f"{what} in {type(node).__name__.upper()}", node)
