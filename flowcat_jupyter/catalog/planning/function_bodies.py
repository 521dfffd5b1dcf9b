"""The body of a function made fit to stand in any statement.

Its parameters become marks, and each name in it is bound to what it means in the body alone: no
column, alias or variable of the statement around it can be taken for one of its own, nor one of
its own for one of theirs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import count

from sqlglot import exp

from flowcat_jupyter.catalog.planning.function_reading import body_of
from flowcat_jupyter.catalog.planning.functions import FunctionText
from flowcat_jupyter.catalog.planning.own_names import Names, aliases, origins, scopes
from flowcat_jupyter.shared.errors import SqlError
from flowcat_jupyter.shared.names import RESERVED_PREFIX, name_key
from flowcat_jupyter.sql import functions
from flowcat_jupyter.sql.dialect import House, Piece, parse_statement

_KEYS = ("catalog", "db", "table", "this")
_COMPLEX = (functions.AGGREGATE, functions.WINDOW, functions.GENERATOR)


@lru_cache(maxsize=128)
def parsed(text: str, dialect: str) -> tuple[Piece, exp.Expression]:
    """An expression of a function's, and the text it is in; the tree is not to be changed."""
    return body_of(Piece(text), dialect)


@lru_cache(maxsize=128)
def type_node(ddl: str) -> exp.Expression:
    """A type as CAST names it; not to be changed."""
    found = parse_statement(f"SELECT CAST(NULL AS {ddl})").expressions[0].args["to"]
    if not isinstance(found, exp.Expression):
        raise SqlError(f"{ddl} is no type.", condition="UNSUPPORTED_DATATYPE", sqlstate="0A000")
    return found


def refuse_complex(body: exp.Expression) -> None:
    """Refuse what is computed over several rows, but for what stands in a sub-query.

    :raises SqlError: the body has such a function.
    """
    for node in body.walk(prune=lambda item: isinstance(item, exp.Query)):
        known = functions.lookup(node.name, None) if isinstance(node, exp.Anonymous) else None
        if isinstance(node, exp.Window) or (known is not None and known.kind in _COMPLEX):
            raise SqlError(
                "A function is computed for one row: aggregates, windows and functions that give "
                "rows stand in a sub-query of it.",
                condition="USER_DEFINED_FUNCTIONS.CANNOT_CONTAIN_COMPLEX_FUNCTIONS",
                sqlstate="42601",
                hint="Write them around the call: sum(f(x)); or in (SELECT sum(…) FROM …).",
            )


def marked(root: exp.Select, function: FunctionText, known: Mapping[str, Names]) -> None:
    """Put `exp.Parameter` with a parameter's number where the one item of ``root`` names it.

    :raises SqlError: a name in it is no parameter's, or may be a column's as well.
    """
    numbers = {name_key(item.name): at for at, item in enumerate(function.parameters)}
    for column in list(root.find_all(exp.Column)):
        if isinstance(column.this, exp.Star):
            continue
        parts = [part.name for part in column.parts]
        keys = [name_key(part) for part in parts]
        within = list(scopes(column, root))
        if _is_own(column, keys, within, known, numbers):
            continue
        skip = int(len(keys) > 1 and keys[0] not in numbers and keys[0] == _own_key(function))
        number = numbers.get(keys[skip])
        if number is not None:
            mark: exp.Expression = exp.Parameter(this=exp.Var(this=str(number)))
            for part in parts[skip + 1 :]:
                mark = exp.Dot(this=mark, expression=exp.to_identifier(part, quoted=True))
            column.replace(mark)
        elif not within:
            raise _unknown(column)


def apart(root: exp.Select, known: Mapping[str, Names], numbers: count[int]) -> None:
    """Give whatever the sub-queries of ``root`` read from, and the variables of its lambdas,
    names that nothing else has.
    """
    for select in list(root.find_all(exp.Select)):
        for origin in origins(select, known):
            if origin.alias:
                _rename_origin(select, origin.node, f"{RESERVED_PREFIX}{next(numbers)}")
    for function in list(root.find_all(exp.Lambda)):
        _rename_variables(function, numbers)


