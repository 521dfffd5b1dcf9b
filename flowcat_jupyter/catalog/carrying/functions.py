"""CREATE FUNCTION and DROP FUNCTION."""

from __future__ import annotations

from dataclasses import dataclass, replace

from sqlglot import exp

from flowcat_jupyter.catalog.access import require
from flowcat_jupyter.catalog.carrying.carrier import Carrier
from flowcat_jupyter.catalog.carrying.done import Done
from flowcat_jupyter.catalog.editing import identity
from flowcat_jupyter.catalog.planning.function_bodies import parsed, refuse_complex, type_node
from flowcat_jupyter.catalog.planning.function_reading import CreateFunction, DropFunction
from flowcat_jupyter.catalog.planning.functions import DEFINED, FunctionText
from flowcat_jupyter.catalog.planning.places import place
from flowcat_jupyter.catalog.planning.planner import Defining
from flowcat_jupyter.catalog.planning.statements import Select
from flowcat_jupyter.catalog.planning.view_steps import ViewFault
from flowcat_jupyter.catalog.store.rows import FunctionRow, Node
from flowcat_jupyter.catalog.store.seen import MANAGE, check_text
from flowcat_jupyter.catalog.unit import Unit
from flowcat_jupyter.shared.errors import (
    AlreadyExists,
    Conflict,
    LimitExceeded,
    NotFound,
    SqlError,
)
from flowcat_jupyter.shared.events import FunctionChanged, FunctionCreated, FunctionDropped
from flowcat_jupyter.shared.names import TableName, check_name, name_key
from flowcat_jupyter.shared.wire import QueryPlan
from flowcat_jupyter.shared.wire_shows import DescribeQueryInfo, DescribeQueryJob
from flowcat_jupyter.sql import functions as built_in

_CREATE, _DROP = "CREATE FUNCTION", "DROP FUNCTION"
MOST_FUNCTIONS = 1000
MOST_TEXT = 5_000_000
"""Characters of all the definitions together."""


@dataclass(frozen=True)
class _Target:
    """Where a function's name leads: a schema, and the function of that name if there is one."""

    schema: Node
    name: str
    row: FunctionRow | None

    @property
    def path(self) -> tuple[str, ...]:
        return self.row.path if self.row else (*self.schema.path, self.name)

    @property
    def mark(self) -> tuple[int, int, int]:
        row = self.row
        return (self.schema.id, row.id, row.revision) if row else (self.schema.id, 0, 0)


async def create_function(carrier: Carrier, change: CreateFunction) -> Done:
    """Make a function of an expression or a query, which a worker checks."""
    name = check_name(change.name[-1], "function")
    if change.temporary:
        return await _create_temporary(carrier, change, name)

    def look() -> _Target:
        with carrier.begin(carrier.actor) as unit:
            target = _target(unit, change.name, carrier.place)
            _check_new(target, replace=change.replace)
            return target

    try:
        target = await carrier.threads.run(look)
        text = _text(carrier, change, target.path, target.row.id if target.row else None)
        text = await _checked(carrier, change, text)
        await carrier.threads.run(lambda: _store(carrier, change, target, text))
    except AlreadyExists as error:
        if not change.if_not_exists:
            raise
        return Done(_CREATE, warnings=(error.message,), changed=False)
    return Done(_CREATE, warnings=_hidden(text))


async def drop_function(carrier: Carrier, change: DropFunction) -> Done:
    """Drop a function: with TEMPORARY one of the session's."""

    def work() -> None:
        if change.temporary:
            key = name_key(change.name[-1])
            if carrier.asking.session.functions.pop(key, None) is None:
                raise NotFound("function", TableName(change.name).sql)
            return
        with carrier.begin(carrier.actor, write=True) as unit:
            row = _target(unit, change.name, carrier.place).row
            if row is None:
                raise _missing(change.name)
            require(row, MANAGE, "drop")
            audience = unit.grants.audiences(row.id)[row.id]
            unit.securables.delete(row.id)
            unit.record(FunctionDropped(*identity(row), audience=audience))

    try:
        carrier.asking.check()
        await carrier.threads.run(work)
    except NotFound as error:
        if not change.if_exists:
            raise
        return Done(_DROP, warnings=(error.message,), changed=False)
    return Done(_DROP)


