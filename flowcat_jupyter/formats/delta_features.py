"""Which Delta tables may be written: those all of whose features are kept by what writes here."""

from __future__ import annotations

import json

from flowcat_jupyter.formats.delta_log import Snapshot
from flowcat_jupyter.shared.errors import Invalid

# Those that the library carries out when it writes; it refuses all others, in words of its own.
_WRITABLE = {
    "appendOnly",
    "changeDataFeed",
    "checkConstraints",
    "deletionVectors",
    "generatedColumns",
    "invariants",
    "timestampNtz",
    "v2Checkpoint",
    "variantType",
    "variantType-preview",
}


def check_writable(snapshot: Snapshot) -> None:
    """Check that a commit of ours would leave a table as it promises to be.

    :raises Invalid: it has a feature that can be read but not written; it is named.
    """
    if snapshot.mapping != "none":
        raise _unwritable(f"column mapping (mode {snapshot.mapping})")
    named = set(snapshot.table.protocol().writer_features or ())
    # Older tables do not name it.
    numbered = {
        f"identityColumns (column {field['name']})"
        for field in json.loads(snapshot.table.schema().to_json())["fields"]
        if any(key.startswith("delta.identity.") for key in field["metadata"])
    }
    if numbered:
        named.discard("identityColumns")
    # Without a mode there is nothing to map.
    unknown = sorted((named - _WRITABLE - {"columnMapping"}) | numbered)
    if unknown:
        raise _unwritable(", ".join(unknown))


def _unwritable(what: str) -> Invalid:
    return Invalid(
        f"The table uses {what}, which can be read but not written.",
        condition="DELTA_UNSUPPORTED_FEATURES_FOR_WRITE",
        sqlstate="56038",
        hint="Write it with the engine that made it, or write a copy without it.",
    )
