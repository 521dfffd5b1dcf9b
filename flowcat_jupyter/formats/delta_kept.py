"""Tables that stay open while nothing is committed to them, so that asking again reads no log."""

from __future__ import annotations

import os
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock

from flowcat_jupyter.formats.delta_scan import OpenedDelta
from flowcat_jupyter.formats.protocol import label_of
from flowcat_jupyter.shared.wire import Source
from flowcat_jupyter.storage.paths import local_path

_MOST_TABLES = 64
_MOST_FILES = 10_000
"""A table of more files takes memory that a job may want."""
Key = tuple[str, str, int | None]
State = tuple[tuple[str, ...], tuple[tuple[int, int, int], ...]]


@dataclass
class KeptTables:
    """The tables last opened. One is opened anew when its log is not what it was at that time.

    Only the names in the log and its newest entries are looked at: no log has a commit rewritten.
    """

    _kept: OrderedDict[Key, tuple[State, OpenedDelta]] = field(default_factory=OrderedDict)
    _lock: Lock = field(default_factory=Lock)

    def opened(self, source: Source, open_it: Callable[[Source], OpenedDelta]) -> OpenedDelta:
        """The table of a source, as ``open_it`` opens it."""
        if source.timestamp is not None or source.storage_options:
            return open_it(source)
        key = (source.location, label_of(source), source.version)
        state = _state(source.location)
        with self._lock:
            found = self._kept.get(key)
            if found is not None and found[0] == state:
                self._kept.move_to_end(key)
                return found[1]
        made = open_it(source)
        if state is not None and len(made.files) <= _MOST_FILES:
            with self._lock:
                self._kept[key] = (state, made)
                self._kept.move_to_end(key)
                while len(self._kept) > _MOST_TABLES:
                    self._kept.popitem(last=False)
        return made


def _state(location: str) -> State | None:
    """What a commit would change: the names in a log, and what its last ones are on disk."""
    log = Path(local_path(location)) / "_delta_log"
    try:
        with os.scandir(log) as entries:
            names = tuple(sorted(entry.name for entry in entries))
        newest = [name for name in names if name[:1].isdigit()][-1:]
        found = [(log / name).stat() for name in (*newest, *names[-1:])]
    except OSError:
        return None
    return names, tuple((item.st_ino, item.st_size, item.st_mtime_ns) for item in found)