def _missing(name: tuple[str, ...]) -> Exception:
    if len(name) == 1 and built_in.lookup(name[0], None) is not None:
        return SqlError(
            f"{name[0]} is a built-in function and stays.",
            condition="FORBIDDEN_OPERATION",
            sqlstate="42809",
            hint="Name the schema of a function that has the same name.",
        )
    return NotFound("function", TableName(name).sql)


async def _create_temporary(carrier: Carrier, change: CreateFunction, name: str) -> Done:
    known = carrier.asking.session.functions
    key = name_key(name)
    if key in known and not change.replace:
        raise AlreadyExists("function", TableName((name,)).sql)
    text = await _checked(carrier, change, _text(carrier, change, (name,), None))
    others = [other for other_key, other in list(known.items()) if other_key != key]
    size = sum(len(other.body) for other in others) + len(text.body)
    if len(others) >= MOST_FUNCTIONS or size > MOST_TEXT:
        raise LimitExceeded(
            f"A session keeps at most {MOST_FUNCTIONS:,} temporary functions and {MOST_TEXT:,} "
            "characters of what they stand for.",
            hint="Drop some with DROP TEMPORARY FUNCTION, or make functions that last.",
        )
    known[key] = text
    return Done("CREATE TEMPORARY FUNCTION", warnings=_hidden(text))


def _hidden(text: FunctionText) -> tuple[str, ...]:
    """What is to be said of a name that a built-in function has."""
    name = text.path[-1]
    if built_in.lookup(name, None) is None:
        return ()
    full = text.sql_name if text.lasts else f"session.{text.sql_name}"
    return (f"{name} alone is the built-in function; call this one as {full}.",)


def _target(unit: Unit, name: tuple[str, ...], here: tuple[str, str]) -> _Target:
    catalog, schema_name = (*here[: 3 - len(name)], *name[:-1])
    schema = unit.securables.schema(catalog, schema_name)
    return _Target(schema, name[-1], unit.functions.under(schema.id, name[-1]))


def _check_new(target: _Target, *, replace: bool) -> None:
    if target.row is None:
        require(target.schema, MANAGE, "create a function in")
    elif replace:
        require(target.row, MANAGE, "replace")
    else:
        raise AlreadyExists("function", target.row.sql_name)


def _text(
    carrier: Carrier, change: CreateFunction, path: tuple[str, ...], known: int | None
) -> FunctionText:
    return FunctionText(
        path,
        change.parameters,
        change.returns,
        change.body,
        carrier.asking.dialect,
        *carrier.place,
        id=known,
        comment=change.comment,
        deterministic=change.deterministic,
    )


async def _checked(carrier: Carrier, change: CreateFunction, text: FunctionText) -> FunctionText:
    """The function with the type it returns, as a worker finds it, and what it uses.

    :raises SqlError: the body is wrong, reads what the actor may not read, leads back to the
        function, gives what cannot be the declared type, or names what is the session's where
        that may not be; with the place of the body.
    """
    at = place(change.piece, change.start)
    defining = Defining(text)

    def plan() -> QueryPlan:
        refuse_complex(parsed(text.body, text.dialect)[1])
        tree = _trial(text, at)
        with carrier.begin(carrier.actor) as unit:
            return carrier.asking.plan(unit, Select(change.piece, tree), defining=defining)

    try:
        planned = await carrier.threads.run(plan)
        _refuse_temporary(text, defining)
        found: DescribeQueryInfo = await carrier.deps.executor.run(
            DescribeQueryJob(planned),
            job_id=carrier.asking.job_id,
            deadline_s=carrier.deps.deadline_s,
        )
    except SqlError as error:
        kind = ViewFault if isinstance(error, ViewFault) else SqlError
        known = error.line is not None
        raise error if known else kind.of(error, place=at) from error
    returns = text.returns or found.columns[0].type
    if "void" in returns:
        raise SqlError(
            "What the function returns has no type.",
            condition="UNSUPPORTED_DATATYPE",
            sqlstate="0A000",
            line=at[0],
            column=at[1],
            hint="Say it: RETURNS INT.",
        )
    return replace(text, returns=returns, uses=defining.uses, calls=defining.calls)


