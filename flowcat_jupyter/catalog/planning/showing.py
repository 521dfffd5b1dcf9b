"""SHOW, which sqlglot keeps as opaque text."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NoReturn

from flowcat_jupyter.catalog.planning.literals import Partition, partition_of, text_of
from flowcat_jupyter.catalog.planning.places import place
from flowcat_jupyter.catalog.planning.words import Reader, Word, syntax
from flowcat_jupyter.shared.errors import SqlError
from flowcat_jupyter.sql.dialect import Piece

ALL, SYSTEM, USER = "ALL", "SYSTEM", "USER"


@dataclass(frozen=True)
class Show:
    """What a ``SHOW …`` lists.

    ``what`` is CATALOGS, SCHEMAS, TABLES, TABLE EXTENDED, VIEWS, COLUMNS, TBLPROPERTIES,
    PARTITIONS, CREATE TABLE, FUNCTIONS or CURRENT SCHEMA. ``within`` is the catalog, schema or
    table that it is about. ``like`` is a pattern: ``*`` is any text, ``|`` separates alternatives.
    ``schema`` is the second name of ``SHOW COLUMNS IN t IN s``, ``key`` the one property that is
    asked for, ``partition`` the values of partition columns, and ``scope`` which functions.
    """

    piece: Piece
    what: str
    within: tuple[str, ...] = ()
    like: str | None = None
    schema: tuple[str, ...] = ()
    key: str | None = None
    partition: Partition = ()
    scope: str = ALL


_SCHEMAS = ("SCHEMAS", "DATABASES", "NAMESPACES")
_SCHEMA = ("SCHEMA", "DATABASE", "NAMESPACE")
_KNOWN = (
    "SHOW CATALOGS, SCHEMAS, TABLES, TABLE EXTENDED, VIEWS, COLUMNS, TBLPROPERTIES, PARTITIONS, "
    "CREATE TABLE, FUNCTIONS and CURRENT SCHEMA"
)


def read_show(piece: Piece, words: list[Word]) -> Show:
    """What ``SHOW …`` asks for.

    :raises SqlError: it is malformed, or shows what is not there to be shown.
    """
    return _Reader(piece, words).show()


class _Reader(Reader):
    """Reads a SHOW, word by word."""

    def show(self) -> Show:
        word = self.peek()
        read = _READERS.get(word.upper) if word else None
        if word is None or read is None:
            self.unknown(f"SHOW {word.text.upper()}" if word else "SHOW")
        self.at += 1
        found = read(self)
        self.end()
        return found

    def catalogs(self) -> Show:
        return Show(self.piece, "CATALOGS", like=self.like())

    def schemas(self) -> Show:
        within = self.within()
        return Show(self.piece, "SCHEMAS", within, self.like())

    def tables(self) -> Show:
        within = self.within()
        return Show(self.piece, "TABLES", within, self.like())

    def views(self) -> Show:
        within = self.within()
        return Show(self.piece, "VIEWS", within, self.like())

    def table_extended(self) -> Show:
        if not self.accept("EXTENDED"):
            self.unknown("SHOW TABLE")
        within = self.within()
        if not self.accept("LIKE"):
            syntax(self.piece, "SHOW TABLE EXTENDED needs LIKE and a pattern", self.here())
        self.at -= 1
        like = self.like()
        word = self.peek()
        if word is not None and word.upper == "PARTITION":
            hint = "SHOW PARTITIONS lists a table's partitions."
            self.unknown("SHOW TABLE EXTENDED … PARTITION", word.start, hint)
        return Show(self.piece, "TABLE EXTENDED", within, like)

    def columns(self) -> Show:
        within = self.within()
        if not within:
            syntax(self.piece, "SHOW COLUMNS needs IN and a table's name", self.here())
        schema = self.within()
        return Show(self.piece, "COLUMNS", within, self.like(), schema)

    def properties(self) -> Show:
        within, key = self.name(), None
        if self.accept("("):
            word = self.peek()
            if word is not None and word.kind == "string":
                self.at += 1
                key = text_of(word)
            else:
                key = ".".join(self.name())
            if not self.accept(")"):
                syntax(self.piece, "The bracket is not closed", self.here())
        return Show(self.piece, "TBLPROPERTIES", within, key=key)

    def partitions(self) -> Show:
        within = self.name()
        return Show(self.piece, "PARTITIONS", within, partition=partition_of(self))

    def create(self) -> Show:
        if not self.accept("TABLE"):
            word = self.peek()
            self.unknown(f"SHOW CREATE {word.text.upper()}" if word else "SHOW CREATE")
        within = self.name()
        word = self.peek()
        if word is not None and word.upper == "AS":
            hint = "SHOW CREATE TABLE t gives a statement that runs here."
            self.unknown("SHOW CREATE TABLE … AS SERDE", word.start, hint)
        return Show(self.piece, "CREATE TABLE", within)

    def functions(self) -> Show:
        scope = self.words[self.at - 1].upper
        if scope == "FUNCTIONS":
            scope = ALL
        elif not self.accept("FUNCTIONS"):
            syntax(self.piece, f"SHOW {scope} needs FUNCTIONS", self.here())
        within, like = self.within(), self.like()
        word = self.peek()
        if like is None and word is not None:
            like = ".".join(self.name())
        return Show(self.piece, "FUNCTIONS", within, like, scope=scope)

    def current(self) -> Show:
        word = self.peek()
        if not self.accept(*_SCHEMA):
            hint = "SHOW CURRENT SCHEMA tells the current catalog, too."
            named = f"SHOW CURRENT {word.text.upper()}" if word else "SHOW CURRENT"
            self.unknown(named, hint=hint)
        return Show(self.piece, "CURRENT SCHEMA")

    def within(self) -> tuple[str, ...]:
        return self.name() if self.accept("IN", "FROM") else ()

    def like(self) -> str | None:
        marked = self.accept("LIKE")
        word = self.peek()
        if word and word.kind == "string":
            self.at += 1
            return text_of(word)
        if marked:
            syntax(self.piece, "LIKE needs a pattern in single quotes", self.here())
        return None

    def unknown(self, named: str, at: int | None = None, hint: str | None = None) -> NoReturn:
        line, column = place(self.piece, self.here() if at is None else at)
        raise SqlError(
            f"{named} is not supported.",
            condition="UNSUPPORTED_FEATURE.TABLE_OPERATION",
            sqlstate="0A000",
            line=line,
            column=column,
            hint=hint or f"There are {_KNOWN}.",
        )


_READERS: dict[str, Callable[[_Reader], Show]] = {
    "CATALOGS": _Reader.catalogs,
    **dict.fromkeys(_SCHEMAS, _Reader.schemas),
    "TABLES": _Reader.tables,
    "TABLE": _Reader.table_extended,
    "VIEWS": _Reader.views,
    "COLUMNS": _Reader.columns,
    "TBLPROPERTIES": _Reader.properties,
    "PARTITIONS": _Reader.partitions,
    "CREATE": _Reader.create,
    **dict.fromkeys(("FUNCTIONS", ALL, SYSTEM, USER), _Reader.functions),
    "CURRENT": _Reader.current,
}
