"""Java's patterns of days and times, as Spark's options have them, in polars' own letters."""

from __future__ import annotations

import re
from collections.abc import Iterator

from flowcat_jupyter.formats.options import Option, Options
from flowcat_jupyter.formats.source_values import Pattern, Spelling

_TOKEN = re.compile(r"'((?:[^']|'')*)'|([A-Za-z])\2*|(.)", re.DOTALL)
_LETTERS = {
    "yyyy": "%Y",
    "uuuu": "%Y",
    "y": "%Y",
    "u": "%Y",
    "yy": "%y",
    "uu": "%y",
    "MM": "%m",
    "LL": "%m",
    "M": "%-m",
    "L": "%-m",
    "MMM": "%b",
    "LLL": "%b",
    "MMMM": "%B",
    "LLLL": "%B",
    "dd": "%d",
    "d": "%-d",
    "D": "%-j",
    "DDD": "%j",
    "HH": "%H",
    "H": "%-H",
    "hh": "%I",
    "h": "%-I",
    "mm": "%M",
    "m": "%-M",
    "ss": "%S",
    "s": "%-S",
    "a": "%p",
    "E": "%a",
    "EE": "%a",
    "EEE": "%a",
    "EEEE": "%A",
    # One way to read an offset takes them all, and Z.
    **dict.fromkeys(("XXX", "xxx", "XX", "xx", "X", "x", "Z"), "%#z"),
}
_FRACTIONS = {3: "%3f", 6: "%6f", 9: "%9f"}
_DAYS_OF_YEAR = {"%j", "%-j"}
_WITHIN = {"%m": {"%m", "%-m", "%b", "%B"}, "%d": {"%d", "%-d"}}
_TIMED = ("%H", "%-H", "%I", "%-I")
MOST_OPTIONAL = 4


def patterns(said: str) -> tuple[Pattern, ...]:
    """A Java pattern; each ``[…]`` in it may be there or not, so it may be several.

    :raises ValueError: it has a letter that has no counterpart, which is named.
    """
    return tuple(_translated(text) for text in _alternatives(said))


def _alternatives(said: str) -> list[str]:
    if said.count("[") > MOST_OPTIONAL:
        raise ValueError(f"it has more than {MOST_OPTIONAL} optional parts")
    found = re.search(r"\[([^\[\]]*)\]", said)
    if found is None:
        if "[" in said or "]" in said:
            raise ValueError("its square brackets do not match")
        return [said]
    before, after = said[: found.start()], said[found.end() :]
    return [
        *_alternatives(before + found.group(1) + after),
        *_alternatives(before + after),
    ]


def _translated(said: str) -> Pattern:
    text = "".join(_parts(said))
    codes = set(re.findall(r"%[-#]?[0-9]?[a-zA-Z]", text))
    if not codes & {"%Y", "%y"}:
        raise ValueError("it has no year")
    timed = any(code in codes for code in _TIMED)
    if timed and not codes & {"%M", "%-M"}:
        raise ValueError("it has hours and no minutes")
    suffix = ""
    if not codes & _DAYS_OF_YEAR:
        for missing in ("%m", "%d"):
            if not codes & _WITHIN[missing]:
                text, suffix = f"{text} {missing}", f"{suffix} 1"
    return Pattern(text, timed, "%#z" in codes, suffix)


def _parts(said: str) -> Iterator[str]:
    for found in _TOKEN.finditer(said):
        quoted, letter, mark = found.groups()
        word = found.group()
        if letter is None:
            literal = mark if quoted is None else quoted.replace("''", "'") or "'"
            yield literal.replace("%", "%%")
        elif letter == "S":
            if len(word) not in _FRACTIONS:
                raise ValueError("fractions of a second are SSS, SSSSSS or SSSSSSSSS")
            yield _FRACTIONS[len(word)]
        elif word in _LETTERS:
            yield _LETTERS[word]
        else:
            raise ValueError(f"the letters {word} are not supported in it")


def _pattern(name: str) -> Option:
    return Option(name, patterns, "a pattern such as dd/MM/yyyy HH:mm:ss", ())


PATTERNS = (_pattern("dateFormat"), _pattern("timestampFormat"), _pattern("timestampNTZFormat"))
"""The options that take such patterns; where nobody says one, ISO 8601 is meant."""


def spelling(options: Options) -> Spelling:
    """How a format's options say values are written."""
    return Spelling(
        zone=options["timeZone"],
        dates=options["dateFormat"],
        times=options["timestampFormat"],
        nan=options.get("nanValue", "NaN"),
        positive=options.get("positiveInf", "Inf"),
        negative=options.get("negativeInf", "-Inf"),
    )
