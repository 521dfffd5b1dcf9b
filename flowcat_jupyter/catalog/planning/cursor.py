"""What stands around a cursor in SQL text that need not be finished.

Nothing is parsed: the text under a cursor is wrong more often than not. Positions count UTF-16
units, as editors do.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from flowcat_jupyter.catalog.planning.expected import Expected, expected, words_before

_TOKEN = re.compile(
    r"""(?P<space>\s+ | --[^\n]* | /\*.*?(?:\*/|\Z))
      | (?P<string>'(?:[^'\\]|\\.|'')*(?:'|\Z))
      | (?P<quoted>`(?:[^`]|``)*(?:`|\Z) | "(?:[^"]|"")*(?:"|\Z))
      | (?P<word>[^\W\d]\w*)
      | (?P<number>\d[\w.]*)
      | (?P<mark>.)""",
    re.VERBOSE | re.DOTALL,
)
_SHORT = {"quoted": "x", "string": "s", "number": "n"}
"""What stands for tokens whose text says nothing of a statement's form."""
_RELATION_WORDS = frozenset({"FROM", "JOIN"})
_TARGET = {"INSERT": 2, "MERGE": 2, "UPDATE": 1}
"""How many words stand before the name of the table that a statement changes."""
_NO_ALIAS = frozenset(
    re.findall(
        r"\w+",
        """ON USING WHERE GROUP ORDER HAVING LIMIT JOIN LEFT RIGHT INNER OUTER FULL CROSS NATURAL
        UNION EXCEPT INTERSECT LATERAL VERSION TIMESTAMP FOR QUALIFY WINDOW OFFSET SEMI ANTI
        TABLESAMPLE PIVOT UNPIVOT SELECT SET WHEN VALUES BY""",
    )
)


@dataclass(frozen=True)
class _Token:
    kind: str
    text: str
    start: int
    end: int

    @property
    def upper(self) -> str:
        return self.text.upper() if self.kind == "word" else ""

    @property
    def name(self) -> str:
        if self.kind != "quoted":
            return self.text
        mark = self.text[0]
        body = self.text[1:-1] if len(self.text) > 1 and self.text[-1] == mark else self.text[1:]
        return body.replace(mark * 2, mark)


@dataclass(frozen=True)
class Cursor:
    """What is being typed.

    ``before`` are the finished parts of a dotted name, ``word`` the part under the cursor, which
    replaces ``start`` to ``end``. ``wants`` is what belongs here. ``scope`` are the relations of
    the statement, by alias where they have one; ``target`` is the table that it changes, if it is
    one of INSERT, UPDATE or MERGE.
    """

    start: int
    end: int
    before: tuple[str, ...]
    word: str
    wants: Expected
    in_text: bool
    scope: tuple[tuple[str, tuple[str, ...]], ...]
    target: tuple[str, ...] = ()

    @property
    def wants_relation(self) -> bool:
        """Whether the name of a table belongs here."""
        return self.wants.kind == "relation"


def read_cursor(text: str, position: int) -> Cursor:
    """Read the statement around ``position``; one outside the text counts as its end."""
    at = _index(text, position)
    tokens = _statement([_token(match) for match in _TOKEN.finditer(text)], at)
    solid = [token for token in tokens if token.kind != "space"]
    inside = next((t for t in tokens if t.start < at < t.end or _open_at(t, at)), None)
    in_text = bool(inside and (inside.kind == "string" or _is_comment(inside)))
    left = [token for token in solid if token.end <= at or token is inside]
    word, start = "", at
    if left and left[-1].kind in ("word", "quoted") and left[-1].end >= at:
        current = left.pop()
        word, start = _Token(current.kind, text[current.start : at], 0, 0).name, current.start
    before: list[str] = []
    while left and left[-1].text == ".":
        left.pop()
        if left and left[-1].kind in ("word", "quoted"):
            before.append(left.pop().name)
    return Cursor(
        start=_units(text, start),
        end=_units(text, at),
        before=tuple(reversed(before)),
        word=word,
        wants=_wants(left),
        in_text=in_text,
        scope=tuple(_scope(solid, start)),
        target=_name(solid, _target_index(solid), start)[0] if _changes(solid) else (),
    )


def _token(match: re.Match[str]) -> _Token:
    return _Token(match.lastgroup or "mark", match.group(), match.start(), match.end())


def _statement(tokens: list[_Token], at: int) -> list[_Token]:
    begin, finish = 0, len(tokens)
    for index, token in enumerate(tokens):
        if token.text == ";" and token.kind == "mark":
            if token.end <= at:
                begin = index + 1
            else:
                finish = index
                break
    return tokens[begin:finish]


def _open_at(token: _Token, at: int) -> bool:
    return token.end == at and token.kind == "string" and not token.text.endswith("'")


def _is_comment(token: _Token) -> bool:
    return token.kind == "space" and token.text.startswith(("--", "/*"))


def _wants(left: list[_Token]) -> Expected:
    wants = expected(
        words_before(token.upper or _SHORT.get(token.kind, token.text) for token in left)
    )
    if wants.kind == "any" and _wants_relation(left):
        return Expected("relation")
    return wants


def _wants_relation(left: list[_Token]) -> bool:
    """Whether FROM or JOIN is what comes before, with only names and commas between."""
    for token in reversed(left):
        if token.upper in _RELATION_WORDS:
            return True
        if token.text == "," or token.text == ".":
            continue
        follows_comma = left and left[-1].text == ","
        if not follows_comma or token.kind not in ("word", "quoted") or token.upper in _NO_ALIAS:
            return False
    return False


def _scope(tokens: list[_Token], skip: int) -> list[tuple[str, tuple[str, ...]]]:
    """Relations after FROM, JOIN and the commas that follow, but not the one being typed.

    UPDATE and MERGE change one that they also read, and USING names what a MERGE reads besides.
    """
    found: list[tuple[str, tuple[str, ...]]] = []
    first = tokens[0].upper if tokens else ""
    begins = {"FROM", "JOIN", "USING"} if first == "MERGE" else {"FROM", "JOIN"}
    read_too = _target_index(tokens) - 1 if first in ("UPDATE", "MERGE") else -1
    index = 0
    while index < len(tokens):
        index += 1
        if tokens[index - 1].upper not in begins and index - 1 != read_too:
            continue
        while True:
            parts, index, typed = _name(tokens, index, skip)
            if not parts:
                break
            alias, index = _alias(tokens, index)
            if not typed:
                found.append((alias or parts[-1], parts))
            if index >= len(tokens) or tokens[index].text != ",":
                break
            index += 1
    return found


def _changes(tokens: list[_Token]) -> bool:
    return bool(tokens) and tokens[0].upper in _TARGET


def _target_index(tokens: list[_Token]) -> int:
    """Where the name of the table that a statement changes begins."""
    index = _TARGET[tokens[0].upper]
    takes_more = len(tokens) > index and tokens[0].upper == "INSERT"
    return index + 1 if takes_more and tokens[index].upper == "TABLE" else index


def _name(tokens: list[_Token], index: int, skip: int) -> tuple[tuple[str, ...], int, bool]:
    parts: list[str] = []
    typed = False
    while index < len(tokens) and tokens[index].kind in ("word", "quoted"):
        typed = typed or tokens[index].start == skip
        parts.append(tokens[index].name)
        index += 1
        if index >= len(tokens) or tokens[index].text != ".":
            break
        index += 1
    return tuple(parts), index, typed


def _alias(tokens: list[_Token], index: int) -> tuple[str | None, int]:
    if index < len(tokens) and tokens[index].upper == "AS":
        index += 1
    token = tokens[index] if index < len(tokens) else None
    if token and token.kind in ("word", "quoted") and token.upper not in _NO_ALIAS:
        return token.name, index + 1
    return None, index


def _index(text: str, units: int) -> int:
    seen = 0
    for index, char in enumerate(text):
        if seen >= units:
            return index
        seen += 2 if ord(char) > 0xFFFF else 1
    return len(text)


def _units(text: str, index: int) -> int:
    return index + sum(ord(char) > 0xFFFF for char in text[:index])