def _trial(text: FunctionText, at: tuple[int, int]) -> exp.Expression:
    """A query that calls the function with a value of each type, and has its defaults."""
    label = exp.to_identifier(text.path[-1], quoted=True)
    items: list[exp.Expression] = []
    arguments: list[exp.Expression] = []
    defaults: list[exp.Expression] = []
    for parameter in text.parameters:
        name = exp.to_identifier(parameter.name, quoted=True)
        to = type_node(parameter.type)
        items.append(exp.Alias(this=exp.Cast(this=exp.Null(), to=to.copy()), alias=name))
        arguments.append(exp.Column(this=name.copy(), table=label.copy()))
        if parameter.default is not None:
            value = parsed(parameter.default, text.dialect)[1].copy()
            defaults.append(exp.Cast(this=exp.Paren(this=value), to=to.copy()))
    call: exp.Expression = exp.Anonymous(this=DEFINED[-1], expressions=arguments)
    call.meta.update(line=at[0], col=at[1], start=0, end=0)
    above = exp.Dot(this=exp.to_identifier(DEFINED[0]), expression=exp.to_identifier(DEFINED[1]))
    call = exp.Dot(this=above, expression=call)
    tree = exp.Select(expressions=[call, *defaults])
    if items:
        table = exp.Subquery(this=exp.Select(expressions=items), alias=exp.TableAlias(this=label))
        tree.set("from_", exp.From(this=table))
    return tree


def _refuse_temporary(text: FunctionText, defining: Defining) -> None:
    if not text.lasts or not (defining.uses or defining.calls):
        return
    name = next(iter(sorted(defining.calls)), None)
    said = f"the temporary function {name}"
    if name is None:
        said = f"the temporary view {min(key for _, key in defining.uses)}"
    raise SqlError(
        f"The function {text.sql_name} outlives the session, and {said} does not.",
        condition="INVALID_TEMP_OBJ_REFERENCE",
        sqlstate="42K0F",
        hint="Make a TEMPORARY FUNCTION, or name what lasts.",
    )


def _store(carrier: Carrier, change: CreateFunction, seen: _Target, text: FunctionText) -> None:
    carrier.asking.check()
    facts = {
        "parameters": text.parameters,
        "returns": text.returns,
        "body": check_text(text.body, "function's body"),
        "dialect": text.dialect,
        "catalog": text.catalog,
        "schema": text.schema,
        "deterministic": text.deterministic,
    }
    comment = check_text(text.comment, "description")
    with carrier.begin(carrier.actor, write=True) as unit:
        target = _target(unit, change.name, carrier.place)
        if target.mark != seen.mark:
            raise Conflict(
                f"{text.sql_name} was made, changed or dropped by somebody else while the "
                "statement was prepared.",
                hint="Run it again.",
            )
        _check_new(target, replace=seen.row is not None)
        by, at = unit.actor.name, unit.now
        if target.row is not None:
            unit.functions.update(target.row.id, **facts)
            unit.securables.update(target.row, by=by, at=at, description=comment)
            unit.record(FunctionChanged(*identity(target.row)))
            return
        made = unit.securables.insert(
            "function", target.schema.id, target.name, by=by, at=at, description=comment
        )
        unit.functions.insert(made, **facts)
        unit.record(FunctionCreated(*identity(unit.securables.get(made))))
