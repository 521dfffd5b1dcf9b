"""Reads the first line of a SQL cell, and the line form of the magic."""

from __future__ import annotations

import keyword
from collections.abc import Callable
from dataclasses import dataclass, field

from flowcat_jupyter.documents.sqlcell import next_word, unquoted
from flowcat_jupyter.kernel.frames import FORMS
from flowcat_jupyter.shared.errors import Invalid

USAGE = (
    "%%catalog_sql [NAME] [--max-rows N] [--dialect D] [--engine E] [--catalog C] [--schema S] "
    "[--param k=expression] [--as polars|pandas|arrow] [--dry-run] [--quiet]"
)
_TEXTS = ("dialect", "engine", "catalog", "schema")


@dataclass
class MagicArguments:
    """What a cell's first line says; ``params`` are names and Python expressions.

    ``form`` is one of `FORMS`. A ``dry_run`` only tells what would change.
    """

    name: str | None = None
    max_rows: int | None = None
    quiet: bool = False
    dry_run: bool = False
    form: str | None = None
    texts: dict[str, str] = field(default_factory=dict)
    params: dict[str, str] = field(default_factory=dict)


def read_cell_line(line: str) -> MagicArguments:
    """The arguments of ``%%catalog_sql``; options and the one name come in any order.

    :raises Invalid: something in the line is not understood; nothing is ignored.
    """
    arguments, rest = _read_options(line)
    while rest:
        word, rest = _next_word(rest)
        if arguments.name is not None:
            raise _unclear(f"{word!r} comes after the name {arguments.name!r}")
        if not word.isidentifier() or keyword.iskeyword(word):
            raise _unclear(f"{word!r} cannot be the name of a variable")
        arguments.name = word
        arguments, rest = _read_options(rest, arguments)
    return arguments


def read_line(line: str) -> tuple[MagicArguments, str]:
    """The options before the SQL of ``%catalog_sql``, and the SQL exactly as written.

    :raises Invalid: an option is not understood.
    """
    return _read_options(line)


def _read_options(line: str, arguments: MagicArguments | None = None) -> tuple[MagicArguments, str]:
    arguments = arguments or MagicArguments()
    rest = line.strip()
    # "-- " begins a comment in SQL, so an option is two dashes and a letter.
    while rest.startswith("--") and rest[2:3].isalpha():
        word, rest = _next_word(rest)
        option, equals, value = word[2:].partition("=")
        if option in ("quiet", "dry-run") and not equals:
            arguments.quiet = arguments.quiet or option == "quiet"
            arguments.dry_run = arguments.dry_run or option == "dry-run"
            continue
        if not equals:
            value, rest = _next_word(rest)
        _set(arguments, option, value)
    return arguments, rest


def _set(arguments: MagicArguments, option: str, value: str) -> None:
    if not value:
        raise _unclear(f"--{option} needs a value")
    if option in _TEXTS:
        _once(arguments.texts, option, unquoted(value))
    elif option == "max-rows" and arguments.max_rows is None:
        arguments.max_rows = _row_count(value)
    elif option == "as" and arguments.form is None:
        arguments.form = _form(value)
    elif option == "param":
        name, equals, expression = value.partition("=")
        if not equals or not name.isidentifier() or not expression:
            raise _unclear(f"--param takes name=expression, not {value!r}")
        _once(arguments.params, name, expression)
    elif option in ("max-rows", "as"):
        raise _unclear(f"--{option} is given twice")
    else:
        raise _unclear(f"there is no option --{option}")


def _once(values: dict[str, str], key: str, value: str) -> None:
    if key in values:
        raise _unclear(f"{key} is given twice")
    values[key] = value


def _form(value: str) -> str:
    if value not in FORMS:
        raise _unclear(f"--as takes {', '.join(FORMS)}, not {value!r}")
    return value


def _row_count(value: str) -> int:
    if not value.isascii() or not value.isdigit():
        raise _unclear(f"--max-rows takes a whole number, not {value!r}")
    return int(value)


def _unclear(what: str) -> Invalid:
    return Invalid(f"The magic's line is not clear: {what}.", hint=USAGE)


def _next_word(text: str) -> tuple[str, str]:
    found = next_word(text)
    if found is None:
        raise _unclear("a quote is not closed")
    return found


def evaluate(params: dict[str, str], evaluator: Callable[[str], object]) -> dict[str, object]:
    """The values of parameters' Python expressions, in the user's own name space.

    :raises Invalid: an expression fails; the cause says how.
    """
    values: dict[str, object] = {}
    for name, expression in params.items():
        try:
            values[name] = evaluator(expression)
        except Exception as error:
            raise _bad(name, expression, error) from error
    return values


def _bad(name: str, expression: str, error: Exception) -> Invalid:
    return Invalid(
        f"The expression of parameter {name} fails: {expression}: {type(error).__name__}: {error}",
        hint=f"A text is quoted: --param {name}='text'",
    )
