"""The options of an import, all of them text."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from flowcat_jupyter.formats.files_bytes import check_encoding
from flowcat_jupyter.shared.errors import Invalid

_TABS = {"\\t": "\t", "tab": "\t"}
_TEXT = ("encoding", "bad_rows", "member", "file_column")
BAD_ROWS = ("stop", "skip", "text")
DATE_ORDERS = ("dmy", "mdy")
KNOWN = {
    "csv": (
        "delimiter",
        "quote",
        "encoding",
        "header",
        "skip_lines",
        "null_values",
        "decimal",
        "date_format",
        "date_order",
        "bad_rows",
        "member",
        "file_column",
    ),
    "json": _TEXT,
    "ndjson": _TEXT,
    "parquet": ("bad_rows", "member", "file_column"),
    "arrow": ("bad_rows", "member", "file_column"),
    "avro": ("bad_rows", "member", "file_column"),
    "excel": (
        "sheet",
        "header",
        "header_row",
        "null_values",
        "date_format",
        "date_order",
        "bad_rows",
        "file_column",
    ),
}


@dataclass(frozen=True)
class FileOptions:
    """Options as given; None where the file itself is to decide.

    ``null_values`` None lets markers such as NA be read as NULL among numbers and dates; a tuple
    names exactly the texts that are NULL, in every column. ``bad_rows`` is what becomes of rows
    that do not fit; ``text`` keeps a column as text that would not fit its type.
    """

    delimiter: str | None = None
    quote: str | None = None
    encoding: str | None = None
    header: bool | None = None
    skip_lines: int = 0
    null_values: tuple[str, ...] | None = None
    decimal: str | None = None
    date_format: str | None = None
    date_order: str | None = None
    bad_rows: str = "stop"
    member: str | None = None
    file_column: str | None = None
    sheet: str | None = None
    header_row: int | None = None


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
        skip_lines=_number("skip_lines", options.get("skip_lines")) or 0,
        null_values=_null_values(options.get("null_values")),
        decimal=_choice("decimal", options.get("decimal") or None, (".", ",")),
        date_format=options.get("date_format") or None,
        date_order=_choice("date_order", options.get("date_order") or None, DATE_ORDERS),
        bad_rows=_choice("bad_rows", options.get("bad_rows"), BAD_ROWS) or "stop",
        member=options.get("member") or None,
        file_column=options.get("file_column") or None,
        sheet=options.get("sheet") or None,
        header_row=_number("header_row", options.get("header_row")),
    )


def given_options(format: str, options: FileOptions) -> dict[str, str]:
    """The options that no file decides, as they were given."""
    values = {
        "null_values": None if options.null_values is None else ",".join(options.null_values),
        "date_format": options.date_format,
        "date_order": options.date_order,
        "skip_lines": str(options.skip_lines) if options.skip_lines else None,
        "member": options.member,
        "file_column": options.file_column,
        "bad_rows": options.bad_rows,
    }
    return {k: v for k, v in values.items() if v is not None and k in KNOWN[format]}


def offered(format: str, choices: Mapping[str, tuple[str, ...]]) -> dict[str, tuple[str, ...]]:
    """Every option of a format with what can be chosen for it; nothing: any text.

    A member can only be chosen where an archive has several, which ``choices`` then says.
    """
    free: dict[str, tuple[str, ...]] = {name: () for name in KNOWN[format] if name != "member"}
    return {**free, **choices}


def _number(name: str, value: str | None) -> int | None:
    if not value:
        return None
    if not (value.isascii() and value.isdigit()) or len(value) > 9:
        raise Invalid(f"The option {name} must be a whole number, not {value!r}.")
    return int(value)


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
