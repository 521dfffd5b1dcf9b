"""The names in ``CREATE SCHEMA`` and ``DROP SCHEMA``, read from the text.

sqlglot's tree of such a name keeps its last two parts and throws away what stands before them, so
``a.b.c`` would be the schema ``b.c``.
"""

from __future__ import annotations

from typing import Any

from sqlglot import exp

from flowcat_jupyter.catalog.planning.places import place
from flowcat_jupyter.catalog.planning.words import Reader, words_of
from flowcat_jupyter.shared.errors import SqlError
from flowcat_jupyter.sql.dialect import Piece


def schema_name(piece: Piece, target: Any, tree: exp.Expression) -> tuple[str, ...]:
    """The one or two parts of the schema's name in a statement that has ``tree``.

    :raises SqlError: anything else stands there.
    """
    reader = Reader(piece, words_of(piece.text), 2)
    if tree.args.get("exists"):
        for word in ("IF", "NOT", "EXISTS"):
            reader.accept(word)
    start = reader.here()
    parts = _parts(reader)
    # In another dialect the words may be cut differently: then nothing is taken for granted.
    read = tuple(part.name for part in target.parts) if isinstance(target, exp.Table) else ()
    if not 1 <= len(parts) <= 2 or not all(parts) or parts != read:
        line, column = place(piece, start)
        raise SqlError(
            "A schema's name is one or two identifiers, not "
            f"{_shown(piece, start, reader)}; nothing was changed.",
            condition="REQUIRES_SINGLE_PART_NAMESPACE",
            sqlstate="42K05",
            line=line,
            column=column,
            hint="Write catalog.schema or schema, a part in back-ticks where needed.",
        )
    return parts


def _parts(reader: Reader) -> tuple[str, ...]:
    """The name at the reader; none if it is none, or goes on with something else."""
    try:
        parts = reader.name()
    except SqlError:
        return ()
    following = reader.peek()
    return parts if following is None or following.kind == "word" else ()


def _shown(piece: Piece, start: int, reader: Reader) -> str:
    end = reader.words[reader.at - 1]
    return piece.text[start : end.start + len(end.text)] or piece.text[start:].strip() or "nothing"
