"""Options of sources and sinks: layers put together, and every one of them understood or refused.

A format declares what it knows as `Option` objects; `read_options` turns what people wrote into
their values. Nothing is ever ignored: a name nobody declared, and one whose effect is not there,
are errors that name it.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NoReturn

from flowcat_jupyter.shared.errors import Invalid
from flowcat_jupyter.shared.wire_plans import OptionLayer

PROPERTIES = "properties"
SESSION = "session"
"""The layer of what holds for the session: a format takes of it what it knows."""
TABLE = "table"
"""The layer of what a table's OPTIONS say, for reading and for writing it alike."""
PREFIX = "option."
"""What the name of a table's property begins with if it is an option of the table's format."""


@dataclass(frozen=True)
class Option:
    """An option that a format knows.

    ``read`` gives the value of a text, or raises ValueError; ``allowed`` says in words what it
    takes. ``default`` holds where nobody says it. ``also`` are other names of it.
    """

    name: str
    read: Callable[[str], Any]
    allowed: str
    default: Any = None
    also: tuple[str, ...] = ()
    why: str | None = None


class Options(Mapping[str, Any]):
    """The value of every declared option, by its first name; ``given`` are those somebody said."""

    def __init__(self, values: Mapping[str, Any], given: Iterable[str]) -> None:
        """``values`` of all, of which ``given`` were said."""
        self._values = dict(values)
        self.given = frozenset(given)

    def __getitem__(self, name: str) -> Any:
        """The value of an option."""
        return self._values[name]

    def __iter__(self) -> Iterator[str]:
        """The names."""
        return iter(self._values)

    def __len__(self) -> int:
        """How many are declared."""
        return len(self._values)


def option_key(name: str) -> str:
    """A name as options are compared: without regard to case, ``_`` being nothing."""
    return name.strip().casefold().replace("_", "")


def merged(layers: Iterable[OptionLayer]) -> dict[str, tuple[str, str]]:
    """What was said last of each option: its name as it was written and its value, by its key.

    Of a table's properties those that begin with ``option.`` are options, the rest is not. What
    holds for the session is not among them: see `read_options`.
    """
    return _merged(layer for layer in layers if layer.kind != SESSION)


def _merged(layers: Iterable[OptionLayer]) -> dict[str, tuple[str, str]]:
    found: dict[str, tuple[str, str]] = {}
    for layer in layers:
        for name, value in layer.values.items():
            if layer.kind == PROPERTIES:
                if not name.casefold().startswith(PREFIX):
                    continue
                name = name[len(PREFIX) :]
            found[option_key(name)] = (name, value)
    return found


def read_options(
    format: str,
    layers: Iterable[OptionLayer],
    declared: Sequence[Option],
    *,
    doing: str = "read",
    others: Sequence[Option] = (),
) -> Options:
    """The value of every option in ``declared``; ``doing`` is what they are for, in words.

    What a table says of itself may be one of the ``others``, which are for doing something else
    with it: then its value must be one it takes, and it counts for nothing here.

    :raises Invalid: an option is unknown, has no effect here, or has a value it does not take.
    """
    known = _by_key(declared)
    values = {item.name: item.default for item in declared}
    given: set[str] = set()
    layers = tuple(layers)
    said = merged(layers)
    session = _merged(layer for layer in layers if layer.kind == SESSION)
    usable = {key: pair for key, pair in session.items() if key in known}
    asked = merged(layer for layer in layers if layer.kind not in (SESSION, TABLE, PROPERTIES))
    elsewhere = _by_key(others)
    for key, (name, text) in {**usable, **said}.items():
        option = known.get(key)
        if option is None and key in elsewhere and key not in asked:
            _value(format, elsewhere[key], name, text)
            continue
        if option is None:
            _unknown(format, name, known, doing)
        values[option.name] = _value(format, option, name, text)
        if key in said:
            given.add(option.name)
    return Options(values, given)


