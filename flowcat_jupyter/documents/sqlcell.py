"""A SQL cell's two spellings: ``%%catalog_sql …`` in a code cell, and named keys beside plain SQL.

The keys are ``output`` (the variable that gets the result), ``max_rows``, ``as``, ``dialect``,
``engine``, ``catalog``, ``schema``, ``params`` (name to expression) and ``quiet``. ``line`` keeps
the magic's own line where it is spelled otherwise than `join` would spell it.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping
from typing import Any

MAGIC = "%%catalog_sql"

_TEXT_OPTIONS = ("as", "dialect", "engine", "catalog", "schema")
_NAME = re.compile(r"[A-Za-z_]\w*\Z")
_NUMBER = re.compile(r"[0-9]{1,18}\Z")
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
        return isinstance(value, str) and bool(_NAME.match(value))
    if key == "max_rows":
        return type(value) is int and 0 <= value < 10**18
    if key == "quiet":
        return value is True
    if key == "params":
        return (
            isinstance(value, Mapping)
            and bool(value)
            and all(_NAME.match(name) and _is_word(item) for name, item in value.items())
        )
    if key == "line":
        return _is_word(value) and _parse(value) is not None
    return key in _TEXT_OPTIONS and _is_word(value) and value != ""


def _is_word(value: Any) -> bool:
    return isinstance(value, str) and not _LINE_BREAKS.search(value)


def _parse(line: str) -> dict[str, Any] | None:
    """The arguments of a magic line, or None where one is unknown, repeated or incomplete."""
    if line.rstrip() != MAGIC and not line.startswith((f"{MAGIC} ", f"{MAGIC}\t")):
        return None
    try:
        words = shlex.split(line[len(MAGIC) :])
    except ValueError:
        return None
    arguments: dict[str, Any] = {}
    while words:
        word, sign, value = words.pop(0).partition("=")
        found: tuple[str, Any]
        if word == "--quiet" and not sign:
            found = ("quiet", True)
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
    key = word[2:].replace("-", "_")
    if key == "max_rows":
        return key, int(value) if _NUMBER.match(value) else value
    if key == "param":
        name, sign, expression = value.partition("=")
        return "params", {name: expression} if sign else value
    return (key, value) if key in _TEXT_OPTIONS else ("", None)


def _add(arguments: dict[str, Any], key: str, value: Any) -> bool:
    if not _is_argument(key, value):
        return False
    if key == "params" and key in arguments:
        if set(value) & set(arguments[key]):
            return False
        arguments[key] = {**arguments[key], **value}
        return True
    return arguments.setdefault(key, value) is value


def _render(arguments: Mapping[str, Any]) -> str:
    words = [MAGIC]
    if "output" in arguments:
        words.append(arguments["output"])
    if "max_rows" in arguments:
        words.append(f"--max-rows {arguments['max_rows']}")
    for key in _TEXT_OPTIONS:
        if key in arguments:
            sign = "=" if arguments[key].startswith("-") else " "
            words.append(f"--{key}{sign}{shlex.quote(arguments[key])}")
    for name, expression in sorted(arguments.get("params", {}).items()):
        words.append(f"--param {name}={shlex.quote(expression)}")
    if arguments.get("quiet"):
        words.append("--quiet")
    return " ".join(words)
