"""What may be a name, and how names are written and compared.

Names are case-insensitive and case-preserving: two names are the same when their `name_key`s are.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass

from flowcat_jupyter.shared.errors import Invalid, SqlError

MAX_LENGTH = 255
RESERVED_PREFIX = "__flowcat_"

_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z")
_INVISIBLE = {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}
# Words that the SQL parser would not take as a bare identifier in every position.
_RESERVED = frozenset(
    re.findall(
        r"\w+",
        """all alter and anti any as asc between both by case cast check collate column constraint
    create cross current_date current_time current_timestamp current_user delete desc
    describe distinct drop else end escape except exists explain false fetch filter first for
    foreign from full grant group having if ilike in inner insert intersect interval into is join
    last lateral left like limit merge minus natural not null nulls of offset on only or order
    outer over overlaps pivot primary qualify range references right rlike row rows schema select
    semi set show some table tablesample then time timestamp to trailing true truncate union
    unique unknown unpivot update user using values version view when where window with""",
    )
)


def check_name(name: str, kind: str = "name") -> str:
    """Return ``name`` unchanged when it may be the name of a catalog, schema, table or view.

    :raises Invalid: it is empty or too long, holds a dot, a path separator, a control or
        invisible character, starts or ends with white space, or begins with ``__flowcat_``.
    """
    reason = _fault(name)
    if reason:
        raise Invalid(
            f"{name!r} cannot be the name of a {kind}: {reason}.",
            condition="INVALID_IDENTIFIER",
            sqlstate="42602",
            hint="Use letters, digits, spaces, dashes and underscores.",
        )
    return name


def _fault(name: str) -> str | None:
    if not name:
        return "it is empty"
    if len(name) > MAX_LENGTH:
        return f"it is longer than {MAX_LENGTH} characters"
    if name != name.strip():
        return "it begins or ends with white space"
    if any(mark in name for mark in "./\\"):
        return "a dot or slash separates the parts of a name"
    if any(unicodedata.category(char) in _INVISIBLE for char in name):
        return "it holds a control or invisible character"
    if name.casefold().startswith(RESERVED_PREFIX):
        return f"names beginning {RESERVED_PREFIX} are kept for the catalog itself"
    return None


def name_key(name: str) -> str:
    """The form in which two names are compared: NFC, case folded."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", name).casefold())


def quote(name: str) -> str:
    """``name`` as a SQL identifier, in back-ticks only where it must be."""
    if _PLAIN.match(name) and name.casefold() not in _RESERVED:
        return name
    return back_ticked(name)


def text_literal(text: str) -> str:
    """A text in single quotes, as SQL that reads back as itself."""
    escaped = text.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"


def back_ticked(name: str) -> str:
    """``name`` in back-ticks, whether it needs them or not."""
    return "`" + name.replace("`", "``") + "`"


@dataclass(frozen=True)
class TableName:
    """A name of one to three parts, last part the table's."""

    parts: tuple[str, ...]

    @classmethod
    def parse(cls, text: str) -> TableName:
        """Read ``catalog.schema.table``, ``schema.table`` or ``table``; parts may be quoted.

        :raises SqlError: a part is empty, a quote is open, or there are more than three parts.
        """
        parts = tuple(_split(text))
        if not all(parts) or not 1 <= len(parts) <= 3:
            raise SqlError(
                f"{text!r} is not a table's name.",
                condition="PARSE_SYNTAX_ERROR",
                sqlstate="42601",
                hint="Write catalog.schema.table, quoting a part as `my table` where needed.",
            )
        return cls(parts)

    @property
    def leaf(self) -> str:
        """The last part."""
        return self.parts[-1]

    @property
    def sql(self) -> str:
        """The name as SQL text."""
        return ".".join(quote(part) for part in self.parts)

    def __str__(self) -> str:
        """The name as SQL text."""
        return self.sql


def _split(text: str) -> list[str]:
    parts: list[str] = []
    rest = text.strip()
    while True:
        part, rest = _take(rest, text)
        parts.append(part)
        if not rest:
            return parts
        if not rest.startswith("."):
            return [""]
        rest = rest[1:].lstrip()


def _take(rest: str, whole: str) -> tuple[str, str]:
    if rest[:1] not in ('"', "`"):
        end = rest.find(".")
        return (rest, "") if end < 0 else (rest[:end].strip(), rest[end:])
    mark = rest[0]
    end = 1
    while True:
        end = rest.find(mark, end)
        if end < 0:
            raise SqlError(
                f"A quote is not closed in {whole!r}.",
                condition="PARSE_SYNTAX_ERROR",
                sqlstate="42601",
            )
        if rest[end + 1 : end + 2] != mark:
            return rest[1:end].replace(mark * 2, mark), rest[end + 1 :].lstrip()
        end += 2
