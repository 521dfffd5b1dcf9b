"""Java's regular expressions as the engine's, where both can mean the same.

Java's classes are of ASCII, its dot stops at five line ends, and its ``$`` matches before a last
line end; the engine's classes are of Unicode, and its ``$`` is the end. What has no equal -
look-around, back-references, possessive quantifiers, classes within classes - is refused.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from sqlglot import exp

from flowcat_jupyter.sql.dialect import refusal

_CLASSES = {"d": "0-9", "w": "a-zA-Z_0-9", "s": r" \t\n\x0B\f\r"}
_CONTROLS = {"t": r"\t", "n": r"\n", "r": r"\r", "f": r"\x0C", "a": r"\x07", "e": r"\x1B"}
_DOT = r"[^\n\r\x{85}\x{2028}\x{2029}]"
_LINE_END = r"(?:\r\n|[\n\r\x{85}\x{2028}\x{2029}])?"
_QUANTIFIER = re.compile(r"[*+?]|\{(\d{1,4})(?:,(\d{0,4}))?\}")
_MOST_REPEATS = 1000
_MOST_GROUPS = 9
_CATEGORY = re.compile(
    r"\\[pP]\{(?:[LMNPSZC]|L[ulmto]|M[nce]|N[dlo]|P[cdseifo]|S[mcko]|Z[slp]|C[cfo])\}"
)
_FLAGS = re.compile(r"\(\?([is]+)\)")
_MARKS = frozenset(r"\.+*?()|[]{}^$/-'\"!@#%&=<>:;,_~` ")


@dataclass(slots=True)
class Pattern:
    """A pattern translated: ``text`` for the engine, the number of its ``groups``.

    ``ends`` tells that it ends with ``$``, which is left to `anchored`; ``placed`` that it asks
    for what stands around a match.
    """

    text: str = ""
    groups: int = 0
    ends: bool = False
    placed: bool = False
    depth: int = 0
    alternatives: bool = False
    inner_ends: bool = False
    folds: bool = False
    dotall: bool = False
    _out: list[str] = field(default_factory=list)


def translate(java: str, node: exp.Expression | None = None) -> Pattern:
    """The engine's pattern for one of Java's.

    :raises SqlError: it holds what has no equal.
    """
    made = Pattern()
    at = 0
    flags = _FLAGS.match(java)
    if flags:
        made.folds, made.dotall = "i" in flags[1], "s" in flags[1]
        at = flags.end()
    while at < len(java):
        at = _piece(java, at, made, node)
    if made.depth:
        raise _refused("a bracket that is not closed", node)
    made.text = "".join(made._out)
    return made


def searched(java: str, node: exp.Expression | None = None) -> str:
    """The pattern for asking whether it is found somewhere."""
    made = translate(java, node)
    return f"{made.text}{_LINE_END}$" if made.ends else made.text


def extracting(java: str, node: exp.Expression | None = None) -> tuple[str, int, Pattern]:
    """The pattern for taking groups out, and by how much they are moved up.

    :raises SqlError: a ``$`` stands anywhere but at the end.
    """
    made = translate(java, node)
    if made.inner_ends or (made.ends and made.alternatives):
        raise _refused("$ before the end of the pattern", node)
    if made.ends:
        return f"({made.text}){_LINE_END}$", 1, made
    return made.text, 0, made


def replacing(java: str, node: exp.Expression | None = None) -> tuple[str, int, int, Pattern]:
    """The pattern for replacing, by how much its groups are moved up, and the group that takes
    what a ``$`` stands before, to be put back; 0 where there is none.

    :raises SqlError: see `extracting`.
    """
    made, moved, pattern = extracting(java, node)
    if not pattern.ends:
        return made, moved, 0, pattern
    return f"({pattern.text})({_LINE_END})$", moved, pattern.groups + 2, pattern


def _refused(what: str, node: exp.Expression | None) -> Exception:
    return refusal(f"{what} in a regular expression", node)


def _piece(java: str, at: int, made: Pattern, node: exp.Expression | None) -> int:
    """Translate one piece; the place after it."""
    mark = java[at]
    if mark == "\\":
        return _escape(java, at, made, node)
    if mark == "[":
        return _class(java, at, made, node)
    if mark in "()|":
        return _group(java, at, made, node)
    if mark == "$":
        return _end(java, at, made)
    if mark in "*+?{":
        return _quantifier(java, at, made, node)
    if mark == "^":
        made.placed = True
    made._out.append(
        {"^": "^", ".": "(?s:.)" if made.dotall else _DOT}.get(mark) or _literal(mark, made, node)
    )
    return at + 1


def _literal(mark: str, made: Pattern, node: exp.Expression | None) -> str:
    if made.folds and mark.isalpha():
        if not mark.isascii():
            raise _refused("(?i) beside a letter outside ASCII", node)
        return f"[{mark.lower()}{mark.upper()}]"
    return re.escape(mark) if mark in _MARKS and mark not in " -'\"!@%=<>:;,_`/" else mark


def _escape(java: str, at: int, made: Pattern, node: exp.Expression | None) -> int:
    mark = java[at + 1 : at + 2]
    if mark.lower() in _CLASSES and mark:
        made._out.append(f"[{'^' if mark.isupper() else ''}{_CLASSES[mark.lower()]}]")
    elif mark in ("b", "B"):
        made.placed = True
        made._out.append(f"\\{mark}")
    elif mark in _CONTROLS:
        made._out.append(_CONTROLS[mark])
    elif category := _CATEGORY.match(java, at):
        made._out.append(category.group())
        return category.end()
    elif mark and mark in _MARKS:
        made._out.append(re.escape(mark))
    else:
        raise _refused(f"\\{mark}", node)
    return at + 2


def _class(java: str, at: int, made: Pattern, node: exp.Expression | None) -> int:
    end = at + 1
    negated = java.startswith("^", end)
    end += negated
    items: list[str] = []
    while end < len(java) and java[end] != "]":
        if java[end] == "[" or java.startswith("&&", end):
            raise _refused("a class within a class", node)
        item, end = _member(java, end, made, node)
        items.append(item)
    if end >= len(java) or not items:
        raise _refused("a class that is empty or not closed", node)
    made._out.append(f"[{'^' if negated else ''}{''.join(items)}]")
    return end + 1


def _member(java: str, at: int, made: Pattern, node: exp.Expression | None) -> tuple[str, int]:
    mark = java[at]
    if mark == "\\":
        following = java[at + 1 : at + 2]
        if following in _CLASSES:
            return _CLASSES[following], at + 2
        if following in _CONTROLS:
            return _CONTROLS[following], at + 2
        if not following or following not in _MARKS:
            raise _refused(f"\\{following} in a class", node)
        return f"\\{following}" if following in r"\]^[-" else _safe(following), at + 2
    upto = java[at + 2 : at + 3]
    if java[at + 1 : at + 2] == "-" and upto not in ("]", "\\", "["):
        return _range(mark, upto, made, node), at + 3
    if made.folds and mark.isalpha():
        if not mark.isascii():
            raise _refused("(?i) beside a letter outside ASCII", node)
        return mark.lower() + mark.upper(), at + 1
    return _safe(mark), at + 1


def _safe(mark: str) -> str:
    return f"\\{mark}" if mark in "^-[]&~\\" else mark


def _range(first: str, last: str, made: Pattern, node: exp.Expression | None) -> str:
    if not last or first > last:
        raise _refused("a range that goes backwards", node)
    text = f"{_safe(first)}-{_safe(last)}"
    if not made.folds:
        return text
    if (first, last) in (("a", "z"), ("A", "Z")):
        return "a-zA-Z"
    if any(mark.isalpha() for mark in (first, last)) or not last.isdigit():
        raise _refused("(?i) beside a range of letters", node)
    return text


def _group(java: str, at: int, made: Pattern, node: exp.Expression | None) -> int:
    mark = java[at]
    if mark == "|":
        made.alternatives = made.alternatives or made.depth == 0
        made._out.append(mark)
        return at + 1
    if mark == ")":
        made.depth -= 1
        if made.depth < 0:
            raise _refused("a bracket that was not opened", node)
        made._out.append(mark)
        return at + 1
    made.depth += 1
    if java.startswith("(?:", at):
        made._out.append("(?:")
        return at + 3
    if java.startswith("(?", at):
        raise _refused(java[at : at + 3], node)
    made.groups += 1
    made._out.append("(")
    return at + 1


def _end(java: str, at: int, made: Pattern) -> int:
    made.placed = True
    if at == len(java) - 1 and not made.depth and not made.alternatives:
        made.ends = True
        return at + 1
    made.inner_ends = True
    made._out.append(f"{_LINE_END}$")
    return at + 1


def _quantifier(java: str, at: int, made: Pattern, node: exp.Expression | None) -> int:
    match = _QUANTIFIER.match(java, at)
    if match is None or not made._out or made._out[-1] in ("(", "(?:", "|", "^"):
        raise _refused(f"{java[at]} that repeats nothing", node)
    least, most = (int(item or 0) for item in match.groups())
    if max(least, most) > _MOST_REPEATS or (match[2] and least > most):
        raise _refused(f"the repetition {match.group()}", node)
    end = match.end()
    if java.startswith("+", end):
        raise _refused("a possessive quantifier", node)
    lazy = java.startswith("?", end)
    made._out.append(match.group() + ("?" if lazy else ""))
    end += lazy
    if java[end : end + 1] in ("*", "?", "{"):
        raise _refused("a quantifier of a quantifier", node)
    return end


def replacement(
    java: str, made: Pattern, moved: int, kept: int, node: exp.Expression | None = None
) -> str:
    """A replacement of Java's as engines write it, ``\\1`` being a group; then the group ``kept``.

    :raises SqlError: it names a group that is not there, or one beyond the ninth.
    """
    if max(made.groups + moved, kept) > _MOST_GROUPS:
        raise _refused(f"more than {_MOST_GROUPS} groups", node)
    out, at = "", 0
    while at < len(java):
        mark, following = java[at], java[at + 1 : at + 2]
        if mark not in "\\$":
            out += mark
            at += 1
            continue
        if mark == "\\" and not following:
            raise _refused("a backslash at the end of the replacement", node)
        out += _group_of(java, at, made, moved, node) if mark == "$" else _plain(following)
        at += 2
    return out + (f"\\{kept}" if kept else "")


def _plain(mark: str) -> str:
    return "\\\\" if mark == "\\" else mark


def _group_of(java: str, at: int, made: Pattern, moved: int, node: exp.Expression | None) -> str:
    following = java[at + 1 : at + 2]
    if not following.isdigit() or int(following) > made.groups:
        raise _refused(f"${following} in the replacement, which is no group,", node)
    if java[at + 2 : at + 3].isdigit():
        raise _refused("a digit after a group in the replacement", node)
    # The whole match, where groups were moved up, is the first of them.
    return f"\\{int(following) + moved}"
