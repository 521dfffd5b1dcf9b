"""What a change of rows means for the table that it meets: DEFAULT, ``*`` and new columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from sqlglot import exp

from flowcat_jupyter.catalog.planning.constraints import defaults_of
from flowcat_jupyter.catalog.planning.filling import default_of, is_default
from flowcat_jupyter.catalog.planning.row_changes import ChangeRows, Clause
from flowcat_jupyter.shared.errors import SqlError
from flowcat_jupyter.shared.names import RESERVED_PREFIX, name_key
from flowcat_jupyter.shared.wire import Column, TableFacts


def takes_all(change: ChangeRows) -> bool:
    """Whether a statement takes its source's columns as they come: new ones where it gives the
    table these, and without those that the table computes where the source lacks them.
    """
    return any(clause.values is None for clause in change.clauses)


def all_of_source(change: ChangeRows) -> exp.Query:
    """The query of the source's rows."""
    if change.source is None:
        raise SqlError("There is no source.", condition="PARSE_SYNTAX_ERROR", sqlstate="42601")
    query = exp.Select().select("*").from_(change.source.copy())
    if change.ctes is not None:
        query.set("with_", change.ctes.copy())
    return query


def settled(
    change: ChangeRows, facts: TableFacts | None, source: Sequence[Column] = ()
) -> ChangeRows:
    """The change with a value for each column that it fills; ``source`` are the source's columns
    where `takes_all`.

    :raises SqlError: two of these have one name, or one has a name that no column may have.
    """
    defaults = defaults_of(facts)
    known = {name_key(c.name): c.name for c in (facts.columns if facts else ())}
    if change.evolves and takes_all(change):
        _check_names(source)
    starred = _starred(change, facts, source)
    clauses = tuple(_clause(change, c, starred, known, defaults) for c in change.clauses)
    return replace(change, clauses=clauses)


def _starred(
    change: ChangeRows, facts: TableFacts | None, source: Sequence[Column]
) -> tuple[str, ...] | None:
    """The columns that ``*`` stands for; None for all of the table's."""
    if change.evolves:
        return tuple(column.name for column in source)
    if facts is None or not facts.generated:
        return None
    given = {name_key(column.name) for column in source}
    return tuple(
        column.name
        for column in facts.columns
        if column.name not in facts.generated or name_key(column.name) in given
    )


def _clause(
    change: ChangeRows,
    clause: Clause,
    starred: Sequence[str] | None,
    known: Mapping[str, str],
    defaults: Mapping[str, exp.Expression],
) -> Clause:
    if clause.values is None:
        if starred is None or change.source is None:
            return clause
        alias = change.source.alias_or_name
        return replace(clause, values=tuple((name, _of(alias, name)) for name in starred))
    values = tuple(
        (name, default_of(known.get(name_key(name), name), defaults) if is_default(v) else v)
        for name, v in clause.values
    )
    return replace(clause, values=values)


def _of(table: str, column: str) -> exp.Expression:
    return exp.column(
        exp.to_identifier(column, quoted=True), table=exp.to_identifier(table, quoted=True)
    )


def _check_names(source: Sequence[Column]) -> None:
    seen: set[str] = set()
    for column in source:
        if name_key(column.name) in seen:
            raise SqlError(
                f"Two columns of the source are called {column.name}.",
                condition="AMBIGUOUS_COLUMN_OR_FIELD",
                sqlstate="42702",
                hint="Name the columns in UPDATE SET and INSERT, or give one another name.",
            )
        if column.name.casefold().startswith(RESERVED_PREFIX):
            raise SqlError(
                f"Names beginning {RESERVED_PREFIX} are kept for the catalog itself.",
                condition="INVALID_IDENTIFIER",
                sqlstate="42602",
                hint=f"Call {column.name} something else with AS.",
            )
        seen.add(name_key(column.name))