def _by_key(options: Iterable[Option]) -> dict[str, Option]:
    return {option_key(name): item for item in options for name in (item.name, *item.also)}


def _unknown(format: str, name: str, known: Mapping[str, Option], doing: str) -> NoReturn:
    key = option_key(name)
    near = difflib.get_close_matches(key, known, n=1, cutoff=0.6)
    names = ", ".join(sorted({item.name for item in known.values() if item.why is None}))
    hint = f"Did you mean {known[near[0]].name}? " if near else ""
    listed = f"Its options are {names}." if names else "It takes no options."
    raise Invalid(
        f"There is no option {name} to {doing} {format}.",
        condition="INVALID_OPTIONS",
        sqlstate="42K06",
        hint=f"{hint}{listed}",
    )


def _value(format: str, option: Option, name: str, text: str) -> Any:
    try:
        return option.read(text)
    except ValueError as error:
        if option.why is not None:
            raise Invalid(
                f"The option {name} of {format} is not supported with the value {text!r}.",
                condition="UNSUPPORTED_FEATURE.OPTION",
                sqlstate="0A000",
                hint=option.why,
            ) from error
        raise Invalid(
            f"The option {name} of {format} cannot be {text!r}: {_reason(error, option)}.",
            condition="INVALID_PARAMETER_VALUE",
            sqlstate="22023",
            hint=f"It takes {option.allowed}.",
        ) from error


def _reason(error: ValueError, option: Option) -> str:
    said = str(error).rstrip(".")
    return said or f"it takes {option.allowed}"


def flag(name: str, default: bool | None = None, *also: str) -> Option:
    """An option that is true or false."""

    def read(text: str) -> bool:
        word = text.strip().casefold()
        if word not in ("true", "false"):
            raise ValueError
        return word == "true"

    return Option(name, read, "true or false", default, also)


def text(name: str, default: str | None = None, *also: str) -> Option:
    """An option that takes any text."""
    return Option(name, str, "any text", default, also)


def choice(name: str, values: Sequence[str], default: str | None = None, *also: str) -> Option:
    """An option that takes one of some words, compared without regard to case."""
    words = {value.casefold(): value for value in values}

    def read(said: str) -> str:
        word = words.get(said.strip().casefold())
        if word is None:
            raise ValueError
        return word

    return Option(name, read, ", ".join(values), default, also)


def number(name: str, default: int | None = None, *also: str, least: int = 0) -> Option:
    """An option that takes a whole number of at least ``least``."""

    def read(said: str) -> int:
        try:
            value = int(said.strip())
        except ValueError as error:
            raise ValueError("it is no whole number") from error
        if value < least:
            raise ValueError(f"it is less than {least}")
        return value

    return Option(name, read, f"a whole number of at least {least}", default, also)


def only(name: str, values: Sequence[str], why: str, *also: str) -> Option:
    """An option that may be said, but only as it is anyway: any other value has no effect here."""
    words = {value.casefold() for value in values}

    def read(said: str) -> str:
        if said.strip().casefold() not in words:
            raise ValueError
        return said.strip().casefold()

    return Option(name, read, " or ".join(values), None, also, why)


def refused(name: str, why: str, *also: str) -> Option:
    """An option that other products know and that is not supported here, whatever its value."""
    return only(name, (), why, *also)


_ESCAPES = {"\\t": "\t", "\\n": "\n", "\\r": "\r", "\\b": "\b", "\\f": "\f", "\\0": "\0"}


def unescape(said: str) -> str:
    r"""A text in which ``\t``, ``\n``, ``\r``, ``\b``, ``\f``, ``\0`` and ``\\`` stand for one
    character if it is nothing but one of them.
    """
    if said in ("\\\\", "\\"):
        return "\\"
    if said in ("\\u0000", "\u0000"):
        return "\0"
    return _ESCAPES.get(said, said)
