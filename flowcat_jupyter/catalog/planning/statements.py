"""The statements of a text, each recognised before anything is looked up.

Queries become sqlglot trees. SHOW, DESCRIBE and EXPLAIN have small parsers of their own, since
sqlglot keeps them as opaque text. Everything else is refused by name.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from typing import NoReturn, cast

from sqlglot import exp

from flowcat_jupyter.catalog.planning.alter import read_comment
from flowcat_jupyter.catalog.planning.asides import plainer, replaces
from flowcat_jupyter.catalog.planning.current import Use, read_use
from flowcat_jupyter.catalog.planning.describing import Describe, query_at, read_describe
from flowcat_jupyter.catalog.planning.function_reading import read_function
from flowcat_jupyter.catalog.planning.inserting import Insert
from flowcat_jupyter.catalog.planning.maintenance import (
    OPTIMIZE,
    RESTORE,
    VACUUM,
    Maintain,
    read_maintenance,
)
from flowcat_jupyter.catalog.planning.places import place
from flowcat_jupyter.catalog.planning.redefining import read_alter_words
from flowcat_jupyter.catalog.planning.row_changes import ChangeRows
from flowcat_jupyter.catalog.planning.settings_sql import (
    ResetSetting,
    SetSetting,
    read_reset,
    read_set,
)
from flowcat_jupyter.catalog.planning.showing import Show, read_show
from flowcat_jupyter.catalog.planning.timetravel import at_suffix
from flowcat_jupyter.catalog.planning.using import FileTable, WriteDirectory, read_directory
from flowcat_jupyter.catalog.planning.using_views import read_file_view
from flowcat_jupyter.catalog.planning.variables import Declare, SetVariables, read_variable
from flowcat_jupyter.catalog.planning.view_reading import (
    AlterView,
    CreateView,
    ViewQuery,
    read_view,
)
from flowcat_jupyter.catalog.planning.words import Word, syntax, words_of
from flowcat_jupyter.catalog.planning.writes import Change, CreateTable, read_change
from flowcat_jupyter.shared.errors import SqlError
from flowcat_jupyter.sql.dialect import HOUSE, Piece, parse_statement, split


@dataclass(frozen=True)
class Select:
    """A query, possibly to be explained only; ``extended`` asks for the engine's plan, too.

    One that is ``described`` gives its columns instead of rows.
    """

    piece: Piece
    tree: exp.Expression
    explain: bool = False
    extended: bool = False
    described: bool = False


Statement = Select | Show | Describe | SetSetting | ResetSetting | Change | Use

MAX_STATEMENTS = 1000


def trees_of(statement: Statement) -> tuple[exp.Expression, ...]:
    """What of a statement may name tables, parameters and frames."""
    if isinstance(statement, (ChangeRows, Insert)):
        return tuple(statement.trees)
    if isinstance(statement, Maintain):
        return () if statement.version is None else (cast(exp.Expression, statement.version),)
    if isinstance(statement, (CreateView, AlterView)):
        return () if statement.query is None else (statement.query.tree,)
    if isinstance(statement, WriteDirectory):
        return (statement.query.tree,)
    if isinstance(statement, (Declare, SetVariables)):
        return tuple(value.tree for value in statement.values if value.tree is not None)
    query = query_of(statement)
    return () if query is None else (query.tree,)


def query_of(statement: Statement) -> Select | None:
    """The query in a statement, if there is one."""
    if isinstance(statement, (Insert, CreateTable, FileTable)):
        if statement.source is None:
            return None
        return Select(statement.piece, cast(exp.Expression, statement.source))
    return statement if isinstance(statement, Select) else None


_REFUSED = frozenset(
    re.findall(
        r"\w+",
        """ANALYZE CACHE CALL CLEAR COPY DENY
    EXPORT GRANT IMPORT INSTALL KILL LIST LOAD LOCK MSCK PRAGMA REFRESH REORG
    REVOKE SET UNCACHE UNDROP UNLOCK ATTACH
    DETACH BEGIN COMMIT ROLLBACK""",
    )
)
_WRITES = frozenset(re.findall(r"\w+", "COPY LOAD REPLACE"))
_AS_OF = "AS OF"
_PLACE_OF_VERSION = (
    "A version stands right after the table's name and before its alias: t VERSION AS OF 3 AS x, "
    "t TIMESTAMP AS OF '2026-01-31 12:00:00' AS x."
)


def parse(text: str, dialect: str = "house") -> tuple[Statement, ...]:
    """The statements of ``text`` in order.

    :raises SqlError: a statement is malformed or is of a kind that is not supported; the error
        carries Spark's condition and the place in ``text``, and with several statements its
        number.
    """
    pieces = split(text, dialect)
    if not pieces:
        raise SqlError(
            "There is nothing to run.",
            condition="PARSE_EMPTY_STATEMENT",
            sqlstate="42617",
            hint="Write a statement, for example SELECT 1.",
        )
    if len(pieces) > MAX_STATEMENTS:
        raise SqlError(
            f"A text holds at most {MAX_STATEMENTS:,} statements, not {len(pieces):,}.",
            condition="STATEMENT_TOO_LARGE",
            sqlstate="54001",
            hint="Run it in parts.",
        )
    parsed: list[Statement] = []
    for number, piece in enumerate(pieces, start=1):
        try:
            parsed.append(_parse_piece(piece, dialect))
        except SqlError as error:
            if error.line is None:
                error.line, error.column = place(piece, 0)
            raise numbered(error, number, len(pieces)) from error
        except RecursionError as error:
            raise numbered(too_deep(piece), number, len(pieces)) from error
    return tuple(parsed)


def too_deep(piece: Piece) -> SqlError:
    """The error for a statement whose parts are nested deeper than can be worked on."""
    return SqlError(
        "The statement is nested too deeply.",
        condition="FAILED_TO_PARSE_TOO_COMPLEX",
        sqlstate="54001",
        line=piece.line,
        column=piece.column,
        hint="Compute inner parts in a WITH clause or a sub-query of their own.",
    )


def numbered(error: SqlError, number: int, count: int) -> SqlError:
    """``error``, saying which of several statements failed."""
    if count < 2 or error.message.startswith("Statement "):
        return error
    where = f"Statement {number}, line {error.line}" if error.line else f"Statement {number}"
    return SqlError.of(error, message=f"{where}: {error.message}")


def _parse_piece(piece: Piece, dialect: str) -> Statement:
    words = words_of(piece.text)
    first = words[0].upper if words else ""
    found = _by_words(piece, words, dialect)
    if found is not None:
        return found
    if first == "EXPLAIN":
        return _explain(piece, words, dialect)
    if first in ("DESCRIBE", "DESC"):
        return _described(piece, words, dialect)
    if first in _REFUSED:
        _refuse(piece, first, words[0].start)
    tree = _tree(piece, words, dialect)
    _check_selects(piece, words, tree)
    change = read_change(piece, tree)
    if change is None:
        return _select(piece, words, tree)
    return change


def _by_words(piece: Piece, words: list[Word], dialect: str) -> Statement | None:
    """A statement that is read word by word."""

    def query_at(start: int) -> ViewQuery:
        return _query_at(piece, start, dialect)

    variable = read_variable(piece, words, query_at)
    if variable is not None:
        return variable
    read = _BY_WORDS.get(words[0].upper) if words else None
    found = read(piece, words) if read is not None else None
    return (
        found
        or read_function(piece, words, dialect)
        or read_file_view(piece, words)
        or read_view(piece, words, query_at)
        or read_directory(piece, words, query_at)
    )


def _query_at(piece: Piece, start: int, dialect: str) -> ViewQuery:
    inner = _tail(piece, start)
    if not inner.text.strip():
        syntax(piece, "A query is missing", start)
    statement = _parse_piece(inner, dialect)
    if not isinstance(statement, Select) or statement.explain or statement.described:
        syntax(inner, "Here stands a query, which begins with SELECT or WITH", 0)
    return ViewQuery(inner, statement.tree)


def _select(piece: Piece, words: list[Word], tree: exp.Expression) -> Select:
    if isinstance(tree, (exp.Condition, exp.Alias)) and not isinstance(tree, exp.Query):
        syntax(piece, f"{words[0].text} begins no statement; a query begins with SELECT", 0)
    if not isinstance(tree, exp.Query):
        _refuse(piece, words[0].upper or tree.key.upper(), words[0].start)
    return Select(piece, tree)


def _check_selects(piece: Piece, words: list[Word], tree: exp.Expression) -> None:
    if not all(select.expressions for select in tree.find_all(exp.Select)):
        syntax(piece, "SELECT needs the columns to select, or * for all", words[0].start)


def _check_commas(piece: Piece, words: list[Word]) -> None:
    """Refuse a comma with nothing after it, which sqlglot overlooks and Spark does not."""
    for comma, after in pairwise(words):
        if comma.text == "," and (after.upper == "FROM" or after.text in (")", ",")):
            syntax(piece, f"Nothing stands between the comma and {after.text}", comma.start)


def _tree(piece: Piece, words: list[Word], dialect: str) -> exp.Expression:
    if dialect.casefold() != HOUSE:
        return parse_statement(piece, dialect)
    _check_versions(piece, words)
    _check_commas(piece, words)
    try:
        return parse_statement(plainer(piece, words), dialect)
    except SqlError as error:
        if error.hint is None and _AS_OF in " ".join(word.upper for word in words):
            error.hint = _PLACE_OF_VERSION
        raise


def _check_versions(piece: Piece, words: list[Word]) -> None:
    """Refuse ``t@v3``, which would read as a variable."""
    for at in range(1, len(words) - 1):
        name, mark, suffix = words[at - 1 : at + 2]
        glued = mark.start == name.start + len(name.text) and suffix.start == mark.start + 1
        if mark.text == "@" and glued and name.kind in ("word", "quoted"):
            first = at - 1
            while first >= 2 and words[first - 1].text == ".":
                first -= 2
            parts = tuple(word.name for word in words[first:at:2])
            error = at_suffix((*parts[:-1], f"{parts[-1]}@{suffix.text}"))
            if error is not None:
                raise SqlError.of(error, place=place(piece, words[first].start))


def _explain(piece: Piece, words: list[Word], dialect: str) -> Select:
    skip = 1
    if len(words) > 1 and words[1].upper in ("EXTENDED", "FORMATTED", "COST", "CODEGEN"):
        skip = 2
    if len(words) <= skip:
        syntax(piece, "EXPLAIN needs a query after it", words[-1].start)
    inner = _tail(piece, words[skip].start)
    # Looked at first: a text of nothing but EXPLAIN would be read again for each of them.
    statement = None if words[skip].upper == "EXPLAIN" else _parse_piece(inner, dialect)
    if not isinstance(statement, Select):
        _refuse(inner, f"EXPLAIN of {words[skip].upper}", 0)
    return Select(inner, statement.tree, explain=True, extended=words[1].upper == "EXTENDED")


def _described(piece: Piece, words: list[Word], dialect: str) -> Select:
    at = query_at(words) or 1
    inner = _tail(piece, words[at].start)
    statement = _parse_piece(inner, dialect)
    if not isinstance(statement, Select):
        _refuse(inner, f"DESCRIBE of {words[at].upper}", 0)
    return Select(inner, statement.tree, described=True)


def _tail(piece: Piece, start: int) -> Piece:
    """The part of a piece from ``start`` on, keeping its place in the user's text."""
    line, column = place(piece, start)
    return Piece(piece.text[start:], piece.offset + start, line, column)


