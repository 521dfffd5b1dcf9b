"""Defaults of a Delta table's columns, which the log keeps and whoever writes fills in."""

from __future__ import annotations

import json

from flowcat_jupyter.formats.delta_log import Snapshot

DEFAULT = "CURRENT_DEFAULT"


def defaults_of(snapshot: Snapshot) -> dict[str, str]:
    """Each column's default as SQL, of those that have one."""
    fields = json.loads(snapshot.table.schema().to_json())["fields"]
    return {
        field["name"]: str(field["metadata"][DEFAULT])
        for field in fields
        if DEFAULT in field["metadata"]
    }
