"""JSON text as a stream of objects, with the line every one began on."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from decimal import Decimal
from math import isinf
from typing import Any, NamedTuple, TextIO

from flowcat_jupyter.formats.files_rejects import BadRows
from flowcat_jupyter.shared.errors import Invalid

BLOCK_CHARS = 1 << 20
MAX_VALUE = 64 << 20
_SPACE = " \t\r\n"
_HUGE = re.compile(r"[eE]\+?[0-9]{3}")
_DIGITS = 309
_LONG = re.compile(rf"[0-9]{{{_DIGITS}}}")
_SHOWN = 20
_DOUBLE_DIGITS = 17
_MANY_DIGITS = re.compile(rf"[0-9.]{{{_DOUBLE_DIGITS + 2}}}")
_TOO_DEEP = "nested too deeply"
# Well below what Python's own writer and reader of JSON can do on a stack that others use, too.
MAX_NESTING = 500


class Numbered(NamedTuple):
    """An object, the line it began on, and how many characters it took.

    A number with a fraction is a float, or a Decimal where a float would lose digits of it.
    """

    line: int
    row: dict[str, Any]
    size: int


def looks_like(head: str) -> str | None:
    """``json`` or ``ndjson`` when the text begins as one of them does, else None."""
    text = head.lstrip(_SPACE + "\ufeff")
    if text.startswith("["):
        return "json" if text[1:].lstrip(_SPACE)[:1] in ("{", "]", "") else _scalars(text)
    if not text.startswith("{"):
        return None
    first, _, rest = text.partition("\n")
    if _parses(first):
        return "ndjson" if rest.strip() else "json"
    return "json" if text[1:].lstrip(_SPACE)[:1] in ('"', "}", "") else None


def _scalars(text: str) -> str | None:
    return "json" if _parses(text.rstrip(_SPACE)) else None


def _parses(text: str) -> bool:
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def ndjson_objects(text: TextIO, bad: BadRows) -> Iterator[Numbered]:
    """One object from every line that is not blank; other lines are set aside in ``bad``."""
    number = 0
    while line := text.readline(MAX_VALUE):
        number += 1
        if len(line) >= MAX_VALUE:
            raise _too_long(number)
        if line.isspace():
            continue
        try:
            value = _exact(json.loads(line), line)
        except (ValueError, RecursionError) as e:
            bad.add(number, _why(e), line)
            continue
        reason = _unfit(value, line)
        if reason:
            bad.add(number, reason, line)
        else:
            yield Numbered(number, value, len(line))


def json_objects(text: TextIO, bad: BadRows) -> Iterator[Numbered]:
    """The objects of one array, or the one object that the text is. Elements that cannot be rows
    are set aside in ``bad``.

    :raises Invalid: the text is not JSON, or neither an array nor an object.
    """
    buffer = _Buffer(text)
    mark = buffer.peek()
    if mark == "[":
        buffer.skip()
        yield from _elements(buffer, bad)
    else:
        yield buffer.value()
    if buffer.peek():
        raise Invalid(
            f"Line {buffer.line}: there is more after the end of the JSON value.",
            hint="If every line is an object of its own, the format is ndjson.",
        )


def _elements(buffer: _Buffer, bad: BadRows) -> Iterator[Numbered]:
    if buffer.peek() == "]":
        buffer.skip()
        return
    while True:
        element = buffer.element(bad)
        if element is not None:
            yield element
        mark = buffer.peek()
        if mark not in (",", "]"):
            found = repr(mark) if mark else "the end of the file"
            raise Invalid(f"Line {buffer.line}: a comma or ] was expected, not {found}.")
        buffer.skip()
        if mark == "]":
            return


class _Buffer:
    """The part of a text that is being parsed."""

    def __init__(self, text: TextIO) -> None:
        self._text = text
        self._held = ""
        self._at = 0
        self._decoder = json.JSONDecoder()
        self.line = 1

    def _more(self, size: int = BLOCK_CHARS) -> bool:
        block = self._text.read(size)
        self._held = self._held[self._at :] + block
        self._at = 0
        return bool(block)

    def peek(self) -> str:
        """The next character that is not white space, or nothing at the end."""
        while True:
            start = self._at
            while self._at < len(self._held) and self._held[self._at] in _SPACE:
                self._at += 1
            self.line += self._held.count("\n", start, self._at)
            if self._at < len(self._held):
                return self._held[self._at]
            if not self._more():
                return ""

    def skip(self) -> None:
        """Pass the character that `peek` gave."""
        self._at += 1

    def value(self) -> Numbered:
        """The next value, which must be an object.

        :raises Invalid: it is none, or no row can be made of it.
        """
        value, raw, reason = self._next()
        if reason:
            other = not isinstance(value, dict)
            hint = "Only objects can become the rows of a table." if other else "Correct the file."
            raise Invalid(f"Line {self.line}: {reason}.", hint=hint)
        return self._passed(value, raw)

    def element(self, bad: BadRows) -> Numbered | None:
        """The next value; one that no row can be made of is set aside."""
        value, raw, reason = self._next()
        if reason:
            bad.add(self.line, reason, raw)
        found = self._passed(value, raw)
        return None if reason else found

    def _next(self) -> tuple[Any, str, str | None]:
        self.peek()
        value, end = self._decode()
        raw = self._held[self._at : end]
        value = _exact(value, raw)
        return value, raw, _unfit(value, raw)

    def _passed(self, value: Any, raw: str) -> Numbered:
        line = self.line
        self.line += raw.count("\n")
        self._at += len(raw)
        return Numbered(line, value, len(raw))

    def _decode(self) -> tuple[Any, int]:
        size = BLOCK_CHARS
        while True:
            try:
                return self._decoder.raw_decode(self._held, self._at)
            except RecursionError as e:
                raise Invalid(f"Line {self.line}: {_why(e)}.") from e
            except ValueError as e:
                if len(self._held) - self._at > MAX_VALUE:
                    raise _too_long(self.line) from e
                # It may only be cut off; asking for twice as much each time keeps this linear.
                size *= 2
                if not self._more(size):
                    raise Invalid(f"Line {self.line}: {_why(e)}.") from e


def _exact(value: Any, raw: str) -> Any:
    """``value``, which was parsed from ``raw``, with the numbers that floats would cut."""
    return json.loads(raw, parse_float=_number) if _MANY_DIGITS.search(raw) else value


def _number(text: str) -> float | Decimal:
    value = float(text)
    if len(text) <= _DOUBLE_DIGITS + 1 or isinf(value):
        return value
    exact = Decimal(text)
    cut = len(exact.as_tuple().digits) > _DOUBLE_DIGITS and exact != Decimal(repr(value))
    return exact if cut else value


def _depth(value: object) -> int:
    """How many objects and arrays are within each other."""
    depth, level = 0, [value]
    while level := [part for part in level if isinstance(part, (dict, list))]:
        depth += 1
        level = [inside for part in level for inside in _inside(part)]
    return depth


def _inside(value: Any) -> Iterable[Any]:
    return value.values() if isinstance(value, dict) else value


def _unfit(value: object, raw: str) -> str | None:
    if not isinstance(value, dict):
        return f"{_KINDS.get(type(value), 'a value')} where an object was expected"
    if raw.count("{") + raw.count("[") > MAX_NESTING and _depth(value) > MAX_NESTING:
        return _TOO_DEEP
    if "\\u" in raw and not _encodes(value):
        return "half of a surrogate pair, which is no character"
    if _HUGE.search(raw) or (len(raw) >= _DIGITS and _LONG.search(raw)):
        huge = _beyond_doubles(raw)
        if huge:
            return f"the number {huge} is larger than any that can be stored"
    # Counting colons is cheap; only where there are more than keys must the text be parsed again.
    if raw.count('":') + raw.count('" :') > len(value):
        return _repeated_key(raw)
    return None


def _beyond_doubles(raw: str) -> str | None:
    """The first number that would silently become infinite."""
    found: list[str] = []

    def look(text: str) -> float:
        number = float(text)
        if isinf(number):
            found.append(text if len(text) <= _SHOWN else text[:_SHOWN] + "…")
        return number

    json.loads(raw, parse_float=look)
    return found[0] if found else None


def _repeated_key(raw: str) -> str | None:
    repeated: list[str] = []

    def look(pairs: list[tuple[str, Any]]) -> None:
        seen: set[str] = set()
        for key, _ in pairs:
            if key in seen:
                repeated.append(key)
            seen.add(key)

    json.loads(raw, object_pairs_hook=look)
    return f"the key {repeated[0]!r} is repeated" if repeated else None


def _encodes(value: object) -> bool:
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return False
    return True


_KINDS: dict[type, str] = {
    list: "an array",
    str: "a text",
    int: "a number",
    float: "a number",
    Decimal: "a number",
    bool: "a boolean",
    type(None): "null",
}


def _why(error: Exception) -> str:
    if isinstance(error, json.JSONDecodeError):
        return f"not JSON ({error.msg} at character {error.colno})"
    if isinstance(error, RecursionError):
        return _TOO_DEEP
    return f"not JSON ({error})"


def _too_long(line: int) -> Invalid:
    return Invalid(
        f"The value on line {line} is longer than {MAX_VALUE >> 20} MB.",
        hint="A JSON file must be an array of objects, or an object on every line.",
    )
