"""The words that objects are found by, kept in step with them in the same transaction."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from sqlalchemy import Connection, Row, Select, func, select

from flowcat_jupyter.catalog.store.described import described
from flowcat_jupyter.catalog.store.search_words import entries, tails
from flowcat_jupyter.shared.schema import (
    ROOT_ID,
    search_entries,
    search_tails,
    search_words,
    securables,
    tables,
    views,
)
from flowcat_jupyter.shared.wire import Column

BATCH = 1000
"""Objects, or values bound in one statement."""


def index(connection: Connection, node_id: int) -> None:
    """Find an object by what its rows say of it now."""
    row = connection.execute(_texts().where(securables.c.id == node_id)).one()
    wanted = _entries(row)
    query = (
        select(search_words.c.word, search_entries.c.field, search_entries.c.word_id)
        .join(search_words, search_words.c.id == search_entries.c.word_id)
        .where(search_entries.c.securable_id == node_id)
    )
    known = {(word, field): word_id for word, field, word_id in connection.execute(query)}
    _remove(connection, node_id, [key for key in known if key not in wanted], known)
    _add(connection, {node_id: wanted - known.keys()})


def rebuild(connection: Connection) -> int:
    """Make every word anew; how many objects are found by them."""
    for table in (search_entries, search_tails, search_words):
        connection.execute(table.delete())
    done, last = 0, ROOT_ID
    query = _texts().order_by(securables.c.id).limit(BATCH)
    while rows := connection.execute(query.where(securables.c.id > last)).all():
        _add(connection, {row.id: _entries(row) for row in rows})
        done, last = done + len(rows), rows[-1].id
    return done


def missing(connection: Connection) -> int:
    """How many objects no word leads to: none, unless something went past the catalog."""
    found = select(search_entries.c.word_id).where(search_entries.c.securable_id == securables.c.id)
    query = select(func.count()).where(securables.c.id != ROOT_ID, ~found.exists())
    return int(connection.execute(query.select_from(securables)).scalar_one())


def _texts() -> Select[Any]:
    return (
        select(
            securables.c.id,
            securables.c.name,
            securables.c.description,
            tables.c.columns,
            tables.c.column_comments,
            tables.c.tags,
            views.c.columns.label("view_columns"),
        )
        .outerjoin(tables, tables.c.securable_id == securables.c.id)
        .outerjoin(views, views.c.securable_id == securables.c.id)
    )


def columns_of(row: Row[Any]) -> tuple[Column, ...]:
    """The columns of a table or view, as they are described."""
    listed = row.view_columns["columns"] if row.view_columns else row.columns
    return described(listed, row.column_comments)


def _entries(row: Row[Any]) -> set[tuple[str, int]]:
    columns = columns_of(row)
    comments = [row.description, *(column.comment for column in columns)]
    return entries(
        row.name,
        tags=row.tags or [],
        columns=[column.name for column in columns],
        comments=[text for text in comments if text],
    )


def _remove(
    connection: Connection,
    node_id: int,
    gone: list[tuple[str, int]],
    known: dict[tuple[str, int], int],
) -> None:
    for word, field in gone:
        connection.execute(
            search_entries.delete().where(
                search_entries.c.securable_id == node_id,
                search_entries.c.word_id == known[word, field],
                search_entries.c.field == field,
            )
        )


def _add(connection: Connection, found: dict[int, set[tuple[str, int]]]) -> None:
    ids = _word_ids(connection, {word for pairs in found.values() for word, _ in pairs})
    rows = [
        {"securable_id": node_id, "word_id": ids[word], "field": field}
        for node_id, pairs in found.items()
        for word, field in sorted(pairs)
    ]
    if rows:
        connection.execute(search_entries.insert(), rows)


def _word_ids(connection: Connection, words: set[str]) -> dict[str, int]:
    """Ids of words, which are added where they are new; writers take turns."""
    known = _known(connection, words)
    fresh = sorted(words - known.keys())
    if not fresh:
        return known
    connection.execute(search_words.insert(), [{"word": word} for word in fresh])
    added = _known(connection, fresh)
    ends = [{"tail": tail, "word_id": added[word]} for word in fresh for tail in tails(word)]
    if ends:
        connection.execute(search_tails.insert(), ends)
    return known | added


def _known(connection: Connection, words: Iterable[str]) -> dict[str, int]:
    listed = sorted(words)
    found: dict[str, int] = {}
    for start in range(0, len(listed), BATCH):
        some = listed[start : start + BATCH]
        query = select(search_words.c.word, search_words.c.id).where(search_words.c.word.in_(some))
        found.update((row.word, row.id) for row in connection.execute(query))
    return found
