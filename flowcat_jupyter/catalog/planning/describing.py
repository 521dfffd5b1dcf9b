"""DESCRIBE, which sqlglot keeps as opaque text."""

from __future__ import annotations

from dataclasses import dataclass

from flowcat_jupyter.catalog.planning.literals import Partition, partition_of, text_of
from flowcat_jupyter.catalog.planning.words import Reader, Word, syntax
from flowcat_jupyter.shared.errors import SqlError
from flowcat_jupyter.sql.dialect import Piece

TABLE, SCHEMA, CATALOG, FUNCTION = "TABLE", "SCHEMA", "CATALOG", "FUNCTION"
HISTORY, DETAIL = "HISTORY", "DETAIL"
_KINDS = {
    "TABLE": TABLE,
    "SCHEMA": SCHEMA,
    "DATABASE": SCHEMA,
    "NAMESPACE": SCHEMA,
    "CATALOG": CATALOG,
    "FUNCTION": FUNCTION,
    "HISTORY": HISTORY,
    "DETAIL": DETAIL,
}
_QUERIES = ("SELECT", "WITH", "VALUES", "FROM")
_OPERATORS = ("EXTENDED", "FORMATTED")


@dataclass(frozen=True)
class Describe:
    """What a ``DESCRIBE …`` tells of: ``what`` is TABLE, SCHEMA, CATALOG, FUNCTION, HISTORY or
    DETAIL, and ``name`` its name.

    Of a table ``column`` asks for one column, ``partition`` for one partition, ``as_json`` for
    everything as JSON; ``limit`` is how many versions HISTORY lists.
    """

    piece: Piece
    what: str
    name: tuple[str, ...]
    extended: bool = False
    column: tuple[str, ...] = ()
    partition: Partition = ()
    as_json: bool = False
    limit: int | None = None


def query_at(words: list[Word]) -> int | None:
    """The number of the word at which the query of ``DESCRIBE [QUERY] SELECT …`` begins; None
    where it is another DESCRIBE.
    """
    at = 2 if len(words) > 2 and words[1].upper == "QUERY" else 1
    if len(words) <= at + 1 or words[at + 1].text == ".":
        return None
    begins = words[at].upper in _QUERIES or words[at].text == "("
    return at if begins else None


def read_describe(piece: Piece, words: list[Word]) -> Describe | None:
    """What ``DESCRIBE …`` asks for; None where it is about a query.

    :raises SqlError: it is malformed.
    """
    return None if query_at(words) is not None else _Reader(piece, words).describe()


class _Reader(Reader):
    """Reads a DESCRIBE, word by word."""

    def describe(self) -> Describe:
        what = self._kind()
        extended = self._extended()
        if what == FUNCTION:
            found = Describe(self.piece, what, self._function(), extended)
        elif what == HISTORY:
            found = Describe(self.piece, what, self.name(), limit=self._limit())
        elif what == TABLE:
            found = self._table(extended)
        else:
            found = Describe(self.piece, what, self.name(), extended)
        self.end()
        return found

    def _kind(self) -> str:
        word = self.peek()
        follows = len(self.words) > self.at + 1 and self.words[self.at + 1].text != "."
        if word is None or not follows or word.upper not in _KINDS:
            return TABLE
        self.at += 1
        return _KINDS[word.upper]

    def _extended(self) -> bool:
        # A table may be called so.
        follows = len(self.words) > self.at + 1 and self.words[self.at + 1].text != "."
        return follows and self.accept(*_OPERATORS)

    def _function(self) -> tuple[str, ...]:
        word = self.peek()
        if word is not None and word.kind == "string":
            self.at += 1
            return (text_of(word),)
        return self.name()

    def _limit(self) -> int | None:
        if not self.accept("LIMIT"):
            return None
        word = self.peek()
        if word is None or not word.text.isdecimal():
            syntax(self.piece, "LIMIT needs a whole number", self.here())
        self.at += 1
        return int(word.text)

    def _table(self, extended: bool) -> Describe:
        name = self.name()
        partition = partition_of(self)
        column: tuple[str, ...] = ()
        word = self.peek()
        if word is not None and word.upper != "AS":
            column = self.name()
        as_json = self.accept("AS")
        if as_json and not self.accept("JSON"):
            syntax(self.piece, "AS needs JSON", self.here())
        if as_json and not extended:
            raise SqlError(
                "DESCRIBE … AS JSON needs EXTENDED.",
                condition="DESCRIBE_JSON_NOT_EXTENDED",
                sqlstate="0A000",
                hint="Write DESCRIBE EXTENDED t AS JSON.",
            )
        if (partition or as_json) and column:
            syntax(self.piece, "One column is described without PARTITION and AS JSON", 0)
        return Describe(self.piece, TABLE, name, extended, column, partition, as_json)