def _refuse(piece: Piece, statement: str, start: int) -> NoReturn:
    hint = (
        "Here you can run SELECT, INSERT, DELETE, UPDATE, MERGE, TRUNCATE, CREATE TABLE, "
        "CREATE VIEW, CREATE FUNCTION, CREATE SCHEMA, ALTER TABLE, ALTER VIEW, COMMENT ON, DROP, "
        "DECLARE, OPTIMIZE, VACUUM, RESTORE, USE, SET, RESET, SHOW, DESCRIBE and EXPLAIN."
    )
    if statement in _WRITES:
        hint += " Change rows with flowfile_ctx.write_catalog_table."
    line, column = place(piece, start)
    raise SqlError(
        f"{statement} is not supported; nothing was changed.",
        condition="UNSUPPORTED_FEATURE.TABLE_OPERATION",
        sqlstate="0A000",
        line=line,
        column=column,
        hint=hint,
    )


def _read_set(piece: Piece, words: list[Word]) -> Statement | None:
    return read_use(piece, words) or read_set(piece, words)


def _check_replace(piece: Piece, _: list[Word]) -> None:
    """Refuse to REPLACE anything but a table."""
    if not replaces(piece):
        _refuse(piece, "REPLACE", 0)


_BY_WORDS: dict[str, Callable[[Piece, list[Word]], Statement | None]] = {
    "SHOW": read_show,
    "DESCRIBE": read_describe,
    "DESC": read_describe,
    "USE": read_use,
    "SET": _read_set,
    "REPLACE": _check_replace,
    "RESET": read_reset,
    "ALTER": read_alter_words,
    "COMMENT": read_comment,
    OPTIMIZE: read_maintenance,
    VACUUM: read_maintenance,
    RESTORE: read_maintenance,
}
