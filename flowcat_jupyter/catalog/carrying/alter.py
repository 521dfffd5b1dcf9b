"""ALTER TABLE: what a table's columns, constraints and properties are."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import NoReturn

from flowcat_jupyter.catalog.barrier import CHANGE, WriteSpec, check_columns, strict_target
from flowcat_jupyter.catalog.carrying.carrier import Carrier
from flowcat_jupyter.catalog.carrying.done import Done
from flowcat_jupyter.catalog.planning.alter import AddColumns
from flowcat_jupyter.catalog.planning.formats import LAKES
from flowcat_jupyter.catalog.planning.portable import Condition, portable
from flowcat_jupyter.catalog.planning.redefining import Redefine
from flowcat_jupyter.catalog.planning.statements import Select
from flowcat_jupyter.catalog.sql_commits import Write
from flowcat_jupyter.catalog.store.rows import Ticket
from flowcat_jupyter.catalog.unit import Unit
from flowcat_jupyter.shared.errors import Internal, Invalid, NotFound
from flowcat_jupyter.shared.names import TableName, back_ticked, name_key
from flowcat_jupyter.shared.wire import Column, QueryPlan, TableFacts
from flowcat_jupyter.shared.wire_alter import AlterTableJob, Definition, Proof
from flowcat_jupyter.shared.wire_writes import AddColumnsJob, SqlWriteOutcome
from flowcat_jupyter.sql.dialect import parse_statement

_KIND = "ALTER TABLE"


async def add_columns(carrier: Carrier, change: AddColumns) -> Done:
    """Give a table more columns."""
    check_columns(change.columns)
    spec = WriteSpec(change.name, CHANGE, *carrier.place, writable=LAKES)

    def plan(_: Unit, facts: TableFacts | None) -> tuple[Column, ...]:
        known = {name_key(column.name) for column in facts.columns} if facts else set()
        new = (c for c in change.columns if name_key(c.name) not in known)
        return tuple(new) if change.if_missing else change.columns

    def job(ticket: Ticket, columns: tuple[Column, ...]) -> AddColumnsJob:
        return AddColumnsJob(
            name=tuple(ticket.spec["path"]),
            location=ticket.location,
            base_version=ticket.base_version,
            commit_info=carrier.commit_info(ticket, _KIND),
            columns=columns,
        )

    write = Write(spec, plan, exists=True)
    try:
        done = await carrier.commits.commit(write, job, SqlWriteOutcome)
    except NotFound as error:
        return missing_table(error, if_exists=change.if_exists)
    told = done.outcome
    if told is not None and told.facts is None:
        note = "The table has the columns already."
        return Done(_KIND, warnings=(note,), changed=False)
    return Done(_KIND, warnings=told.warnings if told else ())


def missing_table(error: NotFound, *, if_exists: bool) -> Done:
    """What becomes of a statement whose table is not there."""
    if not if_exists:
        raise error
    return Done(_KIND, warnings=(error.message,), changed=False)


@dataclass(frozen=True)
class _Planned:
    """A change in the table's own words, what is to be shown first, and what was passed over."""

    change: Definition
    proofs: tuple[Proof, ...] = ()
    passed_over: tuple[str, ...] = ()


async def redefine(carrier: Carrier, change: Redefine) -> Done:
    """Change what is said of a table beside its columns, its rows left as they are."""
    spec = WriteSpec(change.name, CHANGE, *carrier.place, writable=LAKES)
    passed: list[str] = []

    def plan(unit: Unit, facts: TableFacts | None) -> _Planned:
        if facts is None:
            raise Internal("ALTER TABLE of a table without facts.")
        planned = _Plan(carrier, change, spec, facts).made(unit)
        passed.extend(planned.passed_over)
        return planned

    def job(ticket: Ticket, planned: _Planned) -> AlterTableJob:
        return AlterTableJob(
            name=tuple(ticket.spec["path"]),
            location=ticket.location,
            base_version=ticket.base_version,
            commit_info=carrier.commit_info(ticket, _KIND),
            spool=str(carrier.asking.spool),
            operation=change.what,
            parameters=_told(planned.change),
            change=planned.change,
            proofs=planned.proofs,
        )

    try:
        done = await carrier.commits.commit(Write(spec, plan, exists=True), job, SqlWriteOutcome)
    except NotFound as error:
        return missing_table(error, if_exists=change.if_exists)
    told = done.outcome
    if told is not None and told.facts is None:
        why = tuple(passed) or ("The table is so already.",)
        return Done(_KIND, warnings=why, changed=False)
    return Done(_KIND, warnings=(*passed, *(told.warnings if told else ())))


def _told(change: Definition) -> dict[str, str]:
    """What the table's history tells of a change."""
    said: dict[str, str] = {}
    for name, text in change.constraints.items():
        said |= {"name": name} if text is None else {"name": name, "expr": text}
    for name, value in change.properties.items():
        said[name] = "" if value is None else value
    for name, value in change.defaults.items():
        said |= {"column": name, "default": "" if value is None else value}
    for name, required in change.required.items():
        said |= {"column": name, "nullable": str(not required).lower()}
    return said


