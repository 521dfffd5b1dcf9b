"""Who a notebook is: its uuid, name and cell ids, through first save, later saves and copies."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from uuid import uuid4


def identified(
    notebook: Mapping[str, Any], *, name: str, previous: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """The notebook with a uuid and a name.

    ``previous`` is what the file holds, and its uuid stays the file's: a client that saves under
    a second name still sends the first one's, and one that never read the file back knows none.
    Without ``previous`` a notebook keeps what it brings. The cells are shared with ``notebook``,
    not copied.
    """
    metadata = dict(notebook.get("metadata", {}))
    before = (previous or {}).get("metadata", {}).get("flowcat")
    known = before if isinstance(before, Mapping) else {}
    flow = metadata.get("flowcat", known)
    if not isinstance(flow, Mapping):
        return {**notebook, "metadata": metadata}
    own = flow.get("notebook_uuid") if previous is None else known.get("notebook_uuid")
    metadata["flowcat"] = {
        "name": known.get("name", name),
        **flow,
        "notebook_uuid": own or str(uuid4()),
    }
    return {**notebook, "metadata": metadata}


def copied(notebook: Mapping[str, Any], *, old_name: str, new_name: str) -> dict[str, Any]:
    """A copy under a new uuid with new cell ids; a name that was the file's follows the file."""
    metadata = dict(notebook.get("metadata", {}))
    flow = metadata.get("flowcat", {})
    if isinstance(flow, Mapping):
        name = flow.get("name", old_name)
        metadata["flowcat"] = {
            **flow,
            "notebook_uuid": str(uuid4()),
            "name": new_name if name == old_name else name,
        }
    cells = [{**cell, "id": uuid4().hex[:8]} for cell in notebook["cells"]]
    return {**notebook, "metadata": metadata, "cells": cells}


def with_ids(notebook: Mapping[str, Any], written: Mapping[str, Any]) -> dict[str, Any]:
    """The notebook with its cells' ids as they were ``written``.

    Notebooks before nbformat 4.5 have none, and others may have one twice; what is kept by id
    beside the file has to go by those of the file.
    """
    pairs = zip(notebook["cells"], written["cells"], strict=True)
    return {**notebook, "cells": [{**cell, "id": other["id"]} for cell, other in pairs]}
