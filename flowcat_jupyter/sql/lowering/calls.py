"""Function calls: looked up in the typed table, their arguments cast, their text written."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from difflib import get_close_matches
from typing import cast

from sqlglot import exp

from flowcat_jupyter.shared.errors import SqlError
from flowcat_jupyter.shared.types import DataType, parse_type
from flowcat_jupyter.sql import functions
from flowcat_jupyter.sql import typing as types
from flowcat_jupyter.sql.dialect import place, refusal
from flowcat_jupyter.sql.functions import Function
from flowcat_jupyter.sql.lowering.expressions import Binder, child, common, handles, unify
from flowcat_jupyter.sql.lowering.values import Value, combine

_LETTERS: dict[str, DataType] = {
    "s": types.STRING,
    "i": types.INT,
    "l": types.BIGINT,
    "d": types.DOUBLE,
    "b": types.BOOLEAN,
    "t": types.DATE,
    "z": types.TIMESTAMP,
}


_WITH_UNIT = 3
_OF_DAYS = {"datediff": "timestampdiff", "date_add": "timestampadd"}
"""Functions of days, and what they are with a unit before the others."""


@dataclass(frozen=True, slots=True)
class Call:
    """A call with its arguments bound and cast."""

    function: Function
    arguments: list[Value]
    binder: Binder
    node: exp.Expression

    def argument(self, index: int) -> Value | None:
        """An optional argument."""
        return self.arguments[index] if index < len(self.arguments) else None

    def result(self, sql: str, kind: DataType, *, raises: bool = False) -> Value:
        """A value computed from all arguments."""
        return combine(sql, kind, *self.arguments, raises=raises or self.function.raises)


Rewrite = Callable[[Call], Value]
_REWRITES: dict[tuple[str | None, str], Rewrite] = {}


def rewrites(*names: str, target: str | None = None) -> Callable[[Rewrite], Rewrite]:
    """Register a rewrite under the names the function table uses.

    With ``target`` it takes the place of the general one on that engine.
    """

    def register(rewrite: Rewrite) -> Rewrite:
        for name in names:
            if (target, name) in _REWRITES:
                raise ValueError(f"the rewrite {name} is already there")
            _REWRITES[target, name] = rewrite
        return rewrite

    return register


Unbound = Callable[[Binder, Function, exp.Expression], Value]
_UNBOUND: dict[tuple[str | None, str], Unbound] = {}


def takes_nodes(*spellings: str, target: str | None = None) -> Callable[[Unbound], Unbound]:
    """Register what reads a call's nodes itself, before the arguments are bound.

    With ``target`` it takes the place of the general one on that engine.
    """

    def register(handler: Unbound) -> Unbound:
        _UNBOUND.update(((target, name), handler) for name in spellings)
        return handler

    return register


def rewrite_names(target: str = "polars") -> frozenset[str]:
    """Every rewrite's name on an engine."""
    own = frozenset(name for known, name in _REWRITES if known in (None, target))
    return own | frozenset(name for known, name in _UNBOUND if known in (None, target))


def name_of(node: exp.Expression) -> str:
    """The name of a called function, in lower case; empty for what is not a call."""
    if not isinstance(node, exp.Anonymous):
        return ""
    this = node.this
    return (this.name if isinstance(this, exp.Identifier) else str(this)).lower()


def find(node: exp.Expression, name: str, target: str = "polars") -> Function:
    """The function of that name on an engine.

    :raises SqlError: it is not in that engine's table.
    """
    found = functions.lookup(name, target)
    if found is not None:
        return found
    if functions.lookup(name, None) is not None:
        raise refusal(f"the function {name} on {target}", node)
    line, column = place(node)
    instead = functions.REWRITES.get(name)
    close = get_close_matches(name, functions.names(), n=2, cutoff=0.75)
    raise SqlError(
        f"There is no function {name}.",
        condition="UNRESOLVED_ROUTINE",
        sqlstate="42883",
        line=line,
        column=column,
        hint=(f"Use {instead}." if instead else None)
        or (f"Did you mean {' or '.join(close)}?" if close else None),
    )


