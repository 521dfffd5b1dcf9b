"""The arguments of a call: each for its parameter, and safe to stand where the body reads it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sqlglot import exp

from flowcat_jupyter.catalog.planning.function_bodies import parsed, set_parts, type_node
from flowcat_jupyter.catalog.planning.functions import FunctionText
from flowcat_jupyter.catalog.planning.own_names import Names, Origin, origins, scopes
from flowcat_jupyter.shared.errors import SqlError
from flowcat_jupyter.shared.names import name_key
from flowcat_jupyter.sql.dialect import House

_WRONG = {exp.Distinct: "DISTINCT", exp.Star: "*", exp.Lambda: "a lambda", exp.Order: "ORDER BY"}


def bound(call: exp.Anonymous, function: FunctionText) -> list[exp.Expression]:
    """An argument for each parameter, in order, as a value of the parameter's type.

    :raises SqlError: there are too few, too many, or some that are no parameter's.
    """
    given = _given(call, function)
    found: list[exp.Expression] = []
    for number, parameter in enumerate(function.parameters):
        value = given.get(number)
        if value is None and parameter.default is not None:
            value = _default(parameter.default, function.dialect)
        if value is None:
            raise _wrong_count(call, function, parameter.name)
        to = type_node(parameter.type).copy()
        found.append(exp.Cast(this=exp.Paren(this=value.copy()), to=to))
    return found


def _default(text: str, dialect: str) -> exp.Expression:
    """A default's tree, without places: those of another text would be taken for this one's."""
    value = parsed(text, dialect)[1].copy()
    for node in value.walk():
        node.meta.clear()
    return value


def _given(call: exp.Anonymous, function: FunctionText) -> dict[int, exp.Expression]:
    names = [name_key(parameter.name) for parameter in function.parameters]
    given: dict[int, exp.Expression] = {}
    named: set[int] = set()
    for position, item in enumerate(call.expressions):
        wrong = next((said for kind, said in _WRONG.items() if isinstance(item, kind)), None)
        bare = isinstance(item, exp.Query) and not isinstance(item, exp.Subquery)
        if wrong is not None or bare:
            raise syntax_error(function, wrong or "a query without parentheses")
        if not isinstance(item, exp.Kwarg):
            if named:
                raise SqlError(
                    f"An argument without a name follows one with a name in {function.sql_name}.",
                    condition="UNEXPECTED_POSITIONAL_ARGUMENT",
                    sqlstate="4274K",
                    hint="Put the arguments with names last.",
                )
            if position >= len(names):
                raise _wrong_count(call, function)
            given[position] = item
            continue
        key = name_key(item.this.name)
        if key not in names:
            raise _unknown(function, item.this.name)
        number = names.index(key)
        if number in given:
            raise _twice(function, item.this.name, by_name=number in named)
        given[number] = item.expression
        named.add(number)
    return given


def guarded(
    argument: exp.Expression,
    mark: exp.Parameter,
    root: exp.Select,
    call: exp.Expression,
    known: Mapping[str, Names],
) -> exp.Expression:
    """The argument as it can stand in place of ``mark``: in a sub-query of the body its columns
    say what they are of, since names there mean the sub-query's first.

    :raises SqlError: it cannot be told what they are of.
    """
    around = list(scopes(mark, root))
    made = argument.copy()
    if not around:
        return made
    if made.find(exp.Query) or call.find_ancestor(exp.Lambda):
        raise _outside("A sub-query" if made.find(exp.Query) else "A variable of a lambda")
    inner = [origin for select in around for origin in origins(select, known)]
    taken = frozenset[str]().union(*(origin.columns or () for origin in inner))
    unsure = any(origin.columns is None for origin in inner)
    outer = [origins(select, known) for select in scopes(call)]
    holder = exp.Paren(this=made)
    for column in list(holder.find_all(exp.Column)):
        keys = [name_key(part.name) for part in column.parts]
        alias = _alias_of(keys, outer)
        if alias is None and (keys[0] in taken or unsure):
            raise _outside(f"{column.sql(dialect=House)}, which does not say what it is of,")
        if alias in taken:
            raise _outside(f"{column.sql(dialect=House)}, whose table is called as a column is,")
        if alias is not None and (len(keys) == 1 or alias != keys[0]):
            parts = [part.copy() for part in column.parts]
            set_parts(column, [exp.to_identifier(alias, quoted=True), *parts])
    found = holder.this
    return found if isinstance(found, exp.Expression) else made


def _alias_of(keys: Sequence[str], outer: Sequence[Sequence[Origin]]) -> str | None:
    """The key of what a column is of; None where that is not known."""
    for found in outer:
        if len(keys) > 1 and keys[0] in [item.alias for item in found]:
            return keys[0]
        having = [item for item in found if item.columns and keys[0] in item.columns]
        if len(having) == 1 and having[0].alias:
            return having[0].alias
        if having or any(item.columns is None for item in found):
            return None
    return None


def syntax_error(function: FunctionText, what: str) -> SqlError:
    """The error for a call with something that only other functions take."""
    return SqlError(
        f"The function {function.sql_name} does not take {what}.",
        condition="INVALID_SQL_SYNTAX.FUNCTION_WITH_UNSUPPORTED_SYNTAX",
        sqlstate="42000",
        hint="Give it one value for each parameter.",
    )


def _outside(what: str) -> SqlError:
    return SqlError(
        f"{what} cannot be the argument of a parameter that a sub-query of the function reads.",
        condition="UNSUPPORTED_FEATURE",
        sqlstate="0A000",
        hint="Write the table's alias before each column, or compute the value in a sub-query.",
    )


def _wrong_count(
    call: exp.Anonymous, function: FunctionText, missing: str | None = None
) -> SqlError:
    if missing is not None and any(isinstance(item, exp.Kwarg) for item in call.expressions):
        return SqlError(
            f"The parameter {missing} of {function.sql_name} has no value.",
            condition="REQUIRED_PARAMETER_NOT_FOUND",
            sqlstate="4274K",
            hint=f"Add {missing} => ….",
        )
    most = len(function.parameters)
    least = sum(parameter.default is None for parameter in function.parameters)
    said = f"{most}" if least == most else f"{least} to {most}"
    names = ", ".join(f"{item.name} {item.type.upper()}" for item in function.parameters)
    return SqlError(
        f"{function.sql_name} takes {said} arguments, and {len(call.expressions)} are given.",
        condition="WRONG_NUM_ARGS.WITHOUT_SUGGESTION",
        sqlstate="42605",
        hint=f"It takes ({names})." if names else "It takes none.",
    )


def _unknown(function: FunctionText, name: str) -> SqlError:
    names = ", ".join(parameter.name for parameter in function.parameters)
    return SqlError(
        f"{function.sql_name} has no parameter {name}.",
        condition="UNRECOGNIZED_PARAMETER_NAME",
        sqlstate="4274K",
        hint=f"It has {names}." if names else "It has none.",
    )


def _twice(function: FunctionText, name: str, *, by_name: bool) -> SqlError:
    how = "DOUBLE_NAMED_ARGUMENT_REFERENCE" if by_name else "BOTH_POSITIONAL_AND_NAMED"
    return SqlError(
        f"The parameter {name} of {function.sql_name} has two values.",
        condition=f"DUPLICATE_ROUTINE_PARAMETER_ASSIGNMENT.{how}",
        sqlstate="4274K",
        hint="Give it one.",
    )
