"""The SQL that is read: the house dialect, splitting a text into statements, and positions.

The house dialect is Spark 4 in ANSI mode with double-quoted identifiers. Functions are read by
name and nothing else, so that the typed table in `functions` decides what each of them means.
Any other dialect is translated to the house dialect as it is parsed.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, ClassVar, cast

from sqlglot import ErrorLevel, exp
from sqlglot.dialects.databricks import Databricks
from sqlglot.dialects.dialect import Dialect, Dialects
from sqlglot.errors import ParseError, TokenError, UnsupportedError
from sqlglot.parsers.databricks import DatabricksParser
from sqlglot.tokenizer_core import Token, TokenType

from flowcat_jupyter.shared.errors import NotFound, SqlError
from flowcat_jupyter.sql.compiled import check_interpreted
from flowcat_jupyter.sql.foreign import overlooked
from flowcat_jupyter.sql.hints import line_column, misspelt, typography
from flowcat_jupyter.sql.nesting import room

HOUSE = "house"
BEYOND = 1 << 32
"""More than the lines of any text: what stands in no text of the user's has such a line."""
_MARK = "\ufeff"
TYPED_DIVIDE = "__typed_divide"
_SPECIAL_CALLS = ("CAST", "TRY_CAST", "EXTRACT", "TRIM", "POSITION", "SUBSTRING")
_GLUED_COMMENT = re.compile(r"--\w+")
_WORDS = (TokenType.VAR, TokenType.NUMBER)


class HouseParser(DatabricksParser):
    """Databricks' grammar, with every function left as the name that was typed."""

    FUNCTIONS: ClassVar[dict[str, Any]] = {}
    FUNCTION_PARSERS: ClassVar[dict[str, Any]] = {
        name: parser
        for name, parser in DatabricksParser.FUNCTION_PARSERS.items()
        if name in _SPECIAL_CALLS
    }
    NO_PAREN_FUNCTION_PARSERS: ClassVar[dict[str, Any]] = {
        name: parser
        for name, parser in DatabricksParser.NO_PAREN_FUNCTION_PARSERS.items()
        if name == "CASE"
    }
    # `array(1, 2)[5]` would otherwise lose the array and keep the index.
    ARRAY_CONSTRUCTORS: ClassVar[dict[str, Any]] = {}

    def _parse_placeholder(self) -> exp.Expr | None:
        """A bound value, with its place as names have theirs."""
        found = super()._parse_placeholder()
        return found.update_positions(self._prev) if isinstance(found, exp.Placeholder) else found

    def _warn_unsupported(self) -> None:
        """Say nothing: what comes back is a command, which `parse_statement` refuses."""


class House(Databricks):
    """Spark 4 ANSI: strings in ``'``, identifiers in back-ticks or ``"``."""

    Parser = HouseParser

    class Tokenizer(Databricks.Tokenizer):
        """Quotes of the house dialect."""

        QUOTES: ClassVar[list[str | tuple[str, str]]] = ["'"]
        IDENTIFIERS: ClassVar[list[str | tuple[str, str]]] = ["`", '"']
        STRING_ESCAPES: ClassVar[list[str]] = ["\\", "'"]


DIALECTS: tuple[str, ...] = (
    HOUSE,
    *sorted(item.value for item in Dialects if item.value and item.value not in ("dax", "prql")),
)


MAX_TOKENS = 100_000


@dataclass(frozen=True)
class Piece:
    """One statement of a text: where it begins (``offset`` from 0, ``line`` and ``column`` from 1)
    and its text without the closing semicolon.
    """

    text: str
    offset: int = 0
    line: int = 1
    column: int = 1


@lru_cache(maxsize=64)
def dialect_for(name: str = HOUSE) -> Dialect:
    """The dialect of that name.

    :raises NotFound: there is none.
    :raises Unavailable: sqlglot is compiled.
    """
    check_interpreted()
    key = name.casefold()
    if key == HOUSE:
        return House()
    if key not in DIALECTS:
        raise NotFound("dialect", name, hint=f"There are: {', '.join(DIALECTS)}.")
    return Dialect.get_or_raise(key)


