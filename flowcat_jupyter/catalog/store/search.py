"""Looking for things by name, tag, column and comment."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Connection,
    Row,
    Select,
    Subquery,
    and_,
    case,
    func,
    literal,
    or_,
    select,
    union_all,
)

from flowcat_jupyter.catalog.store import search_index
from flowcat_jupyter.catalog.store.rows import Hit, HitPage, Match, Node
from flowcat_jupyter.catalog.store.search_words import (
    COLUMN,
    FIRST,
    INFIX,
    NAME,
    TAG,
    WHOLE,
    asked,
    fold,
    matches,
)
from flowcat_jupyter.catalog.store.securables import counted, node_fields, node_select
from flowcat_jupyter.catalog.store.seen import NAME as BY_NAME_ONLY
from flowcat_jupyter.catalog.store.seen import Seen, check_limit, storable
from flowcat_jupyter.shared.names import name_key
from flowcat_jupyter.shared.schema import (
    search_entries,
    search_tails,
    search_words,
    securables,
    tables,
    views,
)
from flowcat_jupyter.shared.wire import Column

MOST_MATCHES = 50
"""Reasons given for one hit."""
SNIPPET = 160
"""Letters shown of a comment."""
_BEYOND = "\U0010ffff"
EXACT, BEGINS, HOLDS, TAGGED, HAS_COLUMN, SAID = range(6)
"""How good a match is, the best first."""


class Search:
    """The index as one caller sees it: what is hidden neither shows nor counts."""

    def __init__(self, connection: Connection, seen: Seen) -> None:
        """Read through ``connection`` what ``seen`` reveals."""
        self._connection = connection
        self._seen = seen

    def find(self, q: str, *, limit: int, kinds: Sequence[str] = ()) -> HitPage:
        """The objects but for functions in which every word of ``q`` stands; best first.

        Names come before columns, columns before comments. Who sees an object only by its name
        finds it only by that. The cost grows with what the caller sees or with what matches,
        whichever is less, and never with the catalog.

        :raises Invalid: the limit makes no sense.
        """
        limit = check_limit(limit)
        sought = asked(q) if storable(q) else ()
        if not sought:
            return HitPage((), 0)
        little = self._seen.little(self._connection)
        seen = little or self._seen
        best = self._best(q, sought, seen, little, kinds).limit(limit).subquery("best")
        told = views.c.columns.label("view_columns")
        said = (tables.c.columns, tables.c.column_comments, tables.c.tags, told)
        query = (
            node_select(seen, *said, best.c.total)
            .join(best, best.c.id == securables.c.id)
            .outerjoin(views, views.c.securable_id == securables.c.id)
            .order_by(best.c.score, securables.c.name_key, securables.c.id)
        )
        rows = self._connection.execute(query).all()
        nodes = counted(self._connection, seen, [Node(**node_fields(row)) for row in rows])
        hits = tuple(_hit(node, row, sought) for node, row in zip(nodes, rows, strict=True))
        return HitPage(hits, rows[0].total if rows else 0)

    def unfound(self) -> int:
        """How many objects, seen or not, no word leads to."""
        return search_index.missing(self._connection)

    def rebuild(self) -> int:
        """Make the index of all objects, seen or not, anew; how many there are."""
        return search_index.rebuild(self._connection)

    def _best(
        self, q: str, sought: Sequence[str], seen: Seen, little: Seen | None, kinds: Sequence[str]
    ) -> Select[Any]:
        found = _found(sought, little)
        # What an object is called counts as one, however many words it has.
        score = case((securables.c.name_key == name_key(q.strip()), EXACT), else_=found.c.score)
        query = (
            select(securables.c.id, score.label("score"), func.count().over().label("total"))
            .join(found, found.c.id == securables.c.id)
            .join(seen.source, seen.id == securables.c.id)
            .where(
                securables.c.state == "active",
                securables.c.kind != "function",
                or_(seen.rank > BY_NAME_ONLY, found.c.score <= HOLDS),
            )
            .order_by(score, securables.c.name_key, securables.c.id)
        )
        return query.where(securables.c.kind.in_(kinds)) if kinds else query


def _found(sought: Sequence[str], little: Seen | None) -> Subquery:
    """The objects that every word leads to, and how well the worst of them does."""
    each = [_by_word(word, at, little) for at, word in enumerate(sought)]
    if len(each) == 1:
        return each[0].subquery("found")
    every = union_all(*each).subquery("every_word")
    whole = select(every.c.id, func.max(every.c.score).label("score")).group_by(every.c.id)
    return whole.having(func.count() == len(sought)).subquery("found")


def _by_word(word: str, at: int, little: Seen | None) -> Select[Any]:
    begins = and_(search_words.c.word >= word, search_words.c.word < word + _BEYOND)
    score = func.min(_score(word, begins))
    query = (
        select(search_entries.c.securable_id.label("id"), score.label("score"), literal(at))
        .join(search_words, search_words.c.id == search_entries.c.word_id)
        .group_by(search_entries.c.securable_id)
    )
    if little is not None:
        # Few objects are visible: reading all their words beats finding all words that match.
        query = query.where(search_entries.c.securable_id.in_(select(little.id)))
        holds = search_words.c.word.contains(word, autoescape=True)
        return query.where(begins if len(word) < INFIX else holds)
    if len(word) < INFIX:
        return query.where(begins)
    tail = search_tails.c.tail
    ends = select(search_tails.c.word_id).where(tail >= word, tail < word + _BEYOND)
    return query.where(search_entries.c.word_id.in_(ends))


def _score(word: str, begins: ColumnElement[bool]) -> ColumnElement[int]:
    field = search_entries.c.field
    return case(
        (and_(field == WHOLE, search_words.c.word == word), EXACT),
        (and_(field <= FIRST, begins), BEGINS),
        (field <= NAME, HOLDS),
        (field == TAG, TAGGED),
        (field == COLUMN, HAS_COLUMN),
        else_=SAID,
    )


def _hit(node: Node, row: Row[Any], sought: Sequence[str]) -> Hit:
    columns = search_index.columns_of(row)
    reasons = _reasons(node, row.tags or (), columns, sought)
    found = list(dict.fromkeys(islice(reasons, MOST_MATCHES)))
    names = {match.column for match in found if match.field in ("column", "comment")}
    return Hit(node, tuple(c for c in columns if c.name in names), tuple(found))


def _reasons(
    node: Node, tags: Sequence[str], columns: Sequence[Column], sought: Sequence[str]
) -> Iterator[Match]:
    if _any(sought, node.name):
        yield Match("name", node.name)
    if node.access is None:
        return
    names = [column.name for column in columns]
    yield from (Match("tag", tag) for tag in tags if _any(sought, tag))
    yield from (Match("column", name, name) for name in names if _any(sought, name))
    for name, text in [(None, node.description), *((c.name, c.comment) for c in columns)]:
        if text and _any(sought, text):
            yield Match("comment", _snippet(text, sought), name)


def _any(sought: Sequence[str], text: str) -> bool:
    return any(matches(word, text) for word in sought)


def _snippet(text: str, sought: Sequence[str]) -> str:
    """The part of a text that matched."""
    if len(text) <= SNIPPET:
        return text
    folded = fold(text)
    at = min(max(folded.find(word), 0) for word in sought if word in folded)
    start = max(0, min(at - SNIPPET // 4, len(text) - SNIPPET))
    cut = text[start : start + SNIPPET]
    return ("…" if start else "") + cut + ("…" if start + SNIPPET < len(text) else "")
