"""JSON text as values, as strict as the options leave it."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from decimal import Decimal
from typing import Any

from flowcat_jupyter.formats.options import Option, Options, flag

LENIENT: tuple[Option, ...] = (
    flag("allowComments", False),
    flag("allowUnquotedFieldNames", False),
    flag("allowSingleQuotes", True),
    flag("allowNumericLeadingZeros", False),
    flag("allowNonNumericNumbers", True),
    flag("allowBackslashEscapingAnyCharacter", False),
    flag("allowUnquotedControlChars", False),
)
_TOKEN = re.compile(
    r"""("(?:[^"\\]|\\.)*")|('(?:[^'\\]|\\.)*')|(/\*.*?\*/|//[^\n]*)"""
    r"""|([+-]?[A-Za-z_$][\w$]*)|([+-]?[0-9][\w.+-]*)|(.)""",
    re.DOTALL,
)
_INFINITE = {
    "INF": "Infinity",
    "+INF": "Infinity",
    "-INF": "-Infinity",
    "+Infinity": "Infinity",
}
_BAD_ESCAPE = re.compile(r"\\(?![\"\\/bfnrtu])(.)", re.DOTALL)
_ZEROS = re.compile(r"([+-]?)0+(?=[0-9])")

Parse = Callable[[str], Any]


def parser(options: Options) -> Parse:
    """A function from a text to the value that it is: numbers with a fraction as Decimal.

    It raises ValueError for a text that is no JSON, and RecursionError for one nested too deeply.
    """
    decode = json.JSONDecoder(
        parse_float=Decimal,
        parse_constant=float if options["allowNonNumericNumbers"] else _no_constant,
        strict=not options["allowUnquotedControlChars"],
    ).decode
    lenient = any(options[option.name] for option in LENIENT)

    def parse(text: str) -> Any:
        try:
            return decode(text)
        except json.JSONDecodeError:
            if not lenient:
                raise
        return decode(_strict(text, options))

    return parse


def _no_constant(word: str) -> float:
    raise ValueError(f"{word} is no number")


def _strict(text: str, options: Options) -> str:
    """The text with what the options allow written as JSON has it."""
    parts = []
    for found in _TOKEN.finditer(text):
        double, single, comment, word, number, mark = found.groups()
        if double is not None:
            parts.append(_escapes(double, options))
        elif single is not None:
            parts.append(_single(single, options))
        elif comment is not None:
            parts.append(" " if options["allowComments"] else comment)
        elif word is not None:
            parts.append(_word(word, text[found.end() :], options))
        elif number is not None:
            allowed = options["allowNumericLeadingZeros"]
            parts.append(_ZEROS.sub(r"\1", number) if allowed else number)
        else:
            parts.append(mark)
    return "".join(parts)


def _escapes(text: str, options: Options) -> str:
    return _BAD_ESCAPE.sub(r"\1", text) if options["allowBackslashEscapingAnyCharacter"] else text


def _single(text: str, options: Options) -> str:
    if not options["allowSingleQuotes"]:
        return text
    inner = text[1:-1].replace("\\'", "'").replace('\\"', '"').replace('"', '\\"')
    return _escapes(f'"{inner}"', options)


def _word(word: str, rest: str, options: Options) -> str:
    if rest.lstrip().startswith(":") and options["allowUnquotedFieldNames"]:
        return json.dumps(word)
    if word in _INFINITE and options["allowNonNumericNumbers"]:
        return _INFINITE[word]
    return word


def as_json(value: Any) -> str:
    """A value as the shortest JSON text."""
    if isinstance(value, Decimal):
        return str(value)
    if isinstance(value, dict):
        return (
            "{" + ",".join(f"{_quoted(key)}:{as_json(part)}" for key, part in value.items()) + "}"
        )
    if isinstance(value, list):
        return "[" + ",".join(map(as_json, value)) + "]"
    return _quoted(value)


def _quoted(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
