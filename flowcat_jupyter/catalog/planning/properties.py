"""``TBLPROPERTIES``: which properties a table may be given.

Those of Delta itself are kept only if the library that writes its tables holds to them; any other
name is whoever's it is.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from difflib import get_close_matches
from typing import Any

from sqlglot import exp

from flowcat_jupyter.catalog.extensions import is_secret
from flowcat_jupyter.catalog.planning.refusals import shown
from flowcat_jupyter.shared.errors import SqlError
from flowcat_jupyter.sql.dialect import Piece, position

_BOOL, _DURATION, _COUNT = r"true|false", r"(?:interval )?[0-9]+ [a-z]+", r"[1-9][0-9]*"
_KNOWN = {
    "delta.appendOnly": _BOOL,
    "delta.autoOptimize.autoCompact": _BOOL,
    "delta.autoOptimize.optimizeWrite": _BOOL,
    "delta.checkpointInterval": _COUNT,
    "delta.checkpoint.writeStatsAsJson": _BOOL,
    "delta.checkpoint.writeStatsAsStruct": _BOOL,
    "delta.dataSkippingNumIndexedCols": r"-1|[0-9]+",
    "delta.dataSkippingStatsColumns": r".+",
    "delta.deletedFileRetentionDuration": _DURATION,
    "delta.enableChangeDataFeed": _BOOL,
    "delta.enableExpiredLogCleanup": _BOOL,
    "delta.isolationLevel": r"serializable|writeserializable",
    "delta.logRetentionDuration": _DURATION,
    "delta.randomizeFilePrefixes": _BOOL,
    "delta.randomPrefixLength": _COUNT,
    "delta.setTransactionRetentionDuration": _DURATION,
    "delta.targetFileSize": r"[0-9]+ ?[kmg]?b?",
    "delta.tuneFileSizesForRewrites": _BOOL,
}
"""Delta's properties, by their own spelling, with what a value of each looks like."""
_REFUSED = {
    "delta.columnmapping.": "column mapping, which can be read here and not written",
    "delta.feature.": "a table feature, which a table gets with what needs it",
    "delta.minreaderversion": "the protocol, which a table gets with what needs it",
    "delta.minwriterversion": "the protocol, which a table gets with what needs it",
    "delta.enabledeletionvectors": "deletion vectors, which can be read here and not written",
    "delta.enablerowtracking": "row tracking, which is not written here",
    "delta.enabletypewidening": "type widening, which is not written here",
    "delta.enableincommittimestamps": "timestamps inside commits, which are not written here",
    "delta.enableicebergcompat": "Iceberg compatibility, which is not written here",
    "delta.universalformat.": "Iceberg compatibility, which is not written here",
    "delta.compatibility.": "manifests for other engines, which are not written here",
    "delta.checkpointpolicy": "checkpoints of version 2, which are not written here",
    "delta.parquet.": "how files are packed, which is not kept to here",
    "delta.constraints.": "a constraint: write ALTER TABLE … ADD CONSTRAINT … CHECK",
    "delta.identity.": "identity columns, which are not written here",
    "delta.generationexpression": "generated columns",
}
_SPARKS = ("provider", "location", "owner", "external", "comment", "collation")
"""What Spark keeps under these names is not a property."""
_LONGEST = 4000
_MOST = 200


def read_properties(piece: Piece, items: Iterable[Any], what: str) -> dict[str, str]:
    """The properties of a list, each checked.

    :raises SqlError: one is there twice, is kept for something else, or would not be held to.
    """
    found: dict[str, str] = {}
    for item in items:
        if not isinstance(item, exp.Property) or item.args.get("value") is None:
            raise _fault(
                piece, item, f"{what} takes name = value pairs", "PARSE_SYNTAX_ERROR", "42601"
            )
        key = property_name(piece, item.this)
        if key.casefold() in {name.casefold() for name in found}:
            raise _fault(
                piece, item, f"The property {key} is given twice", "DUPLICATE_KEY", "23505"
            )
        key = _checked(piece, item, key, value := _value(piece, item.args["value"]))
        found[key] = value
    if len(found) > _MOST:
        raise SqlError(f"{what} takes at most {_MOST} properties.", condition="UNSUPPORTED_FEATURE")
    return found


