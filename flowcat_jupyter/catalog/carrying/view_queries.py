"""The query that is to define a view, checked by a worker before anything is stored."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from sqlglot import exp

from flowcat_jupyter.catalog.carrying.carrier import Carrier
from flowcat_jupyter.catalog.planning.planner import Defining
from flowcat_jupyter.catalog.planning.statements import Select
from flowcat_jupyter.catalog.planning.view_reading import CreateView, ViewQuery
from flowcat_jupyter.catalog.planning.views import GLOBAL_TEMP, ViewText
from flowcat_jupyter.shared.errors import SqlError
from flowcat_jupyter.shared.names import TableName, name_key
from flowcat_jupyter.shared.wire import Column, QueryPlan
from flowcat_jupyter.shared.wire_shows import DescribeQueryInfo, DescribeQueryJob
from flowcat_jupyter.sql.dialect import place

_SESSION = (("session",), ("system", "session"))


async def checked(
    carrier: Carrier, query: ViewQuery, view: ViewText
) -> tuple[ViewText, tuple[Column, ...]]:
    """A view with the temporary views it uses, and its query's columns as a worker finds them.

    :raises SqlError: the query is wrong, reads what the actor may not read, leads back to the
        view, gives two columns one name, or names what is the session's where that may not be.
    """
    defining = Defining(view)

    def plan() -> QueryPlan:
        with carrier.begin(carrier.actor) as unit:
            return carrier.asking.plan(unit, Select(query.piece, query.tree), defining=defining)

    planned = await carrier.threads.run(plan)
    _refuse_temporary(query, view, defining)
    try:
        found: DescribeQueryInfo = await carrier.deps.executor.run(
            DescribeQueryJob(planned),
            job_id=carrier.asking.job_id,
            deadline_s=carrier.deps.deadline_s,
        )
    except SqlError as error:
        if view.lasts and str(error.condition).startswith("UNRESOLVED_COLUMN"):
            _refuse_variables(carrier, query, view, error)
        raise
    _check_names(view, found.columns)
    return replace(view, uses=defining.uses, calls=defining.calls), found.columns


def columns_of(change: CreateView, found: Sequence[Column]) -> tuple[Column, ...]:
    """The view's columns: those of its query, by the names and comments that are listed."""
    if not change.columns:
        return tuple(found)
    return tuple(
        replace(column, name=name, comment=comment)
        for column, (name, comment) in zip(found, change.columns, strict=True)
    )


def refuse_values(query: ViewQuery) -> None:
    """Refuse a query with what is sent along with a text: values and frames.

    :raises SqlError: there are some, with their place.
    """
    for node in query.tree.find_all(exp.Placeholder):
        name = str(node.this) if node.this else "?"
        line, column = place(node)
        what = "frame" if isinstance(node.parent, exp.Table) else "value"
        raise SqlError(
            f"A view cannot read the {what} :{name}, which is sent with one text alone.",
            condition="UNSUPPORTED_FEATURE.PARAMETER_MARKER_IN_UNEXPECTED_STATEMENT",
            sqlstate="0A000",
            line=line or query.piece.line,
            column=column or query.piece.column,
            hint="Write the value itself."
            if what == "value"
            else "Write the frame to a table, and let the view read that.",
        )


def _refuse_temporary(query: ViewQuery, view: ViewText, defining: Defining) -> None:
    # What is of one session alone may be in no view that others read.
    wrong = sorted(
        use for use in defining.uses if view.lasts or (len(view.path) > 1 and not use[0])
    )
    if defining.calls and len(view.path) > 1:
        raise _temporary(view, f"the temporary function {min(defining.calls)}", query)
    if wrong:
        shared, key = wrong[0]
        raise _temporary(
            view, f"the temporary view {GLOBAL_TEMP + '.' if shared else ''}{key}", query
        )


def _refuse_variables(carrier: Carrier, query: ViewQuery, view: ViewText, error: SqlError) -> None:
    for column in query.tree.find_all(exp.Column):
        prefix = tuple(name_key(part.name) for part in column.parts[:-1])
        known = name_key(column.name) in carrier.asking.session.variables
        if known and prefix in ((), *_SESSION):
            raise _temporary(view, f"the variable {column.name}", query) from error


def _temporary(view: ViewText, what: str, query: ViewQuery) -> SqlError:
    return SqlError(
        f"The view {view.sql_name} outlives the session, and {what} does not.",
        condition="INVALID_TEMP_OBJ_REFERENCE",
        sqlstate="42K0F",
        line=query.piece.line,
        column=query.piece.column,
        hint="Make a TEMPORARY VIEW, or read what lasts.",
    )


def _check_names(view: ViewText, found: Sequence[Column]) -> None:
    if view.names and len(view.names) != len(found):
        few = len(found) < len(view.names)
        raise SqlError(
            f"{view.sql_name} lists {len(view.names)} columns, and its query has {len(found)}.",
            condition="CREATE_VIEW_COLUMN_ARITY_MISMATCH."
            + ("NOT_ENOUGH_DATA_COLUMNS" if few else "TOO_MANY_DATA_COLUMNS"),
            sqlstate="21S01",
            hint="List a name for each column of the query, or none.",
        )
    names = view.names or [column.name for column in found]
    counts = Counter(map(name_key, names))
    twice = [name for name in names if counts[name_key(name)] > 1]
    if twice:
        shown = ", ".join(dict.fromkeys(TableName((name,)).sql for name in twice))
        raise SqlError(
            f"{view.sql_name} would have several columns of one name: {shown}.",
            condition="COLUMN_ALREADY_EXISTS",
            sqlstate="42711",
            hint="Give all but one of each another name: SELECT a.id AS a_id, …",
        )
