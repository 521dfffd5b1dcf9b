"""Seeing that a file is opened, whoever opens it: Linux' inotify, which needs no rights."""

from __future__ import annotations

import ctypes
import os
import struct
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

_OPEN, _ACCESS = 0x20, 0x01
_HEAD = struct.Struct("iIII")


@dataclass
class Watch:
    """The opens and reads under some folders, by any process of the machine."""

    descriptor: int
    folders: dict[int, Path]

    def seen(self) -> list[str]:
        """What was opened or read since the last call, folders themselves left out."""
        found: list[str] = []
        while True:
            try:
                data = os.read(self.descriptor, 65536)
            except BlockingIOError:
                return found
            at = 0
            while at < len(data):
                folder, _mask, _cookie, length = _HEAD.unpack_from(data, at)
                name = data[at + _HEAD.size : at + _HEAD.size + length].rstrip(b"\0").decode()
                at += _HEAD.size + length
                if name:
                    found.append(str(self.folders[folder] / name))


@contextmanager
def watching(folders: Iterable[Path]) -> Iterator[Watch]:
    """Watch what is opened in ``folders``, not below them."""
    library = ctypes.CDLL(None, use_errno=True)
    descriptor = library.inotify_init1(os.O_NONBLOCK | os.O_CLOEXEC)
    if descriptor < 0:
        raise OSError(ctypes.get_errno(), "inotify_init1")
    known: dict[int, Path] = {}
    try:
        for folder in folders:
            made = library.inotify_add_watch(descriptor, os.fsencode(folder), _OPEN | _ACCESS)
            if made < 0:
                raise OSError(ctypes.get_errno(), "inotify_add_watch")
            known[made] = folder
        yield Watch(descriptor, known)
    finally:
        os.close(descriptor)
