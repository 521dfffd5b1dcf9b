"""``CREATE TEMPORARY VIEW … USING format OPTIONS (…)``: files read under a name of the session."""

from __future__ import annotations

import re
from dataclasses import dataclass

from sqlglot import exp

from flowcat_jupyter.catalog.planning.refusals import refuse
from flowcat_jupyter.catalog.planning.using import FileTable, read_using
from flowcat_jupyter.catalog.planning.words import Reader, Word
from flowcat_jupyter.sql.dialect import HOUSE, Piece, parse_statement

_BEGIN = "CREATE TABLE"


@dataclass(frozen=True)
class CreateFileView:
    """A temporary view of files; ``kind`` is as `CreateView` has it, ``table`` what is said of
    the files.
    """

    piece: Piece
    kind: str
    name: tuple[str, ...]
    table: FileTable
    replace: bool = False
    if_not_exists: bool = False


def read_file_view(piece: Piece, words: list[Word]) -> CreateFileView | None:
    """The view of files that a statement makes; None if it makes none.

    :raises SqlError: a part of it is not supported.
    """
    reader = _Reader(piece, words)
    if not words or words[0].upper != "CREATE" or not reader.begins():
        return None
    start = reader.here()
    name = reader.name()
    if not reader.is_using():
        return None
    if len(name) > 1:
        refuse(piece, "A temporary view in a schema", hint="A temporary view is named alone.")
    blank = re.sub(r"[^\n]", " ", piece.text[len(_BEGIN) : start])
    text = _BEGIN + blank + piece.text[start:]
    tree = parse_statement(Piece(text, piece.offset, piece.line, piece.column), HOUSE)
    table = read_using(piece, tree) if isinstance(tree, exp.Create) else None
    if table is None or (table.location is None and not reader.rateless(table.format)):
        refuse(piece, f"CREATE {reader.kind} without a path", hint="Write OPTIONS (path '/x').")
    if table.partition_by or table.source is not None:
        refuse(piece, f"CREATE {reader.kind} USING with PARTITIONED BY or AS")
    return CreateFileView(piece, reader.kind, name, table, reader.replace, reader.missing)


class _Reader(Reader):
    kind = ""
    replace = False
    missing = False

    def begins(self) -> bool:
        """Whether a temporary view is made; its name is next."""
        if self.accept("OR"):
            self.replace = self.accept("REPLACE")
        shared = self.accept("GLOBAL")
        if not self.accept("TEMPORARY", "TEMP") or not self.accept("VIEW"):
            return False
        self.kind = "GLOBAL TEMPORARY VIEW" if shared else "TEMPORARY VIEW"
        if [word.upper for word in self.words[self.at : self.at + 3]] == ["IF", "NOT", "EXISTS"]:
            self.missing = True
            self.at += 3
        return self.peek() is not None

    def is_using(self) -> bool:
        """Whether a format is named, before any query."""
        depth = 0
        while (word := self.peek()) is not None:
            if not depth and word.upper in ("USING", "AS"):
                return word.upper == "USING"
            depth += (word.text == "(") - (word.text == ")")
            self.at += 1
        return False

    def rateless(self, format: str) -> bool:
        """Whether a format needs no path: it is made of nothing but options."""
        return format in ("rate", "socket")
