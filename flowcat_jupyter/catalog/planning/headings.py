"""What the user typed for each column of a result.

An unnamed expression is headed by its own text (decision 9), which only the source still has: the
tree would print ``LENGTH(carrier) - 5`` for ``length(carrier) - 5``.
"""

from __future__ import annotations

import re

from sqlglot import exp
from sqlglot.tokenizer_core import Token, TokenType

from flowcat_jupyter.sql.dialect import dialect_for

_OPEN = {TokenType.L_PAREN, TokenType.L_BRACKET, TokenType.L_BRACE}
_CLOSE = {TokenType.R_PAREN, TokenType.R_BRACKET, TokenType.R_BRACE}
_END = frozenset(
    re.findall(
        r"\w+",
        """FROM WHERE GROUP HAVING QUALIFY WINDOW ORDER SORT CLUSTER DISTRIBUTE LIMIT OFFSET UNION
    EXCEPT INTERSECT MINUS LATERAL FETCH""",
    )
)


def headings(tree: exp.Expression, text: str, dialect: str = "house") -> tuple[str | None, ...]:
    """The source text of each unnamed item of the outermost select list.

    An item that names itself (an alias, a column, a star) gives None, and so do all items where
    the text cannot be matched to the tree.
    """
    select = _outermost(tree)
    if select is None:
        return ()
    items = select.expressions
    slices = _slices(text, dialect)
    if len(slices) != len(items):
        return (None,) * len(items)
    return tuple(
        None if names_itself(item) else piece for item, piece in zip(items, slices, strict=True)
    )


def _outermost(tree: exp.Expression) -> exp.Select | None:
    node: exp.Expression | None = tree
    while node is not None and not isinstance(node, exp.Select):
        node = node.this if isinstance(node, (exp.SetOperation, exp.Subquery)) else None
    return node


def names_itself(item: exp.Expression) -> bool:
    """Whether an item of a select list has a name without its text: an alias, a column, a star."""
    if isinstance(item, exp.Dot) and isinstance(item.expression, exp.Func):
        return False
    return isinstance(item, (exp.Alias, exp.Aliases, exp.Column, exp.Dot)) or item.is_star


def _slices(text: str, dialect: str) -> list[str]:
    """The items of the first select list that lies outside every CTE, as text."""
    tokens = dialect_for(dialect).tokenize(text)
    start = _select(tokens)
    if start is None:
        return []
    depth, begin, pieces = 0, start, list[str]()
    for index in range(start, len(tokens) + 1):
        token = tokens[index] if index < len(tokens) else None
        ends = token is None or (depth == 0 and _closes(token) and not _within(tokens, index))
        if ends or (token and depth == 0 and token.token_type == TokenType.COMMA):
            pieces.append(_text(text, tokens[begin:index]))
            begin = index + 1
        if ends or token is None:
            return pieces
        depth += (token.token_type in _OPEN) - (token.token_type in _CLOSE)
    return pieces


def _closes(token: Token) -> bool:
    return token.token_type in _CLOSE or token.text.upper() in _END


def _within(tokens: list[Token], index: int) -> bool:
    """Whether the token is the GROUP of WITHIN GROUP."""
    return index > 0 and tokens[index - 1].text.upper() == "WITHIN"


def _select(tokens: list[Token]) -> int | None:
    """The index after the first SELECT outside every CTE, and after its DISTINCT or ALL."""
    depth, ctes = 0, None
    for index, token in enumerate(tokens):
        depth += (token.token_type in _OPEN) - (token.token_type in _CLOSE)
        if token.token_type == TokenType.WITH and ctes is None:
            ctes = depth
        if token.token_type == TokenType.SELECT and (ctes is None or depth <= ctes):
            follows = tokens[index + 1].token_type if index + 1 < len(tokens) else None
            return index + 1 + (follows in (TokenType.DISTINCT, TokenType.ALL))
    return None


def _text(text: str, tokens: list[Token]) -> str:
    return text[tokens[0].start : tokens[-1].end + 1] if tokens else ""
