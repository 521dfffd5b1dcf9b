"""PIVOT and UNPIVOT as the queries they stand for."""

from __future__ import annotations

from sqlglot import exp

from flowcat_jupyter.shared.names import name_key
from flowcat_jupyter.sql.dialect import House, refusal
from flowcat_jupyter.sql.lowering.expressions import child


def query(node: exp.Expression, source: str, columns: list[str]) -> exp.Select | exp.Union:
    """The query that PIVOT or UNPIVOT makes of the table ``source`` with ``columns``.

    :raises SqlError: it is of a form that is not understood.
    """
    fields = node.args.get("fields") or []
    if len(fields) != 1 or node.args.get("group") or node.args.get("using"):
        raise refusal("PIVOT with other than one FOR … IN (…)", node)
    if not isinstance(fields[0], exp.In) or not fields[0].expressions:
        raise refusal("PIVOT over values that are not written out", node)
    if node.args.get("unpivot"):
        return _unpivot(node, fields[0], source, columns)
    return _pivot(node, fields[0], source, columns)


def _parts(node: exp.Expression) -> list[exp.Expression]:
    return list(node.expressions) if isinstance(node, exp.Tuple) else [node]


def _column(name: str) -> exp.Column:
    return exp.column(exp.to_identifier(name, quoted=True))


def _from(source: str) -> exp.From:
    return exp.From(this=exp.Table(this=exp.to_identifier(source, quoted=True)))


def _pivot(node: exp.Expression, field: exp.In, source: str, columns: list[str]) -> exp.Select:
    keys = _parts(child(field))
    aggregates = [_named(item) for item in node.expressions]
    read = {name_key(item.name) for item in keys}
    read |= {
        name_key(column.name) for call, _ in aggregates for column in call.find_all(exp.Column)
    }
    groups = [_column(name) for name in columns if name_key(name) not in read]
    items: list[exp.Expr] = list(groups)
    for value in field.expressions:
        literal, head = _named(value)
        test = _matches(keys, _parts(literal), node)
        for call, name in aggregates:
            label = head if len(aggregates) == 1 else f"{head}_{name}"
            items.append(exp.alias_(_chosen(call, test), exp.to_identifier(label, quoted=True)))
    made = exp.Select(expressions=items, from_=_from(source))
    if groups:
        made.set("group", exp.Group(expressions=[item.copy() for item in groups]))
    return made


def _named(node: exp.Expression) -> tuple[exp.Expression, str]:
    """A value or a call, and what its column is called."""
    if isinstance(node, (exp.Alias, exp.PivotAlias)):
        return child(node), child(node, "alias").name
    if isinstance(node, exp.Literal):
        return node, node.name
    if isinstance(node, exp.Tuple):
        raise refusal("a tuple without an alias in PIVOT", node, hint="Write (…) AS name.")
    return node, node.sql(dialect=House, normalize_functions=False)


def _matches(
    keys: list[exp.Expression], values: list[exp.Expression], node: exp.Expression
) -> exp.Condition:
    if len(keys) != len(values):
        raise refusal(f"{len(values)} values for {len(keys)} columns in PIVOT", node)
    tests = [
        exp.NullSafeEQ(this=key.copy(), expression=value.copy())
        for key, value in zip(keys, values, strict=True)
    ]
    return exp.and_(*tests, copy=False)


def _chosen(call: exp.Expression, test: exp.Condition) -> exp.Expression:
    """``call`` over the rows of one value; NULL where there are none, even for a count."""
    where = exp.Where(this=test.copy())
    found = exp.Filter(this=exp.Anonymous(this="count", expressions=[exp.Star()]), expression=where)
    some = exp.GT(this=found, expression=exp.Literal.number(0))
    chosen = exp.Filter(this=call.copy(), expression=where.copy())
    return exp.Case(ifs=[exp.If(this=some, true=chosen)])


def _unpivot(
    node: exp.Expression, field: exp.In, source: str, columns: list[str]
) -> exp.Select | exp.Union:
    values = _parts(node.expressions[0])
    name = child(field).name
    lists = [_unpivoted(item) for item in field.expressions]
    read = {name_key(item.name) for parts, _ in lists for item in parts}
    kept = [_column(known) for known in columns if name_key(known) not in read]
    selects: list[exp.Select | exp.Union] = []
    for parts, label in lists:
        if len(parts) != len(values):
            raise refusal(f"{len(parts)} columns for {len(values)} values in UNPIVOT", node)
        items: list[exp.Expr] = [item.copy() for item in kept]
        items.append(exp.alias_(exp.Literal.string(label), exp.to_identifier(name, quoted=True)))
        for value, part in zip(values, parts, strict=True):
            items.append(exp.alias_(part.copy(), exp.to_identifier(value.name, quoted=True)))
        selects.append(exp.Select(expressions=items, from_=_from(source)))
    whole = selects[0]
    for select in selects[1:]:
        whole = exp.Union(this=whole, expression=select, distinct=False)
    if node.args.get("include_nulls"):
        return whole
    present = [
        exp.Not(this=exp.Is(this=_column(value.name), expression=exp.Null())) for value in values
    ]
    inner = exp.Subquery(this=whole, alias=exp.TableAlias(this=exp.to_identifier("q")))
    where = exp.Where(this=exp.or_(*present, copy=False))
    return exp.Select(expressions=[exp.Star()], from_=exp.From(this=inner), where=where)


def _unpivoted(node: exp.Expression) -> tuple[list[exp.Expression], str]:
    """The columns of one row of UNPIVOT, and what the row is called."""
    inner = child(node) if isinstance(node, exp.PivotAlias) else node
    parts = _parts(inner)
    if isinstance(node, exp.PivotAlias):
        return parts, child(node, "alias").name
    return parts, "_".join(item.name for item in parts)
