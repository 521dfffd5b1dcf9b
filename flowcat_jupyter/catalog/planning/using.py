"""Tables of files, and rows saved as files: USING, OPTIONS, LOCATION and DIRECTORY, recognised
before anything is looked up.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from sqlglot import exp

from flowcat_jupyter.catalog.planning.definitions import listed_columns
from flowcat_jupyter.catalog.planning.formats import LAKES
from flowcat_jupyter.catalog.planning.inserting import query_in
from flowcat_jupyter.catalog.planning.literals import text_of
from flowcat_jupyter.catalog.planning.partitions import read_partitions
from flowcat_jupyter.catalog.planning.refusals import only, refuse, shown, target_name
from flowcat_jupyter.catalog.planning.view_reading import ViewQuery
from flowcat_jupyter.catalog.planning.words import Reader, Word, syntax
from flowcat_jupyter.shared.errors import SqlError
from flowcat_jupyter.shared.names import TableName
from flowcat_jupyter.shared.partitioning import Partition
from flowcat_jupyter.shared.wire import Column
from flowcat_jupyter.sql.dialect import Piece

_PATH = "path"
_WHAT = "CREATE TABLE"


@dataclass(frozen=True)
class FileTable:
    """``CREATE TABLE … USING format [OPTIONS (…)] [LOCATION …]`` of a format that is no lake's, or
    of one where a table already lies.

    Without a ``location`` the catalog keeps its files. ``columns`` may be listed, else they are
    found out, or are those of the query ``source``.
    """

    piece: Piece
    name: TableName
    format: str
    columns: tuple[Column, ...] = ()
    source: exp.Query | None = None
    if_not_exists: bool = False
    comment: str | None = None
    partition_by: tuple[str, ...] = ()
    options: dict[str, str] = field(default_factory=dict)
    location: str | None = None
    properties: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class WriteDirectory:
    """``INSERT OVERWRITE [LOCAL] DIRECTORY 'path' USING format [OPTIONS (…)] query``."""

    piece: Piece
    format: str
    location: str
    query: ViewQuery
    options: dict[str, str] = field(default_factory=dict)


def read_using(piece: Piece, tree: exp.Create) -> FileTable | None:
    """The table of files that a statement makes; None if it makes one of the catalog's own.

    :raises SqlError: a part of it is not supported.
    """
    properties = tree.args.get("properties")
    said: dict[str, Any] = {}
    more: dict[str, str] = {}
    for item in properties.expressions if properties else ():
        if type(item) is exp.Property:
            more[_name(item.this)] = _value(piece, item)
        elif type(item).__name__ in said:
            refuse(piece, f"{_WHAT} with {_called(item)} twice")
        else:
            said[type(item).__name__] = item
    format = _format(piece, said.get("FileFormatProperty"))
    if not _is_of_files(format, said):
        return None
    for name, item in said.items():
        if name not in _KNOWN:
            refuse(piece, f"{_WHAT} USING {format} with {_called(item)}")
    return _made(piece, tree, format, said, more)


def _is_of_files(format: str, said: dict[str, Any]) -> bool:
    return format not in LAKES or "LocationProperty" in said or "OptionsProperty" in said


def _made(
    piece: Piece, tree: exp.Create, format: str, said: dict[str, Any], properties: dict[str, str]
) -> FileTable:
    only(
        piece,
        tree,
        ("this", "kind", "exists", "replace", "properties", "expression", "with_"),
        {},
        _WHAT,
    )
    if tree.args.get("replace"):
        hint = "Write DROP TABLE IF EXISTS before it; files that are not the catalog's stay."
        refuse(piece, f"CREATE OR REPLACE TABLE USING {format}", hint=hint)
    target = tree.this
    columns: tuple[Column, ...] = ()
    if isinstance(target, exp.Schema):
        target, columns = target.this, listed_columns(piece, target.expressions)
    if columns and tree.expression is not None:
        hint = "The query names the columns: SELECT … AS name."
        refuse(piece, f"{_WHAT} with a list of columns and a query", hint=hint)
    options, location = _place(piece, said)
    comment = said.get("SchemaCommentProperty")
    if format in LAKES:
        _check_lake(piece, format, columns, tree, options)
    return FileTable(
        piece,
        target_name(piece, target, _WHAT),
        format,
        columns,
        query_in(piece, tree, _WHAT) if tree.expression is not None else None,
        bool(tree.args.get("exists")),
        None if comment is None else _value(piece, comment, "COMMENT"),
        _partitions(piece, said.get("PartitionedByProperty"), format),
        options,
        location,
        properties,
    )


def _check_lake(
    piece: Piece,
    format: str,
    columns: tuple[Column, ...],
    tree: exp.Create,
    options: dict[str, str],
) -> None:
    """A lake's table may be taken in where it lies, as it is, and nothing more be said of it."""
    if columns or tree.expression is not None:
        hint = "Leave LOCATION out: the catalog chooses the place. Or register a table as it is."
        refuse(piece, f"{_WHAT} USING {format} with LOCATION and columns", hint=hint)
    if options:
        refuse(piece, f"{_WHAT} USING {format} with OPTIONS ({', '.join(options)})")
    if format != "delta":
        refuse(piece, f"{_WHAT} USING {format} with LOCATION")


def _place(piece: Piece, said: dict[str, Any]) -> tuple[dict[str, str], str | None]:
    """The options without the path among them, and where the files lie."""
    options: dict[str, str] = {}
    clause = said.get("OptionsProperty")
    for item in clause.expressions if clause is not None else ():
        name = _name(item.this)
        if any(other.casefold() == name.casefold() for other in options):
            _fault(piece, f"The option {name} is given twice", "DUPLICATE_KEY", "23505")
        options[name] = _value(piece, item, f"the option {name}")
    path = next((name for name in options if name.casefold() == _PATH), None)
    found = None if path is None else options.pop(path)
    location = said.get("LocationProperty")
    if location is not None:
        if found is not None:
            _fault(piece, "The place is given twice, by LOCATION and by the option path")
        found = _value(piece, location, "LOCATION")
    return options, found


