"""What a Delta table's log says of the table: its id, and what readers and writers must support."""

from __future__ import annotations

from datetime import UTC, datetime

from flowcat_jupyter.formats.delta_defaults import defaults_of
from flowcat_jupyter.formats.delta_history import table_facts
from flowcat_jupyter.formats.delta_log import Snapshot
from flowcat_jupyter.shared.wire_shows import DetailInfo


def table_detail(snapshot: Snapshot) -> DetailInfo:
    """The details of a table's version."""
    metadata, protocol = snapshot.table.metadata(), snapshot.table.protocol()
    features = {*(protocol.reader_features or ()), *(protocol.writer_features or ())}
    made = metadata.created_time
    return DetailInfo(
        facts=table_facts(snapshot),
        defaults=defaults_of(snapshot),
        id=str(metadata.id),
        created_at=datetime.fromtimestamp(made / 1000, UTC).isoformat() if made else None,
        min_reader=protocol.min_reader_version,
        min_writer=protocol.min_writer_version,
        features=tuple(sorted(map(str, features))),
    )
