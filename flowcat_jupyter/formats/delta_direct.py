"""Changes of rows that a Delta table's library carries out by itself."""

from __future__ import annotations

import json

from flowcat_jupyter.formats.delta_commit import (
    WriteRequest,
    base_of,
    check_replaceable,
    committing_to,
    current,
)
from flowcat_jupyter.formats.delta_log import checked_location
from flowcat_jupyter.formats.delta_properties import constraints_of
from flowcat_jupyter.shared.names import back_ticked
from flowcat_jupyter.shared.wire_writes import ChangedRows, DirectChange


def change_directly(
    change: DirectChange, location: str, request: WriteRequest
) -> ChangedRows | None:
    """Commit a change to the version that was read, and count the rows changed; None if it is not
    one for the library, because the table judges or computes values.

    :raises Conflict: the table has moved past that version.
    """
    snapshot = current(checked_location(location))
    base_of(snapshot, request)
    check_replaceable(snapshot)
    fields = json.loads(snapshot.table.schema().to_json())["fields"]
    computed = any("delta.generationExpression" in field["metadata"] for field in fields)
    features = snapshot.table.protocol().reader_features or ()
    if computed or constraints_of(snapshot) or "deletionVectors" in features:
        return None
    if snapshot.actions.height and snapshot.actions["num_records"].null_count():
        # Whole files that go would not be counted.
        return None
    with committing_to(location, request):
        if change.updates is None:
            told = snapshot.table.delete(change.predicate, commit_properties=request.commit(0))
            return ChangedRows(deleted=int(told["num_deleted_rows"]))
        told = snapshot.table.update(
            predicate=change.predicate,
            updates={back_ticked(name): value for name, value in change.updates.items()},
            commit_properties=request.commit(0),
        )
        return ChangedRows(updated=int(told["num_updated_rows"]))
