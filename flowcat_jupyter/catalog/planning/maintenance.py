"""``OPTIMIZE``, ``VACUUM`` and ``RESTORE``: what is done to a table's files and versions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

from sqlglot import exp

from flowcat_jupyter.catalog.planning.refusals import refuse
from flowcat_jupyter.catalog.planning.words import Reader, Word, syntax
from flowcat_jupyter.shared.errors import SqlError
from flowcat_jupyter.shared.names import TableName
from flowcat_jupyter.sql.dialect import Piece, parse_statement

OPTIMIZE, VACUUM, RESTORE = "OPTIMIZE", "VACUUM", "RESTORE"


@dataclass(frozen=True)
class Maintain:
    """One of the three.

    ``order_by`` are the columns that an OPTIMIZE sorts along. ``retain_hours`` is how old a file
    must be for a VACUUM to remove it, None for the table's own rule; with ``dry_run`` it only
    tells. ``version`` is a query of the table at the version that a RESTORE goes back to.
    """

    piece: Piece
    kind: str
    name: TableName
    order_by: tuple[str, ...] = ()
    retain_hours: int | None = None
    dry_run: bool = False
    version: exp.Query | None = None


def read_maintenance(piece: Piece, words: list[Word]) -> Maintain:
    """What the statement asks for.

    :raises SqlError: a part is missing, or is not supported.
    """
    reader = Reader(piece, words)
    kind = words[0].upper
    if kind == RESTORE:
        reader.accept("TABLE")
    start = reader.here()
    name = _table(reader, start)
    if kind == OPTIMIZE:
        return _optimize(reader, name)
    if kind == VACUUM:
        return _vacuum(reader, name)
    return _restore(reader, name)


def _table(reader: Reader, start: int) -> TableName:
    parts = reader.name()
    if len(parts) > 3:
        syntax(reader.piece, f"{TableName(parts).sql} has more than three parts", start)
    return TableName(parts)


def _optimize(reader: Reader, name: TableName) -> Maintain:
    if reader.accept("WHERE"):
        refuse(reader.piece, "OPTIMIZE with WHERE", hint="The whole table is looked at.")
    columns: list[str] = []
    if reader.accept("ZORDER"):
        if not reader.accept("BY"):
            syntax(reader.piece, "ZORDER needs BY and columns", reader.here())
        listed = reader.accept("(")
        while True:
            (*above, column) = reader.name()
            if above:
                refuse(reader.piece, f"ZORDER BY {TableName((*above, column)).sql}")
            columns.append(column)
            if not reader.accept(","):
                break
        if listed and not reader.accept(")"):
            syntax(reader.piece, "A closing ) is missing", reader.here())
    reader.end()
    return Maintain(reader.piece, OPTIMIZE, name, order_by=tuple(columns))


def _vacuum(reader: Reader, name: TableName) -> Maintain:
    hours = None
    if reader.accept("RETAIN"):
        word = reader.peek()
        if word is None or not word.text.isdigit():
            syntax(reader.piece, "RETAIN needs a whole number of hours", reader.here())
        hours = int(word.text)
        reader.at += 1
        if not reader.accept("HOURS", "HOUR"):
            syntax(reader.piece, "RETAIN needs the word HOURS after its number", reader.here())
    dry = reader.accept("DRY")
    if dry and not reader.accept("RUN"):
        syntax(reader.piece, "DRY needs RUN after it", reader.here())
    reader.end()
    return Maintain(reader.piece, VACUUM, name, retain_hours=hours, dry_run=dry)


def _restore(reader: Reader, name: TableName) -> Maintain:
    piece = reader.piece
    if not reader.accept("TO") or reader.peek() is None:
        hint = "Write RESTORE TABLE t TO VERSION AS OF 3, or TO TIMESTAMP AS OF '2026-01-31'."
        raise SqlError(
            "RESTORE needs TO and a version.",
            condition="PARSE_SYNTAX_ERROR",
            sqlstate="42601",
            line=piece.line,
            column=piece.column,
            hint=hint,
        )
    clause = piece.text[reader.here() :]
    tree = parse_statement(Piece(" ".join(("SELECT * FROM t", clause))))
    table = tree.find(exp.Table)
    plain = exp.select("*").from_("t")
    version = table.args.get("version") if table is not None else None
    if version is None or cast(exp.Table, table).alias or _without(tree) != plain.sql():
        syntax(piece, "RESTORE takes VERSION AS OF or TIMESTAMP AS OF after TO", reader.here())
    wanted = exp.Table(
        **dict(
            zip(
                ("this", "db", "catalog"),
                (exp.to_identifier(part, quoted=True) for part in reversed(name.parts)),
                strict=False,
            )
        ),
        version=version.copy(),
    )
    return Maintain(piece, RESTORE, name, version=exp.select("*").from_(wanted))


def _without(tree: exp.Expression) -> str:
    """A query as text, without the version that it reads."""
    copy = tree.copy()
    for table in copy.find_all(exp.Table):
        table.set("version", None)
    return str(copy.sql())