class _Plan:
    """Makes out what a statement changes of a table as it is."""

    def __init__(
        self, carrier: Carrier, change: Redefine, spec: WriteSpec, facts: TableFacts
    ) -> None:
        self._carrier = carrier
        self._change = change
        self._spec = spec
        self._facts = facts
        self._passed: list[str] = []

    def made(self, unit: Unit) -> _Planned:
        """The change.

        :raises Invalid: what it names is not there, or is there already.
        """
        change = self._change
        checks = {name: self._condition(name) for name in change.checks}
        required = {self._column(name): held for name, held in change.required.items()}
        said = Definition(
            constraints={**{name: item.text for name, item in checks.items()}, **self._dropped()},
            properties=self._properties(),
            defaults={self._column(name): text for name, text in change.defaults.items()},
            required=required,
        )
        rows = self._rows(unit)
        proofs = [
            self._proof(unit, "check", name, item, f"({item.text}) IS TRUE", rows)
            for name, item in checks.items()
        ]
        proofs += [
            self._proof(
                unit, "not null", name, Condition("", ()), f"{back_ticked(name)} IS NOT NULL", rows
            )
            for name, held in required.items()
            if held
        ]
        return _Planned(said, tuple(proofs), tuple(self._passed))

    def _condition(self, name: str) -> Condition:
        if name_key(name) in map(name_key, self._facts.constraints):
            raise Invalid(
                f"The table has a constraint {name} already: {self._facts.constraints.get(name)}.",
                condition="DELTA_CONSTRAINT_ALREADY_EXISTS",
                sqlstate="42710",
                hint=f"Call the new one something else, or write DROP CONSTRAINT {name} first.",
            )
        return portable(self._change.piece, self._change.checks[name], self._facts.columns)

    def _dropped(self) -> dict[str, str | None]:
        known = {name_key(name): name for name in self._facts.constraints}
        found: dict[str, str | None] = {}
        for name in self._change.dropped:
            own = known.get(name_key(name))
            if own is not None:
                found[own] = None
                continue
            self._pass_over(
                f"The table has no constraint {name}.",
                "DELTA_CONSTRAINT_DOES_NOT_EXIST",
                "42704",
                "constraints",
                self._facts.constraints,
            )
        return found

    def _properties(self) -> dict[str, str | None]:
        known = {name.casefold(): name for name in self._facts.properties}
        found: dict[str, str | None] = {}
        for name, value in self._change.properties.items():
            own = known.get(name.casefold())
            if value is not None:
                # A property keeps the spelling that it was first given.
                found[own or name] = value
            elif own is not None:
                found[own] = None
            else:
                self._pass_over(
                    f"The table has no property {name}.",
                    "UNSET_NONEXISTENT_PROPERTIES",
                    "42K0J",
                    "properties",
                    self._facts.properties,
                )
        return found

    def _pass_over(
        self, message: str, condition: str, sqlstate: str, what: str, there: Iterable[str]
    ) -> None:
        """Pass over what is not there, if the statement says IF EXISTS."""
        if not self._change.lenient:
            known = ", ".join(there)
            hint = f"Its {what} are {known}." if known else f"It has no {what}."
            raise Invalid(message, condition=condition, sqlstate=sqlstate, hint=hint)
        self._passed.append(message)

    def _column(self, name: str) -> str:
        return own_column(self._facts, name).name

    def _rows(self, unit: Unit) -> str:
        table = strict_target(unit, self._spec).table
        return TableName(table.path if table else self._change.name.parts).sql

    def _proof(
        self, unit: Unit, kind: str, name: str, item: Condition, holds: str, rows: str
    ) -> Proof:
        read = item.columns
        if not read:
            partner = next((c.name for c in self._facts.columns if c.name != name), name)
            read = (name, partner) if partner != name else (name,)
        rest = f"FROM {rows} WHERE NOT ({holds})"
        columns = ", ".join(map(back_ticked, read))
        return Proof(
            kind,
            name,
            item.text,
            self._query(unit, f"SELECT count(*) AS n {rest}"),
            self._query(unit, f"SELECT {columns} {rest} LIMIT 1"),
        )

    def _query(self, unit: Unit, text: str) -> QueryPlan:
        tree = parse_statement(text)
        for node in tree.walk():
            # These are places in a text that the user never saw.
            node.meta.clear()
        piece = replace(self._change.piece, text=text)
        return self._carrier.asking.plan(unit, Select(piece, tree))


def own_column(facts: TableFacts, name: str) -> Column:
    """The table's column of that name, whatever its case.

    :raises Invalid: it has none.
    """
    for column in facts.columns:
        if name_key(column.name) == name_key(name):
            return column
    no_column(facts, name)


def no_column(facts: TableFacts, name: str) -> NoReturn:
    """Say that a table has no such column."""
    raise Invalid(
        f"The table has no column {name}.",
        condition="UNRESOLVED_COLUMN.WITH_SUGGESTION",
        sqlstate="42703",
        hint=f"It has: {', '.join(column.name for column in facts.columns)}.",
    )