@handles(exp.Anonymous)
def _anonymous(binder: Binder, node: exp.Expression) -> Value:
    function = find(node, name_of(node), binder.context.target.name)
    if function.kind == functions.AGGREGATE:
        return aggregate(binder, node)
    if function.kind == functions.WINDOW:
        raise refusal(f"{function.name} without OVER", node)
    if function.kind == functions.GENERATOR:
        raise refusal(
            f"{function.name} inside an expression",
            node,
            hint="Put it in the select list on its own, or use LATERAL VIEW.",
        )
    if len(node.expressions) == _WITH_UNIT and function.spelling in _OF_DAYS:
        function = find(node, _OF_DAYS[function.spelling], binder.context.target.name)
    special = _unbound(function, binder.context.target.name)
    if special is not None:
        check_count(function, len(node.expressions), node)
        return special(binder, function, node)
    made = sorted_collection(node)
    if made is not None:
        return binder.bind(made)
    return call(binder, function, list(node.expressions), node)


def _unbound(function: Function, target: str) -> Unbound | None:
    return _UNBOUND.get((target, function.spelling)) or _UNBOUND.get((None, function.spelling))


def sorted_collection(node: exp.Expression) -> exp.Expression | None:
    """``sort_array(collect_list(x))`` as collect_list with an order; None for anything else."""
    if name_of(node) != "sort_array" or not node.expressions:
        return None
    inner = node.expressions[0]
    down = len(node.expressions) > 1 and not node.expressions[1].this
    if name_of(inner) not in ("collect_list", "array_agg") or len(inner.expressions) != 1:
        return None
    item = inner.expressions[0]
    if isinstance(item, (exp.Distinct, exp.Order)):
        return None
    key = exp.Ordered(this=item.copy(), desc=down, nulls_first=not down)
    order = exp.Order(this=item.copy(), expressions=[key])
    return exp.Anonymous(this="collect_list", expressions=[order])


@handles(exp.Filter, exp.WithinGroup, exp.IgnoreNulls, exp.RespectNulls)
def _wrapped(binder: Binder, node: exp.Expression) -> Value:
    return aggregate(binder, node)


# How Spark calls it where its own word for the place is another one.
_NOT_THERE = {
    "WHERE": ("INVALID_WHERE_CONDITION", "42903"),
    "an aggregate function": ("NESTED_AGGREGATE_FUNCTION", "42607"),
}


def aggregate(binder: Binder, node: exp.Expression) -> Value:
    """An aggregate call where aggregates may stand.

    :raises SqlError: they may not.
    """
    if binder.grouping is None:
        line, column = place(node)
        condition, sqlstate = _NOT_THERE.get(
            binder.clause, ("INVALID_AGGREGATE_FUNCTION_USE", "42903")
        )
        raise SqlError(
            f"An aggregate function cannot stand in {binder.clause}.",
            condition=condition,
            sqlstate=sqlstate,
            line=line,
            column=column,
            hint="Conditions on aggregates go into HAVING.",
        )
    return binder.grouping.aggregate(node)


def call(
    binder: Binder, function: Function, nodes: list[exp.Expression], node: exp.Expression
) -> Value:
    """A scalar call.

    :raises SqlError: the arguments are too few, too many or of wrong types.
    """
    check_count(function, len(nodes), node)
    arguments = bind_arguments(binder, function, nodes, node)
    return spell(Call(function, arguments, binder, node))


def check_count(function: Function, given: int, node: exp.Expression) -> None:
    """Refuse too few or too many arguments."""
    least, most = function.counts
    if given >= least and (most is None or given <= most):
        return
    if least == most:
        wanted = str(least)
    elif most is None:
        wanted = f"{least} or more"
    else:
        wanted = f"{least} to {most}"
    line, column = place(node)
    raise SqlError(
        f"The function {function.name} takes {wanted} arguments, and {given} were given.",
        condition="WRONG_NUM_ARGS.WITHOUT_SUGGESTION",
        sqlstate="42605",
        line=line,
        column=column,
    )


def letters(function: Function, count: int) -> list[str]:
    """The argument letter of each of ``count`` arguments."""
    plain = function.arguments.replace("?", "")
    if plain.endswith("*"):
        plain = plain[:-1] + plain[-2] * max(count - len(plain) + 1, 0)
    return list(plain[:count])


def bind_arguments(
    binder: Binder, function: Function, nodes: list[exp.Expression], node: exp.Expression
) -> list[Value]:
    """The arguments, each cast as its letter says."""
    marks = letters(function, len(nodes))
    bound = [
        bind_argument(binder, mark, item, function) for mark, item in zip(marks, nodes, strict=True)
    ]
    shared = [index for index, mark in enumerate(marks) if mark == "e"]
    if shared and function.result in ("=", "rule"):
        unified = unify([bound[index] for index in shared], binder.context, node)
        for index, value in zip(shared, unified, strict=True):
            bound[index] = value
    return bound