def split(text: str, dialect: str = HOUSE) -> tuple[Piece, ...]:
    """The statements of ``text``; those that are empty or only comments are left out.

    :raises SqlError: a quote or comment is not closed, or the text has too many words.
    """
    pieces: list[Piece] = []
    first: Token | None = None
    last: Token | None = None
    if text.startswith(_MARK):
        # What some editors begin a file with; every place stays where it was.
        text = f" {text[1:]}"
    tokens = _tokens(text, dialect)
    if len(tokens) > MAX_TOKENS:
        # Parsing holds the process: what is larger than this holds it for seconds.
        raise SqlError(
            f"The text has {len(tokens):,} words and marks, and may have {MAX_TOKENS:,}.",
            condition="STATEMENT_TOO_LARGE",
            sqlstate="54001",
            hint="Send the values as a frame (FROM :name), or import them, and join with them.",
        )
    if dialect.casefold() == HOUSE:
        # Here, because a comment after the last word is no part of its statement's text.
        _check_tokens(text, tokens)
    places = _Places(text)
    for token in tokens:
        if token.token_type != TokenType.SEMICOLON:
            first, last = first or token, token
        elif first is not None and last is not None:
            pieces.append(places.piece(first, last))
            first = last = None
    if first is not None and last is not None:
        pieces.append(places.piece(first, last))
    return tuple(pieces)