def _own_key(function: FunctionText) -> str:
    return name_key(function.path[-1])


def _is_own(
    column: exp.Column,
    keys: Sequence[str],
    within: Sequence[exp.Select],
    known: Mapping[str, Names],
    numbers: Mapping[str, int],
) -> bool:
    """Whether a name is one of the body's own sub-queries; it then gets its source's name."""
    for select in within:
        found = origins(select, known)
        if len(keys) > 1 and keys[0] in [origin.alias for origin in found]:
            return True
        if keys[0] in aliases(select) and len(keys) == 1:
            return True
        having = [origin for origin in found if origin.columns and keys[0] in origin.columns]
        if having:
            if len(having) == 1 and having[0].alias:
                _qualify(column, having[0].node.alias_or_name)
            return True
        if keys[0] in numbers and any(origin.columns is None for origin in found):
            raise SqlError(
                f"{column.sql(dialect=House)} may be the parameter, or a column of what the "
                "sub-query reads.",
                condition="AMBIGUOUS_REFERENCE",
                sqlstate="42704",
                hint="Write the function's name before the parameter, as f.x, or the table's "
                "alias before the column.",
            )
    return False


def _qualify(column: exp.Column, alias: str) -> None:
    """Put a source's name before a column's, however many fields follow."""
    parts = [part.copy() for part in column.parts]
    parts.insert(0, exp.to_identifier(alias, quoted=True))
    set_parts(column, parts)


def set_parts(column: exp.Column, parts: Sequence[exp.Expr]) -> None:
    """Let a column be of these parts; fields beyond four are read one by one."""
    more = parts[len(_KEYS) :]
    parts = parts[: len(_KEYS)]
    for key, part in zip(_KEYS[len(_KEYS) - len(parts) :], parts, strict=True):
        column.set(key, part)
    made: exp.Expression = column
    if more:
        made = column.copy()
        for part in more:
            made = exp.Dot(this=made, expression=part)
        column.replace(made)


def _rename_origin(select: exp.Select, node: exp.Expression, fresh: str) -> None:
    old = name_key(node.alias_or_name)
    for column in list(select.find_all(exp.Column)):
        first = column.parts[0]
        if len(column.parts) < 2 or name_key(first.name) != old:
            continue
        if _nearest(column, select, old) is select:
            first.replace(exp.to_identifier(fresh, quoted=True))
    alias = node.args.get("alias")
    if isinstance(alias, exp.TableAlias):
        alias.set("this", exp.to_identifier(fresh, quoted=True))
    else:
        node.set("alias", exp.TableAlias(this=exp.to_identifier(fresh, quoted=True)))


def _nearest(column: exp.Column, root: exp.Select, alias: str) -> exp.Select | None:
    """The innermost select around a column that reads from something of that name."""
    above = column.find_ancestor(exp.Select)
    while above is not None and above is not root:
        if alias in [origin.alias for origin in origins(above, {})]:
            return above
        above = above.find_ancestor(exp.Select)
    return above


def _rename_variables(function: exp.Lambda, numbers: count[int]) -> None:
    names = {
        name_key(item.name): f"{RESERVED_PREFIX}{next(numbers)}" for item in function.expressions
    }
    for node in list(function.find_all(exp.Identifier)):
        field = isinstance(node.parent, exp.Dot) and node.arg_key == "expression"
        if name_key(node.name) in names and not isinstance(node.parent, exp.Column) and not field:
            node.replace(exp.to_identifier(names[name_key(node.name)]))


def _unknown(column: exp.Column) -> SqlError:
    return SqlError(
        f"{column.sql(dialect=House)} is no parameter of the function.",
        condition="UNRESOLVED_COLUMN.WITHOUT_SUGGESTION",
        sqlstate="42703",
        hint="A body reads its parameters, and columns in sub-queries of its own.",
    )
