"""Columns of a Delta table that are computed from others of the same row.

Those of tables made here are computed in words that every engine reads alike, and are marked so.
What other engines have made of such columns is only compared, by the library.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

import polars as pl

from flowcat_jupyter.formats.delta_constraints import COMPUTED
from flowcat_jupyter.formats.delta_defaults import fillings
from flowcat_jupyter.formats.delta_log import Snapshot
from flowcat_jupyter.formats.delta_properties import constraints_of
from flowcat_jupyter.shared.errors import Invalid
from flowcat_jupyter.shared.names import back_ticked, name_key

GENERATED = "delta.generationExpression"
MARK = "flowcat.generated"
"""Says of a generated column that its expression is one of ours."""
_PARTS = re.compile(r"'[^']*'|`(?:[^`]|``)*`")


def expressions_of(snapshot: Snapshot) -> dict[str, str]:
    """By column the expression of each that is computed, here or by the engine that made it."""
    return {
        field["name"]: str(field["metadata"][GENERATED])
        for field in _fields(snapshot)
        if GENERATED in field["metadata"]
    }


def generated_of(snapshot: Snapshot) -> dict[str, str]:
    """By column the expression of each that is computed here."""
    return {
        field["name"]: str(field["metadata"][GENERATED])
        for field in _fields(snapshot)
        if GENERATED in field["metadata"] and MARK in field["metadata"]
    }


def left_out(snapshot: Snapshot) -> dict[str, pl.Series | pl.Expr]:
    """By folded column name what a new row gets that says no value: its default, or what it is
    computed from the row's other columns.
    """
    computed = {name_key(name): pl.sql_expr(text) for name, text in generated_of(snapshot).items()}
    return {**fillings(snapshot), **computed}


def judged_by(snapshot: Snapshot) -> dict[str, str]:
    """The conditions by name that rows of a table meet."""
    computed = {
        f"{COMPUTED}{name}": f"{back_ticked(name)} <=> {text}"
        for name, text in generated_of(snapshot).items()
    }
    return {**constraints_of(snapshot), **computed}


def check_recomputed(snapshot: Snapshot) -> None:
    """Check that what is computed from columns can be computed again once these change.

    :raises Invalid: another engine says how.
    """
    own = generated_of(snapshot)
    foreign = [
        field["name"]
        for field in _fields(snapshot)
        if GENERATED in field["metadata"] and field["name"] not in own
    ]
    if foreign:
        raise Invalid(
            f"Column {', '.join(foreign)} is generated from others, and would not be computed "
            "again.",
            condition="DELTA_UNSUPPORTED_FEATURES_FOR_WRITE",
            sqlstate="56038",
            hint="Update the table with the engine that made it; nothing was changed.",
        )


def recomputed(generated: Mapping[str, str], given: Mapping[str, str]) -> dict[str, str]:
    """What columns get that are computed from others, as the library's text, in a row ``t`` of
    the table of which the columns ``given`` get values.
    """
    said = {name_key(name): text for name, text in given.items()}

    def column(match: re.Match[str]) -> str:
        word = match.group()
        if word.startswith("'"):
            return word
        name = word[1:-1].replace("``", "`")
        return said.get(name_key(name), f"t.{word}")

    return {
        name: _PARTS.sub(column, text)
        for name, text in generated.items()
        if name_key(name) not in said
    }


def _fields(snapshot: Snapshot) -> list[dict[str, Any]]:
    fields: list[dict[str, Any]] = json.loads(snapshot.table.schema().to_json())["fields"]
    return fields
