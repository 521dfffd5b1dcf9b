"""``USE`` and ``SET CATALOG``: where names of fewer parts are looked for from then on."""

from __future__ import annotations

from dataclasses import dataclass

from flowcat_jupyter.catalog.planning.places import place
from flowcat_jupyter.catalog.planning.words import Reader, Word, syntax
from flowcat_jupyter.shared.errors import SqlError
from flowcat_jupyter.shared.names import TableName
from flowcat_jupyter.sql.dialect import Piece

CATALOG, SCHEMA = "CATALOG", "SCHEMA"
_SCHEMA_WORDS = ("SCHEMA", "DATABASE", "NAMESPACE")


@dataclass(frozen=True)
class Use:
    """What becomes current: ``what`` is CATALOG or SCHEMA, or None where the name alone is given
    and may be either's. ``start`` is where the name stands in the piece.
    """

    piece: Piece
    name: tuple[str, ...]
    what: str | None
    start: int


def read_use(piece: Piece, words: list[Word]) -> Use | None:
    """What ``USE …`` or ``SET CATALOG …`` asks for; None where it is another ``SET``.

    :raises SqlError: there is no name, or one of too many parts.
    """
    reader = Reader(piece, words)
    what = None
    if words[0].upper == "SET":
        if not reader.accept("CATALOG"):
            return None
        what = CATALOG
    elif len(words) > 2 and words[2].text != ".":
        if reader.accept("CATALOG"):
            what = CATALOG
        elif reader.accept(*_SCHEMA_WORDS):
            what = SCHEMA
    start = reader.here()
    name = _name(reader)
    reader.end()
    if len(name) > (1 if what == CATALOG else 2):
        kind = "catalog" if what == CATALOG else "schema"
        line, column = place(piece, start)
        raise SqlError(
            f"{TableName(name).sql} has more parts than a {kind}'s name.",
            condition="REQUIRES_SINGLE_PART_NAMESPACE",
            sqlstate="42K05",
            line=line,
            column=column,
            hint="Write USE schema, USE catalog.schema or USE CATALOG catalog.",
        )
    return Use(piece, name, what, start)


def _name(reader: Reader) -> tuple[str, ...]:
    word = reader.peek()
    if word is not None and word.kind == "string":
        # As Spark has it, a catalog may also be named by a text.
        reader.at += 1
        return (word.text[1:-1].replace("''", "'"),)
    if word is None:
        syntax(reader.piece, "A name is missing", reader.here())
    return reader.name()