class _Places:
    """Lines and columns of places asked for in order; the text is gone through once."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._at, self._line, self._begin = 0, 1, 0

    def piece(self, first: Token, last: Token) -> Piece:
        """The piece from one token to another."""
        start = first.start
        self._line += self._text.count("\n", self._at, start)
        self._begin = self._text.rfind("\n", self._at, start) + 1 or self._begin
        self._at = start
        return Piece(self._text[start : last.end + 1], start, self._line, start - self._begin + 1)


def _tokens(text: str, dialect: str) -> list[Token]:
    try:
        return list(dialect_for(dialect).tokenize(text))
    except TokenError as error:
        raise _unclosed(text, error) from error


def _unclosed(text: str, error: TokenError) -> SqlError:
    """The error for an open quote: sqlglot says that there is one, not where."""
    opening = _open_quote(text)
    line, column = line_column(text, opening)
    mark = text[opening : opening + 1] or "quote"
    what = "The comment" if mark == "/" else f"The quote {mark}"
    return SqlError(
        f"{what} opened here is never closed.",
        condition="PARSE_SYNTAX_ERROR",
        sqlstate="42601",
        line=line,
        column=column,
        hint=typography(text) or "Close it, or double it if it is part of the text.",
    )


def _open_quote(text: str) -> int:
    """Where the quote or comment that runs off the end of ``text`` begins."""
    at = 0
    while at < len(text):
        end = _skip(text, at)
        if end is None:
            return at
        at = end
    return max(len(text) - 1, 0)


def _skip(text: str, at: int) -> int | None:
    """The place after the token-like thing at ``at``; None when it has no end."""
    mark = text[at]
    if text.startswith("--", at):
        end = text.find("\n", at)
        return len(text) if end < 0 else end
    if text.startswith("/*", at):
        end = text.find("*/", at + 2)
        return None if end < 0 else end + 2
    if mark not in "'\"`":
        return at + 1
    end = at + 1
    while end < len(text):
        if text[end] == "\\" and mark == "'":
            end += 2
        elif text[end] == mark:
            return end + 1
        else:
            end += 1
    return None


def parse_statement(piece: Piece | str, dialect: str = HOUSE) -> exp.Expression:
    """The tree of one statement, its nodes' places counted in the user's whole text.

    A text of another dialect becomes the house dialect's tree, whose nodes have no places; what
    that tree could not say is refused.

    :raises SqlError: it does not parse, or uses a template variable or a command that is
        not understood.
    """
    piece = Piece(piece) if isinstance(piece, str) else piece
    reader = dialect_for(dialect)
    tree = _parse(piece, reader, dialect)
    _refuse_first_word(tree, piece)
    _refuse_variables(tree, piece)
    if isinstance(reader, House):
        return tree
    lost = overlooked(tree)
    if lost is not None:
        raise located(refusal(lost), piece)
    _keep_integer_division(tree)
    try:
        text = tree.sql(dialect=House, unsupported_level=ErrorLevel.RAISE)
    except (UnsupportedError, ValueError) as error:
        what = f"what has no equal in the house dialect ({error})"
        raise located(refusal(what), piece) from error
    return _parse(Piece(text), dialect_for(HOUSE), HOUSE, places=False)


def _keep_integer_division(tree: exp.Expression) -> None:
    """Name the division that is whole between whole numbers, which only types can tell."""
    for node in list(tree.find_all(exp.Div)):
        if node.args.get("typed"):
            parts = [node.this.copy(), node.expression.copy()]
            node.replace(exp.Anonymous(this=TYPED_DIVIDE, expressions=parts))


def _parse(piece: Piece, reader: Dialect, name: str, *, places: bool = True) -> exp.Expression:
    tokens = _tokens(piece.text, name)
    for token in tokens:
        if token.line == 1:
            token.col += piece.column - 1
        token.line += piece.line - 1
    if name.casefold() == HOUSE:
        _check_tokens(piece.text, tokens)
    try:
        with room():
            trees = reader.parser(error_level=ErrorLevel.IMMEDIATE).parse(tokens, piece.text)
    except ParseError as error:
        raise _syntax_error(piece, error) from error
    found = [tree for tree in trees if tree is not None and not isinstance(tree, exp.Semicolon)]
    if len(found) != 1:
        raise SqlError(
            "There is nothing to run." if not found else "This is more than one statement.",
            condition="PARSE_SYNTAX_ERROR",
            sqlstate="42601",
            line=piece.line,
            column=piece.column,
        )
    tree = cast(exp.Expression, found[0])
    if not places:
        for node in tree.walk():
            node.meta.clear()
    return tree


def _check_tokens(text: str, tokens: list[Token]) -> None:
    """Refuse what would parse, but not as the writer meant it."""
    for token in tokens:
        column = max(token.col - (token.end - token.start), 1)
        if token.token_type == TokenType.L_BRACE:
            raise SqlError(
                "Not supported: a template variable in braces.",
                condition="UNSUPPORTED_FEATURE",
                sqlstate="0A000",
                line=token.line,
                column=column,
                hint="Write :name and pass the value as a parameter.",
            )
        glued = _GLUED_COMMENT.match(text, token.end + 1)
        if glued and token.token_type in _WORDS:
            name = text[token.start : token.end + 1]
            raise SqlError(
                f"{name}{glued.group()} reads as {name} and a comment.",
                condition="PARSE_SYNTAX_ERROR",
                sqlstate="42601",
                line=token.line,
                column=column,
                hint=f"Quote the name as `{name}{glued.group()}`, or put a space before the "
                "comment.",
            )


def _syntax_error(piece: Piece, error: ParseError) -> SqlError:
    details = error.errors[0] if error.errors else {}
    near = str(details.get("highlight") or "").strip()
    line, column = details.get("line"), details.get("col")
    if isinstance(column, int):
        column = max(column - len(near) + 1, 1)
    where = f" near {near!r}" if near else ""
    return SqlError(
        f"The statement cannot be read{where}.",
        condition="PARSE_SYNTAX_ERROR",
        sqlstate="42601",
        line=line if isinstance(line, int) else piece.line,
        column=column if isinstance(column, int) else piece.column,
        hint=typography(piece.text) or misspelt(piece.text),
    )


def _refuse_first_word(tree: exp.Expression, piece: Piece) -> None:
    """Refuse ``SELEC 1``, which parses as a column with an alias, and a single word."""
    if not isinstance(tree, (exp.Alias, exp.Column)):
        return
    raise SqlError(
        f"The statement cannot be read near {piece.text.split(None, 1)[0]!r}.",
        condition="PARSE_SYNTAX_ERROR",
        sqlstate="42601",
        line=piece.line,
        column=piece.column,
        hint=typography(piece.text) or misspelt(piece.text),
    )


def _refuse_variables(tree: exp.Expression, piece: Piece) -> None:
    for node in tree.find_all(exp.Parameter, exp.SessionParameter, exp.Command):
        if isinstance(node, exp.Command):
            raise located(refusal(f"the command {str(node.this).upper()}"), piece)
        raise refusal(
            f"the variable {node.sql(dialect=House)}",
            node,
            hint="Write :name and pass the value as a parameter; "
            "a version is written VERSION AS OF 3.",
        )


def refusal(what: str, node: exp.Expression | None = None, *, hint: str | None = None) -> SqlError:
    """The error for a construct that is known and not supported."""
    line, column = place(node)
    return SqlError(
        f"Not supported: {what}.",
        condition="UNSUPPORTED_FEATURE",
        sqlstate="0A000",
        line=line,
        column=column,
        hint=hint,
    )


def place(node: exp.Expression | None) -> tuple[int | None, int | None]:
    """The line and column at which ``node`` begins, from 1; (None, None) when unknown."""
    if node is None:
        return None, None
    if node.meta.get("line", 0) >= BEYOND:
        # Of a definition: what is put into it has places of its own.
        return node.meta["line"], 1
    best: tuple[int, int] | None = None
    for item in node.walk():
        meta = item.meta
        if "line" not in meta or "start" not in meta:
            continue
        here = (meta["line"], max(meta["col"] - (meta["end"] - meta["start"]), 1))
        best = here if best is None or here < best else best
    return best if best is not None else (None, None)


def position(piece: Piece, node: exp.Expression) -> tuple[int, int]:
    """The line and column of ``node`` in the user's text, or of its statement when unknown."""
    line, column = place(node)
    if line is None or column is None:
        return piece.line, piece.column
    return line, column


def located(error: SqlError, piece: Piece) -> SqlError:
    """``error`` at the beginning of its statement."""
    error.line, error.column = piece.line, piece.column
    return error
