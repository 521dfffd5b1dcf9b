"""The files of a Delta table's version, as a commit takes them away."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

from flowcat_jupyter.formats.delta_log import Snapshot
from flowcat_jupyter.shared.errors import Invalid


def removals(snapshot: Snapshot) -> Iterator[dict[str, Any]]:
    """The removal of every file that the version has.

    :raises Invalid: a file has deletion vectors, of which the removal would have to tell.
    """
    if snapshot.deletions:
        raise Invalid(
            "The table has deletion vectors, which can be read and not written.",
            condition="DELTA_UNSUPPORTED_FEATURES_FOR_WRITE",
            sqlstate="56038",
            hint="Write a copy: CREATE TABLE … AS SELECT.",
        )
    now = int(time.time() * 1000)
    names = snapshot.actions["path"].to_list()
    for name, file in zip(names, snapshot.files(), strict=True):
        values = dict(zip(snapshot.partition_columns, file.partition, strict=True))
        yield {
            "remove": {
                "path": name,
                "deletionTimestamp": now,
                "dataChange": True,
                "extendedFileMetadata": True,
                "partitionValues": values,
                "size": file.size,
            }
        }
