"""Which frames a text of SQL names: the ``:df`` that stand where a table may stand.

Elsewhere ``:df`` is a bound value. A kernel asks this before it sends a frame, the server for a
frame's place in the text; what the text means is decided on its tree alone.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

_TOKEN = re.compile(
    r"""--[^\n]* | /\*.*?(?:\*/|\Z) | '(?:[^'\\]|\\.|'')*'
      | (?P<other>"(?:[^"]|"")*" | `(?:[^`]|``)*` | ::)
      | :\s*(?P<bound>[^\W\d]\w*)
      | (?P<word>\w+)
      | (?P<mark>[(),;])""",
    re.VERBOSE | re.DOTALL,
)
_ENDS_FROM = frozenset(
    re.findall(
        r"\w+",
        "SELECT WHERE GROUP HAVING ORDER SORT CLUSTER DISTRIBUTE LIMIT OFFSET UNION EXCEPT "
        "INTERSECT MINUS WINDOW QUALIFY FETCH SET VALUES",
    )
)


@dataclass(frozen=True)
class NamedFrame:
    """``name`` without its colon, which is at ``offset`` (from 0)."""

    name: str
    offset: int


@dataclass
class _Group:
    """What is between two parentheses, as far as it has been read.

    ``expects``: a table may begin here; ``in_from``: one may after the next comma.
    """

    expects: bool = False
    in_from: bool = False
    is_query: bool = False
    empty: bool = True


def named_frames(text: str) -> tuple[NamedFrame, ...]:
    """The frames named in ``text``, in order, each as often as it is named."""
    reader = _Reader()
    for match in _TOKEN.finditer(text):
        if match.lastgroup is not None:
            reader.read(match)
    return tuple(reader.found)


class _Reader:
    def __init__(self) -> None:
        self.found: list[NamedFrame] = []
        self._groups = [_Group(is_query=True)]
        self._previous = ""

    def read(self, match: re.Match[str]) -> None:
        group = self._groups[-1]
        text = match[str(match.lastgroup)]
        if match.lastgroup == "mark":
            self._mark(text, group)
        elif match.lastgroup == "word":
            self._word(text.upper(), group)
        else:
            if match.lastgroup == "bound" and group.expects:
                self.found.append(NamedFrame(text, match.start()))
            group.expects = False
        group.empty = False
        self._previous = text.upper()

    def _mark(self, mark: str, group: _Group) -> None:
        if mark == "(":
            self._groups.append(_Group(group.expects, group.expects))
        elif mark == ")" and len(self._groups) > 1:
            self._groups.pop()
            self._groups[-1].expects = False
        elif mark == ",":
            group.expects = group.in_from
        elif mark == ";":
            self._groups = [_Group(is_query=True)]

    def _word(self, word: str, group: _Group) -> None:
        if word == "FROM":
            # As in EXTRACT(day FROM x) and IS DISTINCT FROM it begins no list of tables.
            begins = group.is_query or group.empty
            begins = begins and self._previous != "DISTINCT"
            group.expects, group.in_from = begins, group.in_from or begins
        elif word in ("JOIN", "USING"):
            group.expects, group.in_from = True, group.in_from or word == "JOIN"
        else:
            group.expects = False
            group.in_from = group.in_from and word not in _ENDS_FROM
        group.is_query = group.is_query or word in ("SELECT", "WITH", "FROM", "JOIN")
