"""The options of an import, all of them text."""

from __future__ import annotations

from dataclasses import dataclass

from flowcat_jupyter.formats.files_bytes import check_encoding
from flowcat_jupyter.shared.errors import Invalid

_TABS = {"\\t": "\t", "tab": "\t"}
KNOWN = {
    "csv": (
        "delimiter",
        "quote",
        "encoding",
        "header",
        "null_values",
        "decimal",
        "date_format",
        "bad_rows",
    ),
    "json": ("encoding", "bad_rows"),
    "ndjson": ("encoding", "bad_rows"),
    "parquet": (),
}


@dataclass(frozen=True)
class FileOptions:
    """Options as given; None where the file itself is to decide.

    ``null_values`` None lets markers such as NA be read as NULL among numbers and dates; a tuple
    names exactly the texts that are NULL, in every column.
    """

    delimiter: str | None = None
    quote: str | None = None
    encoding: str | None = None
    header: bool | None = None
    null_values: tuple[str, ...] | None = None
    decimal: str | None = None
    date_format: str | None = None
    skip_bad: bool = False


def parse_options(format: str, options: dict[str, str]) -> FileOptions:
    """Read ``options`` for a file of ``format``.

    :raises Invalid: an option the format does not have, or a value it cannot take.
    """
    known = KNOWN[format]
    for name in options:
        if name not in known:
            listed = ", ".join(known) or "none"
            raise Invalid(
                f"{name!r} is not an option of {format} files.", hint=f"There are: {listed}."
            )
    delimiter = options.get("delimiter")
    return FileOptions(
        delimiter=_one_character("delimiter", _TABS.get(delimiter or "", delimiter)),
        quote=_quote(options.get("quote")),
        encoding=check_encoding(options["encoding"]) if options.get("encoding") else None,
        header=_header(options.get("header")),
        null_values=_null_values(options.get("null_values")),
        decimal=_choice("decimal", options.get("decimal"), (".", ",")),
        date_format=options.get("date_format") or None,
        skip_bad=_choice("bad_rows", options.get("bad_rows"), ("stop", "skip")) == "skip",
    )


def _choice(name: str, value: str | None, choices: tuple[str, ...]) -> str | None:
    if value is not None and value not in choices:
        raise Invalid(
            f"The option {name} cannot be {value!r}.", hint=f"Choose one of: {'  '.join(choices)}"
        )
    return value


def _header(value: str | None) -> bool | None:
    value = _choice("header", value.lower() if value else value, ("true", "false"))
    return None if value is None else value == "true"


def _one_character(name: str, value: str | None) -> str | None:
    if value is None or (len(value) == 1 and value not in "\r\n\0"):
        return value
    raise Invalid(
        f"The option {name} must be one character, not {value!r}.",
        hint="Write a tab as tab or \\t.",
    )


def _quote(value: str | None) -> str | None:
    return value if value == "" else _one_character("quote", value)


def _null_values(value: str | None) -> tuple[str, ...] | None:
    return None if value is None else tuple(part.strip() for part in value.split(","))