def bind_argument(binder: Binder, mark: str, node: exp.Expression, function: Function) -> Value:
    """One argument by its letter."""
    if isinstance(node, (exp.Lambda, exp.Star, exp.Distinct, exp.Order)):
        raise refusal(f"{type(node).__name__.upper()} as an argument of {function.name}", node)
    if mark in _LETTERS:
        return binder.bind_as(node, _LETTERS[mark])
    value = binder.bind(node)
    wanted = {
        "n": value.type.is_numeric,
        "a": value.type.kind == "array",
        "m": value.type.kind == "map",
        "y": value.type.kind in ("string", "binary"),
        "c": value.known,
    }
    if mark == "y" and value.type.kind == "void":
        return binder.coerce(value, types.STRING, node)
    if mark == "n" and value.type.kind in ("void", "string"):
        return binder.coerce(value, types.DOUBLE, node)
    if wanted.get(mark, True):
        return value
    what = {
        "n": "a number",
        "a": "an array",
        "m": "a map",
        "y": "a text or binary",
        "c": "a literal",
    }[mark]
    line, column = place(node)
    raise SqlError(
        f"The function {function.name} needs {what} here, and this is of type {value.type.ddl}."
        if mark != "c"
        else f"The function {function.name} needs a literal here.",
        condition="DATATYPE_MISMATCH.UNEXPECTED_INPUT_TYPE",
        sqlstate="42K09",
        line=line,
        column=column,
    )


def spell(made: Call) -> Value:
    """The value of a scalar call: by template or by rewrite."""
    function = made.function
    if "{" in function.spelling or "(" in function.spelling:
        texts = [item.sql for item in made.arguments]
        # Only the template is one: an argument's own text may hold braces.
        sql = function.spelling.replace("{*}", "{all}").format(*texts, all=", ".join(texts))
        return made.result(sql, result_type(made))
    name = function.spelling.partition(":")[0]
    special = _REWRITES.get((made.binder.context.target.name, name))
    return (special or _REWRITES[None, name])(made)


def result_type(made: Call) -> DataType:
    """The result type by the table's rule."""
    rule = made.function.result
    if rule == "0":
        return made.arguments[0].type
    if rule == "=":
        marks = letters(made.function, len(made.arguments))
        shared = [item for item, mark in zip(made.arguments, marks, strict=True) if mark == "e"]
        return common(shared, made.node)
    if rule == "item":
        return element(made.arguments[0].type)
    return parse_type(rule)


def element(kind: DataType) -> DataType:
    """An array's element type."""
    return kind.element or types.VOID


def constant_int(value: Value, what: str, node: exp.Expression) -> int:
    """The whole number a literal argument is.

    :raises SqlError: it is not one.
    """
    if value.known and isinstance(value.constant, int) and not isinstance(value.constant, bool):
        return value.constant
    raise refusal(f"{what} that is not a whole number written out", node)


def constant_text(value: Value, what: str, node: exp.Expression) -> str:
    """The string a literal argument is.

    :raises SqlError: it is not one.
    """
    if isinstance(value.constant, str):
        return value.constant
    raise refusal(f"{what} that is not a text written out", node)


@handles(exp.Substring)
def _substring(binder: Binder, node: exp.Expression) -> Value:
    parts = [child(node), node.args.get("start"), node.args.get("length")]
    given = [cast(exp.Expression, item) for item in parts if item is not None]
    return call(binder, find(node, "substring", binder.context.target.name), given, node)


@handles(exp.StrPosition)
def _position(binder: Binder, node: exp.Expression) -> Value:
    if node.args.get("position") is not None:
        raise refusal("a position to start from", node)
    function = find(node, "locate", binder.context.target.name)
    return call(binder, function, [child(node, "substr"), child(node)], node)


@handles(exp.Trim)
def _trim(binder: Binder, node: exp.Expression) -> Value:
    side = str(node.args.get("position") or "").upper()
    subject = binder.bind_as(child(node), types.STRING)
    marks = node.args.get("expression")
    what = binder.bind_as(marks, types.STRING) if marks is not None else None
    if what is not None and not isinstance(what.constant, str):
        raise refusal("TRIM of characters that are not written out", node)
    chars = what.sql if what is not None else "' '"
    sql = subject.sql if side == "TRAILING" else f"LTRIM({subject.sql}, {chars})"
    sql = sql if side == "LEADING" else f"RTRIM({sql}, {chars})"
    return subject.with_sql(sql, types.STRING)
