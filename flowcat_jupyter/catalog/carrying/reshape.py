"""ALTER TABLE of columns, for which a table's rows are written again."""

from __future__ import annotations

from dataclasses import replace

from flowcat_jupyter.catalog.barrier import CHANGE, WriteSpec, check_columns, strict_target
from flowcat_jupyter.catalog.carrying.alter import missing_table, own_column
from flowcat_jupyter.catalog.carrying.carrier import Carrier
from flowcat_jupyter.catalog.carrying.done import Done
from flowcat_jupyter.catalog.planning.constraints import columns_in
from flowcat_jupyter.catalog.planning.formats import LAKES
from flowcat_jupyter.catalog.planning.redefining import Reshape
from flowcat_jupyter.catalog.sql_commits import Write
from flowcat_jupyter.catalog.store.rows import Ticket
from flowcat_jupyter.catalog.unit import Unit
from flowcat_jupyter.shared.counts import many
from flowcat_jupyter.shared.errors import Internal, Invalid, NotFound
from flowcat_jupyter.shared.names import name_key
from flowcat_jupyter.shared.wire import Column, TableFacts
from flowcat_jupyter.shared.wire_alter import Moved, RewriteTableJob
from flowcat_jupyter.shared.wire_writes import SqlWriteOutcome

_KIND = "ALTER TABLE"


async def reshape(carrier: Carrier, change: Reshape) -> Done:
    """Give a table other columns."""
    spec = WriteSpec(change.name, CHANGE, *carrier.place, writable=LAKES)
    passed: list[str] = []

    def plan(unit: Unit, facts: TableFacts | None) -> tuple[Moved, ...]:
        if facts is None:
            raise Internal("ALTER TABLE of a table without facts.")
        table = strict_target(unit, spec).table
        comments = {column.name: column.comment for column in table.columns} if table else {}
        shape = _Shape(change, facts, comments)
        columns = shape.made()
        passed.extend(shape.passed_over)
        return () if columns == shape.before else columns

    def job(ticket: Ticket, columns: tuple[Moved, ...]) -> RewriteTableJob:
        return RewriteTableJob(
            name=tuple(ticket.spec["path"]),
            location=ticket.location,
            base_version=ticket.base_version,
            commit_info=carrier.commit_info(ticket, _KIND),
            operation=change.what,
            parameters={"columns": ", ".join(moved.column.name for moved in columns)},
            columns=columns,
        )

    try:
        done = await carrier.commits.commit(Write(spec, plan, exists=True), job, SqlWriteOutcome)
    except NotFound as error:
        return missing_table(error, if_exists=change.if_exists)
    told = done.outcome
    if told is not None and told.facts is None:
        why = tuple(passed) or ("The table is so already.",)
        return Done(_KIND, warnings=why, changed=False)
    return Done(_KIND, warnings=(*passed, *(told.warnings if told else ())), note=_note(told))


def _note(told: SqlWriteOutcome | None) -> str | None:
    """What is told of rows, if there were any to write again."""
    if told is None or not told.rows:
        return None
    return f"{many(told.rows, 'row')} {'was' if told.rows == 1 else 'were'} rewritten."


class _Shape:
    """Makes out which columns a table is to have, and where their values come from."""

    def __init__(self, change: Reshape, facts: TableFacts, comments: dict[str, str | None]) -> None:
        self._change = change
        self._facts = facts
        self._comments = comments
        self.before = tuple(Moved(column, column.name) for column in facts.columns)
        self.passed_over: list[str] = []

    def made(self) -> tuple[Moved, ...]:
        """All columns in their new order.

        :raises Invalid: what the statement names is not there, or is there already, or a
            constraint reads it.
        """
        change = self._change
        columns = self._kept() if change.replaced is None else self._replaced(change.replaced)
        columns += [Moved(column, None) for column in change.added]
        for name, after in change.places:
            columns = self._placed(columns, name, after)
        if not columns:
            raise Invalid(
                "A table needs at least one column.",
                condition="DELTA_DROP_COLUMN_ON_SINGLE_FIELD_SCHEMA",
                sqlstate="0AKDC",
                hint="Drop the table instead: DROP TABLE.",
            )
        self._check(columns)
        return tuple(columns)

    def _kept(self) -> list[Moved]:
        """The table's columns that are left, as they are renamed and retyped."""
        change, columns = self._change, list(self.before)
        for name in change.dropped:
            found = [m for m in columns if name_key(m.column.name) == name_key(name)]
            if not found and change.lenient:
                self.passed_over.append(f"The table has no column {name}.")
            elif not found:
                own_column(self._facts, name)
            columns = [moved for moved in columns if moved not in found]
        for name, kind in change.types:
            own = own_column(self._facts, name).name
            columns = [
                replace(m, column=replace(m.column, type=kind)) if m.source == own else m
                for m in columns
            ]
        for name, text in change.comments:
            own = own_column(self._facts, name).name
            columns = [
                replace(m, column=replace(m.column, comment=text)) if m.source == own else m
                for m in columns
            ]
        for name, to in change.renamed:
            own = own_column(self._facts, name).name
            columns = [self._called(m, to) if m.source == own else m for m in columns]
        return columns

    def _called(self, moved: Moved, name: str) -> Moved:
        """A column under a new name, under which is said what people say of it."""
        comment = moved.column.comment or self._comments.get(moved.source or "")
        return replace(moved, column=replace(moved.column, name=name, comment=comment))

    def _replaced(self, columns: tuple[Column, ...]) -> list[Moved]:
        own = {name_key(column.name): column for column in self._facts.columns}
        found = []
        for column in columns:
            old = own.get(name_key(column.name))
            comment = column.comment or (old.comment if old else None)
            required = old is not None and not old.nullable and column.nullable
            kept = replace(column, comment=comment, nullable=column.nullable and not required)
            if old is None and not column.nullable:
                raise Invalid(
                    f"Column {column.name} may not be NULL, which it would be in every row.",
                    condition="DELTA_NOT_NULL_CONSTRAINT_VIOLATED",
                    sqlstate="23502",
                )
            found.append(Moved(kept, old.name if old else None))
        return found

    def _placed(self, columns: list[Moved], name: str, after: str | None) -> list[Moved]:
        names = [name_key(moved.column.name) for moved in columns]
        if name_key(name) not in names:
            own_column(self._facts, name)
        moved = columns.pop(names.index(name_key(name)))
        if after is None:
            return [moved, *columns]
        rest = [name_key(other.column.name) for other in columns]
        if name_key(after) not in rest:
            own_column(self._facts, after)
            raise Invalid(f"Column {name} cannot come after itself.")
        at = rest.index(name_key(after)) + 1
        return [*columns[:at], moved, *columns[at:]]

    def _check(self, columns: list[Moved]) -> None:
        check_columns(tuple(moved.column for moved in columns))
        left = {moved.source: moved.column for moved in columns}
        changed = [
            column.name
            for column in self._facts.columns
            if column.name not in left
            or (left[column.name].name, left[column.name].type) != (column.name, column.type)
        ]
        for name, condition in self._facts.constraints.items():
            read = columns_in(condition)
            for column in changed:
                if read is None or name_key(column) in read:
                    raise Invalid(
                        f"The constraint {name} ({condition}) reads column {column}.",
                        condition="DELTA_CONSTRAINT_DEPENDENT_COLUMN_CHANGE",
                        sqlstate="42K09",
                        hint=f"Write DROP CONSTRAINT {name} first, and ADD CONSTRAINT after; "
                        "nothing was changed.",
                    )
