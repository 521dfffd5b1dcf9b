"""A SQL cell's two spellings: ``%%catalog_sql …`` in a code cell, and named keys beside plain SQL.

The magic's line is words between blanks, where quotes and brackets hold a word together; the
expression of ``--param name=expression`` is the user's Python, kept as written. The keys are
``output`` (the variable that gets the result), ``max_rows``, ``as``, ``dialect``, ``engine``,
``catalog``, ``schema``, ``params`` (name to expression), ``dry_run`` and ``quiet``. ``line`` keeps
the magic's own line where it is spelled otherwise than `join` would spell it.
"""

from __future__ import annotations

import keyword
import re
from collections.abc import Mapping
from typing import Any

MAGIC = "%%catalog_sql"

_TEXT_OPTIONS = ("as", "dialect", "engine", "catalog", "schema")
_FLAGS = {"--dry-run": "dry_run", "--quiet": "quiet"}
_NUMBER = re.compile(r"[0-9]{1,18}\Z")
_PAIRS = {"(": ")", "[": "]", "{": "}"}
_LINE_BREAKS = re.compile(r"[\n\r\x0b\x0c\x1c-\x1e\x85\u2028\u2029]")


def split(source: str) -> tuple[dict[str, Any], str] | None:
    """The arguments and the SQL of a code cell, or None when it is no SQL cell we understand."""
    line, brk, body = source.partition("\n")
    if not brk:
        return None
    arguments = _parse(line)
    if arguments is None:
        return None
    if _render(arguments) != line:
        arguments["line"] = line
    return arguments, body


def join(arguments: Mapping[str, Any], body: str) -> str:
    """The code cell's source; ``line`` counts only while it says what the other keys say."""
    others = {key: value for key, value in arguments.items() if key != "line"}
    line = arguments.get("line")
    if line is None or _parse(line) != others:
        line = _render(others)
    return f"{line}\n{body}"


def take(metadata: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Part a cell's metadata into the magic's arguments and the rest.

    A key whose value the magic could not be given stays with the rest.
    """
    arguments = {key: value for key, value in metadata.items() if _is_argument(key, value)}
    return arguments, {key: value for key, value in metadata.items() if key not in arguments}


def _is_argument(key: str, value: Any) -> bool:
    if key == "output":
        return isinstance(value, str) and value.isidentifier() and not keyword.iskeyword(value)
    if key == "max_rows":
        return type(value) is int and 0 <= value < 10**18
    if key in _FLAGS.values():
        return value is True
    if key == "params":
        return (
            isinstance(value, Mapping)
            and bool(value)
            and all(_is_param(name, expression) for name, expression in value.items())
        )
    if not isinstance(value, str) or _LINE_BREAKS.search(value):
        return False
    if key == "line":
        return _parse(value) is not None
    return key in _TEXT_OPTIONS and value != "" and unquoted(_quoted(value)) == value


def _is_param(name: str, expression: Any) -> bool:
    if not isinstance(expression, str) or not expression or not name.isidentifier():
        return False
    return not _LINE_BREAKS.search(expression) and _is_one_word(f"{name}={expression}")


def _is_one_word(text: str) -> bool:
    return next_word(text) == (text, "")


def next_word(text: str) -> tuple[str, str] | None:
    """The text up to the first blank outside quotes and brackets, and what follows it.

    None when a quote is not closed.
    """
    closing: list[str] = []
    end = 0
    while end < len(text):
        mark = text[end]
        if mark in "'\"":
            end = _after_quote(text, end)
            if end > len(text):
                return None
            continue
        if mark.isspace() and not closing:
            break
        if mark in _PAIRS:
            closing.append(_PAIRS[mark])
        elif closing and mark == closing[-1]:
            closing.pop()
        end += 1
    return text[:end], text[end:].strip()


def _after_quote(text: str, start: int) -> int:
    """Where the quote opened at ``start`` has ended, beyond the text if it has not."""
    end = start + 1
    while end < len(text) and text[end] != text[start]:
        end += 2 if text[end] == "\\" else 1
    return end + 1


def _words(text: str) -> list[str] | None:
    words: list[str] = []
    rest = text.strip()
    while rest:
        found = next_word(rest)
        if found is None:
            return None
        word, rest = found
        words.append(word)
    return words


def _quoted(value: str) -> str:
    if _is_one_word(value) and value[0] not in "'\"":
        return value
    for mark in "'\"":
        if _is_one_word(f"{mark}{value}{mark}"):
            return f"{mark}{value}{mark}"
    return ""


def unquoted(word: str) -> str:
    """The word without the quotes around it, if there are any."""
    is_quoted = len(word) >= 2 and word[0] == word[-1] and word[0] in "'\""
    return word[1:-1] if is_quoted else word


def _parse(line: str) -> dict[str, Any] | None:
    """The arguments of a magic line, or None where one is unknown, repeated or incomplete."""
    if line.rstrip() != MAGIC and not line.startswith((f"{MAGIC} ", f"{MAGIC}\t")):
        return None
    words = _words(line[len(MAGIC) :])
    if words is None:
        return None
    arguments: dict[str, Any] = {}
    while words:
        word, sign, value = words.pop(0).partition("=")
        found: tuple[str, Any]
        if word in _FLAGS and not sign:
            found = (_FLAGS[word], True)
        elif word.startswith("--"):
            if not sign and not words:
                return None
            found = _option(word, value if sign else words.pop(0))
        else:
            found = ("output", word + sign + value)
        if not _add(arguments, *found):
            return None
    return arguments


def _option(word: str, value: str) -> tuple[str, Any]:
    if word == "--max-rows":
        return "max_rows", int(value) if _NUMBER.match(value) else value
    if word == "--param":
        name, sign, expression = value.partition("=")
        return "params", {name: expression} if sign else value
    return (word[2:], unquoted(value)) if word[2:] in _TEXT_OPTIONS else ("", None)


def _add(arguments: dict[str, Any], key: str, value: Any) -> bool:
    if not _is_argument(key, value):
        return False
    if key == "params":
        known = arguments.get(key, {})
        if set(value) & set(known):
            return False
        value = {**known, **value}
    elif key in arguments and key not in _FLAGS.values():
        return False
    arguments[key] = value
    return True


def _render(arguments: Mapping[str, Any]) -> str:
    words = [MAGIC]
    if "output" in arguments:
        words.append(arguments["output"])
    if "max_rows" in arguments:
        words.append(f"--max-rows {arguments['max_rows']}")
    words.extend(f"--{key} {_quoted(arguments[key])}" for key in _TEXT_OPTIONS if key in arguments)
    params = arguments.get("params", {})
    words.extend(f"--param {name}={params[name]}" for name in sorted(params))
    words.extend(word for word, key in _FLAGS.items() if arguments.get(key))
    return " ".join(words)
