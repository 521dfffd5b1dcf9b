"""Canonical YAML: a strict reader and a writer with one spelling for every value.

Values are those of JSON: text, numbers, booleans, null, lists and mappings with text keys. The
reader refuses what a document of ours never needs and what can hurt: anchors, aliases, tags, merge
keys, duplicate keys, directives, several documents, great size and great depth. Plain words mean
what they say: only ``null``, ``~``, ``true``, ``false`` and decimal numbers are anything but text,
so ``yes``, ``on``, ``012`` and dates are read as written. The writer also quotes whatever a
YAML 1.1 reader would take for something else.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NoReturn

import yaml
from yaml import events
from yaml.nodes import ScalarNode
from yaml.resolver import Resolver

from flowcat_jupyter.shared.errors import Invalid, LimitExceeded

MAX_BYTES = 50_000_000
MAX_DEPTH = 64
MAX_NODES = 500_000

Path = tuple[str | int, ...]
Textual = Callable[[Path, str], bool]

_INTEGER = re.compile(r"-?(?:0|[1-9][0-9]{0,3999})\Z")
_FLOAT = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?\Z")
_WORDS: dict[str, Any] = {
    "": None,
    "~": None,
    "null": None,
    "true": True,
    "false": False,
    ".inf": float("inf"),
    "-.inf": float("-inf"),
    ".nan": float("nan"),
}
# What YAML may hold unescaped, less what a reader would take for a line break or drop.
_UNPRINTABLE = re.compile(
    "[^\t\n\x20-\x7e\xa0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]"
)
_FORBIDDEN = re.compile("[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_PLAIN = re.compile(r"[\w($^/;](?:.*[^\s:])?\Z")
_NOT_PLAIN = re.compile(r": | #|\t")
_ESCAPES = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\t": "\\t", "\r": "\\r", "\0": "\\0"}
_LONGEST_SIMPLE_KEY = 800
_INDENT = 2
_RESOLVER: Any = Resolver()
_TEXT_TAG = "tag:yaml.org,2002:str"


def _never(_path: Path, _word: str) -> bool:
    return False


def loads(text: str, *, textual: Textual = _never) -> Any:
    """Read one document.

    ``textual`` is asked with the path (keys and list positions from the root) and the word of
    each plain scalar; where it answers True the scalar is text whatever it spells.

    :raises Invalid: the text is not YAML or uses what is refused; line and column are set.
    :raises LimitExceeded: it is larger than 50 MB, deeper than 64 or has over 500 000 nodes.
    """
    _check_text(text)
    try:
        # PyYAML built without libyaml has no CSafeLoader.
        loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
        return _Builder(_events(text, loader), textual).document()
    except _PythonOnlyError:
        return _Builder(_events(text, yaml.SafeLoader), textual).document()


def check_size(text: str) -> None:
    """Refuse a document that `loads` would refuse for its size.

    :raises LimitExceeded: it is larger than 50 MB.
    """
    if len(text) > MAX_BYTES or len(text.encode("utf-8", "surrogatepass")) > MAX_BYTES:
        raise LimitExceeded(
            f"The document is larger than {MAX_BYTES // 1_000_000} MB.",
            hint="Move large data out of the notebook's cells into files.",
        )


def _check_text(text: str) -> None:
    check_size(text)
    found = _FORBIDDEN.search(text, 1 if text.startswith("\ufeff") else 0)
    if found:
        line = text.count("\n", 0, found.start()) + 1
        column = found.start() - text.rfind("\n", 0, found.start())
        raise Invalid(
            f"The character U+{ord(found[0]):04X} may not stand in a YAML document as it is.",
            line=line,
            column=column,
            hint="Remove it, or write it as an escape inside double quotes.",
        )


class _PythonOnlyError(Exception):
    """libyaml refused what the Python parser reads."""


# Escaped lone surrogates, and a block whose first line begins with a tab.
_PYTHON_ONLY = ("found invalid Unicode character escape code", "found a tab character where an")
_SLOW_LIMIT = 1_000_000


def _events(text: str, loader: Any) -> Iterator[Any]:
    try:
        yield from yaml.parse(text, Loader=loader)
    except yaml.MarkedYAMLError as error:
        problem = str(error.problem or "it cannot be parsed")
        is_fast = loader is not yaml.SafeLoader
        if is_fast and problem.startswith(_PYTHON_ONLY) and len(text) <= _SLOW_LIMIT:
            raise _PythonOnlyError from error
        _refuse(problem, error.problem_mark or error.context_mark, cause=error)
    except (yaml.YAMLError, ValueError, OverflowError) as error:
        _refuse(str(error), None, cause=error)


def _refuse(
    problem: str, mark: Any, *, hint: str | None = None, cause: Exception | None = None
) -> NoReturn:
    line, column = (mark.line + 1, mark.column + 1) if mark else (None, None)
    where = f" (line {line}, column {column})" if line else ""
    raise Invalid(
        f"The YAML cannot be read{where}: {problem}.",
        line=line,
        column=column,
        hint=hint or "Correct the file in a text editor at that line.",
    ) from cause


class _Builder:
    """Builds values from parser events, so that nothing is built before it is allowed."""

    def __init__(self, source: Iterator[Any], textual: Textual) -> None:
        self._source = source
        self._textual = textual
        self._nodes = 0

    def document(self) -> Any:
        next(self._source)
        event = next(self._source)
        if isinstance(event, events.StreamEndEvent):
            return None
        if event.version or event.tags:
            _refuse("directives are not supported", event.start_mark, hint="Delete the % lines.")
        value = self._value(next(self._source), (), 0)
        next(self._source)
        event = next(self._source)
        if not isinstance(event, events.StreamEndEvent):
            _refuse("a second document begins", event.start_mark, hint="Keep one document.")
        return value

    def _value(self, event: Any, path: Path, depth: int) -> Any:
        self._admit(event, depth)
        if isinstance(event, events.ScalarEvent):
            return self._scalar(event, path)
        if isinstance(event, events.SequenceStartEvent):
            return self._sequence(path, depth + 1)
        return self._mapping(path, depth + 1)

    def _admit(self, event: Any, depth: int) -> None:
        self._nodes += 1
        if isinstance(event, events.AliasEvent) or event.anchor:
            hint = "Write the value out in both places."
            _refuse("anchors and aliases are not supported", event.start_mark, hint=hint)
        if event.tag:
            hint = "Delete the tag; put text in quotes."
            _refuse(f"the tag {event.tag} is not supported", event.start_mark, hint=hint)
        if depth > MAX_DEPTH or self._nodes > MAX_NODES:
            what = f"deeper than {MAX_DEPTH}" if depth > MAX_DEPTH else "of too many parts"
            raise LimitExceeded(
                f"The document is {what}.",
                line=event.start_mark.line + 1,
                column=event.start_mark.column + 1,
                hint="Simplify the file in a text editor.",
            )

    def _scalar(self, event: Any, path: Path) -> Any:
        if not event.implicit[0] or event.style or self._textual(path, event.value):
            return event.value
        return resolve(event.value)

    def _sequence(self, path: Path, depth: int) -> list[Any]:
        items: list[Any] = []
        for event in self._source:
            if isinstance(event, events.SequenceEndEvent):
                break
            items.append(self._value(event, (*path, len(items)), depth))
        return items

    def _mapping(self, path: Path, depth: int) -> dict[str, Any]:
        items: dict[str, Any] = {}
        for event in self._source:
            if isinstance(event, events.MappingEndEvent):
                break
            key = self._key(event, depth)
            if key in items:
                hint = "Keep the right one of the two and delete the other."
                _refuse(f"the key {key!r} appears twice", event.start_mark, hint=hint)
            items[key] = self._value(next(self._source), (*path, key), depth)
        return items

    def _key(self, event: Any, depth: int) -> str:
        self._admit(event, depth)
        if not isinstance(event, events.ScalarEvent):
            _refuse("a key must be one word or text", event.start_mark, hint="Quote the key.")
        if event.value == "<<" and not event.style:
            hint = "Write the merged keys out."
            _refuse("merge keys are not supported", event.start_mark, hint=hint)
        return str(event.value)


def resolve(word: str) -> Any:
    """What a plain scalar stands for."""
    if word in _WORDS:
        return _WORDS[word]
    if _INTEGER.match(word):
        return int(word)
    return float(word) if _FLOAT.match(word) and not word.lstrip("-").isdigit() else word


def dumps(value: Mapping[str, Any]) -> str:
    """Write a mapping as a document: keys in the order given, LF, one trailing line break.

    Text of several lines is a literal block, unless it holds a character that YAML cannot carry
    in one: then it is a double-quoted scalar of one line.

    :raises Invalid: a value is of no JSON type, or nested deeper than 64.
    """
    lines: list[str] = []
    if value:
        _write_mapping(lines, value, 0, "")
    return "\n".join(lines) + "\n" if lines else "{}\n"


def _write_mapping(lines: list[str], value: Mapping[str, Any], column: int, lead: str) -> None:
    _check_depth(column)
    pad = " " * column
    for key, item in value.items():
        if not isinstance(key, str):
            raise Invalid(f"The key {key!r} is not text.")
        name = _inline(key)
        head = f"{lead or pad}{name}:"
        if len(name) > _LONGEST_SIMPLE_KEY:
            lines.append(f"{lead or pad}? {name}")
            head = f"{pad}:"
        lead = ""
        _write_item(lines, item, column, head)


def _write_item(lines: list[str], item: Any, column: int, head: str) -> None:
    if isinstance(item, Mapping) and item:
        lines.append(head)
        _write_mapping(lines, item, column + _INDENT, "")
    elif isinstance(item, list | tuple) and item:
        lines.append(head)
        _write_sequence(lines, item, column + (_INDENT if head.lstrip() == ":" else 0), "")
    else:
        _write_scalar(lines, item, column, f"{head} ")


def _write_sequence(lines: list[str], value: Any, column: int, lead: str) -> None:
    _check_depth(column)
    pad = " " * column
    for item in value:
        head = f"{lead or pad}- "
        lead = ""
        if isinstance(item, Mapping) and item:
            _write_mapping(lines, item, column + _INDENT, head)
        elif isinstance(item, list | tuple) and item:
            _write_sequence(lines, item, column + _INDENT, head)
        else:
            _write_scalar(lines, item, column, head)


def _check_depth(column: int) -> None:
    if column > MAX_DEPTH * _INDENT:
        raise Invalid(f"The document is nested deeper than {MAX_DEPTH}.")


def _write_scalar(lines: list[str], item: Any, column: int, head: str) -> None:
    if isinstance(item, str) and _is_literal(item):
        _write_literal(lines, item, column, head)
    else:
        lines.append(head + _inline(item))


def _is_literal(text: str) -> bool:
    return "\n" in text and bool(text.strip("\n")) and not _UNPRINTABLE.search(text)


def _write_literal(lines: list[str], text: str, column: int, head: str) -> None:
    body = text.rstrip("\n")
    ends = len(text) - len(body)
    # Leading white space would be taken for indentation, so it has to be declared.
    indicator = str(_INDENT) if text.lstrip("\n")[0] in " \t" else ""
    lines.append(f"{head}|{indicator}{'-' if not ends else '' if ends == 1 else '+'}")
    pad = " " * (column + _INDENT)
    lines.extend(pad + line if line else "" for line in body.split("\n"))
    lines.extend("" for _ in range(ends - 1))


def _inline(item: Any) -> str:
    if isinstance(item, str):
        return _text(item)
    if item is None:
        return "null"
    if isinstance(item, bool):
        return "true" if item else "false"
    if isinstance(item, int):
        return str(item)
    if isinstance(item, float):
        return _float(item)
    if isinstance(item, Mapping | list | tuple):
        return "{}" if isinstance(item, Mapping) else "[]"
    raise Invalid(f"A value of type {type(item).__name__} cannot be written as YAML.")


def _float(number: float) -> str:
    for word in (".inf", "-.inf"):
        if number == _WORDS[word]:
            return word
    if number != number:
        return ".nan"
    text = repr(number)
    # YAML 1.1 readers want a point in a float.
    return text.replace("e", ".0e") if "." not in text and "e" in text else text


def _text(text: str) -> str:
    if _UNPRINTABLE.search(text) or "\n" in text:
        return '"' + "".join(_escape(char) for char in text) + '"'
    return text if _is_plain(text) else "'" + text.replace("'", "''") + "'"


def _is_plain(text: str) -> bool:
    return (
        bool(_PLAIN.match(text))
        and not _NOT_PLAIN.search(text)
        and isinstance(resolve(text), str)
        and _RESOLVER.resolve(ScalarNode, text, (True, False)) == _TEXT_TAG
    )


def _escape(char: str) -> str:
    if char in _ESCAPES:
        return _ESCAPES[char]
    if not _UNPRINTABLE.match(char):
        return char
    code = ord(char)
    if code > 0xFFFF:
        return f"\\U{code:08X}"
    return f"\\u{code:04X}" if code > 0xFF else f"\\x{code:02X}"