def property_name(piece: Piece, node: Any) -> str:
    """A property's name, quoted or dotted.

    :raises SqlError: it is none.
    """
    if isinstance(node, exp.Literal) and node.is_string and str(node.this).strip():
        return str(node.this)
    parts = _parts(node)
    if not parts:
        raise _fault(
            piece, node, f"{shown(node)} is no property's name", "PARSE_SYNTAX_ERROR", "42601"
        )
    return ".".join(parts)


def _parts(node: Any) -> list[str]:
    """The parts of a dotted name; none where it is something else."""
    if isinstance(node, (exp.Identifier, exp.Var)):
        return [node.name]
    if isinstance(node, exp.Column):
        return [part.name for part in node.parts]
    if isinstance(node, exp.Dot):
        first, last = _parts(node.this), _parts(node.expression)
        return [*first, *last] if first and last else []
    return []


def _value(piece: Piece, node: Any) -> str:
    if isinstance(node, exp.Literal):
        return str(node.this)
    if isinstance(node, exp.Boolean):
        return "true" if node.this else "false"
    if isinstance(node, exp.Neg) and isinstance(node.this, exp.Literal):
        return f"-{node.this.this}"
    raise _fault(
        piece, node, f"{shown(node)} is no property's value", "PARSE_SYNTAX_ERROR", "42601"
    )


def _checked(piece: Piece, node: Any, key: str, value: str) -> str:
    """The key in its own spelling, the value being one of its kind."""
    folded = key.casefold()
    # Alone it is what examples call any property.
    if folded != "key" and is_secret(key):
        raise _fault(
            piece,
            node,
            f"The property {key} looks like a secret, which all who see the table would read",
            hint="Keep secrets outside of tables.",
        )
    if len(key) + len(value) > _LONGEST:
        raise _fault(piece, node, f"The property {key[:40]}… is longer than {_LONGEST} characters")
    if folded in _SPARKS:
        hint = "Say it with the statement's own words: USING, LOCATION, COMMENT."
        raise _fault(piece, node, f"{key} is not a property", "UNSUPPORTED_FEATURE", hint=hint)
    return _deltas(piece, node, key, value) if folded.startswith("delta.") else key


def _deltas(piece: Piece, node: Any, key: str, value: str) -> str:
    """The same of a property of Delta's own."""
    folded = key.casefold()
    for start, why in _REFUSED.items():
        if folded.startswith(start):
            raise _fault(piece, node, f"The property {key} is for {why}")
    own = next((name for name in _KNOWN if name.casefold() == folded), None)
    if own is None:
        near = get_close_matches(folded, [name.casefold() for name in _KNOWN], 1)
        known = next((name for name in _KNOWN if near and name.casefold() == near[0]), None)
        raise _fault(
            piece,
            node,
            f"Delta has no property {key} that is kept to here",
            "DELTA_UNKNOWN_CONFIGURATION",
            "F0000",
            f"Did you mean {known}?" if known else f"There are: {', '.join(_KNOWN)}.",
        )
    if not re.fullmatch(_KNOWN[own], value.strip(), re.IGNORECASE):
        raise _fault(
            piece, node, f"{value!r} is no value of {own}", "INVALID_PROPERTY_VALUE", "42602"
        )
    return own


def _fault(
    piece: Piece,
    node: Any,
    message: str,
    condition: str = "UNSUPPORTED_FEATURE",
    sqlstate: str = "0A000",
    hint: str | None = None,
) -> SqlError:
    line, column = position(piece, node)
    return SqlError(
        f"{message}; nothing was changed.",
        condition=condition,
        sqlstate=sqlstate,
        line=line,
        column=column,
        hint=hint,
    )
