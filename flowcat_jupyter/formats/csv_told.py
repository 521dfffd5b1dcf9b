"""What a person is told of how a delimited file was found to be written."""

from __future__ import annotations

from typing import TypedDict

from flowcat_jupyter.formats.csv_dialect import DELIMITERS, Found, Header
from flowcat_jupyter.formats.files_bytes import FileBytes
from flowcat_jupyter.formats.files_encoding import CHOICES, Encoding
from flowcat_jupyter.formats.files_infer import Profile
from flowcat_jupyter.formats.files_options import BAD_ROWS, DATE_ORDERS
from flowcat_jupyter.formats.files_values import ORDERS
from flowcat_jupyter.shared.wire import Detected


class Told(TypedDict):
    """The parts of a reading that say how its file is written."""

    detected: tuple[Detected, ...]
    choices: dict[str, tuple[str, ...]]


def told_of(
    options: dict[str, str],
    packed: FileBytes,
    encoding: Encoding,
    found: Found,
    header: Header,
    profile: Profile,
) -> Told:
    """Each option with the value it has and the reason for it, and what could be chosen."""
    reasons = {
        "encoding": encoding.reason,
        "delimiter": found.delimiter_reason,
        "quote": found.quote_reason,
        "header": header.reason,
        "decimal": _decimal_reason(options["decimal"], profile),
    }
    detected = [Detected(name, options[name], reason) for name, reason in reasons.items()]
    return Told(
        detected=(compression(packed), *detected, _dates(options, profile)),
        choices={
            "encoding": CHOICES,
            "delimiter": tuple("\\t" if mark == "\t" else mark for mark in DELIMITERS),
            "quote": ('"', "'", ""),
            "header": ("true", "false"),
            "decimal": (".", ","),
            "date_order": DATE_ORDERS,
            "bad_rows": BAD_ROWS,
        },
    )


def compression(packed: FileBytes) -> Detected:
    """How a file is packed."""
    if packed.packing == "plain":
        return Detected("compression", "none", "Its first bytes are those of no archive.")
    reason = f"Its first bytes are those of {packed.packing}."
    return Detected("compression", packed.packing, reason)


def _decimal_reason(mark: str, profile: Profile) -> str:
    if mark == ",":
        return "Some column's numbers can only be read with a decimal comma."
    fractions = any(
        "number" in column.alive and "integer" not in column.alive
        for column in profile.columns.values()
        if column.values
    )
    if fractions:
        return "Numbers with a fraction have a point in it."
    return "No column needs another mark to be read."


def _dates(options: dict[str, str], profile: Profile) -> Detected:
    """The order of day and month, as far as it can be told."""
    unsure = proved = None
    for name, column in profile.columns.items():
        if not column.values or "day" not in column.alive:
            continue
        order = profile.day_order(name)
        if order is None:
            unsure = unsure or column.examples[0]
        else:
            proved = order[:3]
    if options.get("date_order"):
        return Detected("date_order", options["date_order"], "As asked.")
    if unsure is not None:
        return Detected(
            "date_order", "", f"Dates such as {unsure} may be read in two ways; they stay text."
        )
    if proved is not None:
        return Detected("date_order", proved, "A number above 12 can only be a day.")
    return Detected("date_order", "", f"No column holds dates such as {_example()}.")


def _example() -> str:
    return next(iter(ORDERS.values())).replace("%d", "31").replace("%m", "12").replace("%Y", "2024")