def _partitions(piece: Piece, item: Any, format: str) -> tuple[str, ...]:
    given: tuple[Partition, ...] = () if item is None else read_partitions(piece, item.this, _WHAT)
    computed = next((part for part in given if part.transform), None)
    if computed is not None:
        hint = "Make the table USING iceberg, or give it a column with these values."
        refuse(piece, f"{_WHAT} with PARTITIONED BY {computed.text} USING {format}", hint=hint)
    return tuple(part.text for part in given)


def _format(piece: Piece, item: Any) -> str:
    if item is None:
        return "delta"
    named = isinstance(item.this, (exp.Var, exp.Identifier)) or (
        isinstance(item.this, exp.Literal) and item.this.is_string
    )
    if not named:
        refuse(piece, f"{_WHAT} USING {shown(item.this)}", hint="Write the name of a format.")
    return str(item.name).casefold()


def _name(item: Any) -> str:
    return str(item.name if isinstance(item, exp.Expression) else item)


def _value(piece: Piece, item: Any, what: str = "TBLPROPERTIES") -> str:
    value = item.args.get("value") if type(item) is exp.Property else item.this
    if isinstance(value, exp.Boolean):
        return "true" if value.this else "false"
    if isinstance(value, exp.Literal):
        return str(value.this)
    if isinstance(value, exp.Neg) and isinstance(value.this, exp.Literal):
        return f"-{value.this.this}"
    told = shown(value) if isinstance(value, exp.Expression) else str(value)
    refuse(piece, f"{what} {told}", hint="Write its value as text in single quotes.")


def _called(item: exp.Expression) -> str:
    words = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", type(item).__name__.removesuffix("Property"))
    return _CALLED.get(type(item).__name__, words.upper())


_KNOWN = (
    "FileFormatProperty",
    "OptionsProperty",
    "LocationProperty",
    "PartitionedByProperty",
    "SchemaCommentProperty",
)
_CALLED = {
    "SchemaCommentProperty": "COMMENT",
    "FileFormatProperty": "USING",
    "ClusteredByProperty": "CLUSTERED BY",
    "RowFormatSerdeProperty": "ROW FORMAT",
    "RowFormatDelimitedProperty": "ROW FORMAT",
}


def _fault(
    piece: Piece, message: str, condition: str = "PARSE_SYNTAX_ERROR", sqlstate: str = "42601"
) -> None:
    raise SqlError(
        f"{message}.", condition=condition, sqlstate=sqlstate, line=piece.line, column=piece.column
    )


def read_directory(
    piece: Piece, words: list[Word], query_at: Callable[[int], ViewQuery]
) -> WriteDirectory | None:
    """The files that a statement makes of a query; None if it is none of these.

    :raises SqlError: a part of it is missing or not supported.
    """
    begins = [word.upper for word in words[:4]]
    if begins[:2] != ["INSERT", "OVERWRITE"] or "DIRECTORY" not in begins[2:4]:
        return None
    reader = _DirectoryReader(piece, words, 2)
    reader.accept("LOCAL")
    reader.accept("DIRECTORY")
    return reader.directory(query_at)


class _DirectoryReader(Reader):
    def directory(self, query_at: Callable[[int], ViewQuery]) -> WriteDirectory:
        start = self.here()
        word = self.peek()
        location = None
        if word is not None and word.kind == "string":
            location = self._text()
        if not self.accept("USING"):
            hint = "Write INSERT OVERWRITE DIRECTORY 'path' USING csv …"
            refuse(self.piece, "INSERT OVERWRITE DIRECTORY without USING", hint=hint)
        format = self.name()
        options = self._options()
        path = next((name for name in options if name.casefold() == _PATH), None)
        if path is not None and location is None:
            location = options.pop(path)
        if not location or path in options:
            syntax(self.piece, "INSERT OVERWRITE DIRECTORY needs one path, as text", start)
        return WriteDirectory(
            self.piece, ".".join(format).casefold(), location, query_at(self.here()), options
        )

    def _options(self) -> dict[str, str]:
        found: dict[str, str] = {}
        if not self.accept("OPTIONS"):
            return found
        if not self.accept("("):
            syntax(self.piece, "OPTIONS needs a list in parentheses", self.here())
        while True:
            start = self.here()
            name = self._text() if self._is_text() else ".".join(self.name())
            self.accept("=")
            if name.casefold() in {other.casefold() for other in found}:
                syntax(self.piece, f"The option {name} is given twice", start)
            found[name] = self._option_value()
            if self.accept(")"):
                return found
            if not self.accept(","):
                syntax(self.piece, "A comma or ) is missing in OPTIONS", self.here())

    def _option_value(self) -> str:
        if self._is_text():
            return self._text()
        word = self.peek()
        if word is None or word.kind not in ("word", "mark") or word.text in ("(", ")", ","):
            syntax(self.piece, "The value of an option is missing", self.here())
        self.at += 1
        following = self.peek()
        if word.text in ("-", "+") and following is not None and following.kind == "word":
            self.at += 1
            return f"{word.text}{following.text}"
        return word.text.lower() if word.upper in ("TRUE", "FALSE") else word.text

    def _is_text(self) -> bool:
        word = self.peek()
        return word is not None and word.kind == "string"

    def _text(self) -> str:
        word = self.peek()
        if word is None or word.kind != "string":
            syntax(self.piece, "A text in single quotes is missing", self.here())
        self.at += 1
        return text_of(word)
