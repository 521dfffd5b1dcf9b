"""Files that appear in a folder together or not at all, as far as a folder can do that.

New files are written into a hidden folder inside the target, whose name no reader follows, and
moved to their places when all of them are whole. What they replace is moved aside first, put back
if anything fails, and removed at the end.
"""

from __future__ import annotations

import os
import shutil
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from flowcat_jupyter.shared.errors import AlreadyExists, Forbidden, Invalid, Unavailable

STAGED = ".flowcat-staged-"
ASIDE = ".flowcat-aside-"
LEFT_S = 86_400
"""Seconds after which nobody writes any more into a folder that was to be moved."""
MODES = ("error", "ignore", "append", "overwrite")
_DATA = frozenset(
    ("csv", "txt", "json", "ndjson", "jsonl", "parquet", "arrow", "ipc", "avro", "tsv")
)
_PACKED = ("gz", "zst", "bz2", "xz", "snappy")


def check_mode(mode: str) -> str:
    """A save mode by any of its names.

    :raises Invalid: it is none.
    """
    found = {"errorifexists": "error", "default": "error"}.get(mode.casefold(), mode.casefold())
    if found not in MODES:
        raise Invalid(
            f"There is no save mode {mode!r}.",
            condition="INVALID_SAVE_MODE",
            sqlstate="42000",
            hint=f"The modes are {', '.join(MODES)}.",
        )
    return found


def holds_data(folder: Path) -> bool:
    """Whether anything that a reader would look at is in a folder."""
    return any(True for _ in _visible(folder))


def _visible(folder: Path) -> Iterator[Path]:
    if not folder.is_dir():
        return
    for path in sorted(folder.iterdir()):
        if not path.name.startswith((".", "_")) or "=" in path.name:
            yield path


@dataclass
class _Moves:
    """What has been moved, so that it can be moved back."""

    done: list[tuple[Path, Path]] = field(default_factory=list)

    def move(self, source: Path, target: Path) -> None:
        target.parent.mkdir(parents=True, exist_ok=True)
        source.rename(target)
        self.done.append((source, target))

    def undo(self) -> None:
        for source, target in reversed(self.done):
            with suppress(OSError):
                source.parent.mkdir(parents=True, exist_ok=True)
                target.rename(source)


@contextmanager
def published(location: str, mode: str) -> Iterator[Path]:
    """A new folder to write files into, which become those of ``location`` when the block ends
    well: beside what is there, or with the mode ``overwrite`` in place of it.

    :raises Invalid: ``location`` is no folder, or an overwrite would remove what is no data.
    :raises Forbidden: the operating system does not let it be written.
    """
    folder = Path(location)
    _check_folder(folder, mode)
    made = not folder.exists()
    done = False
    _sweep(folder)
    staged = folder / f"{STAGED}{uuid.uuid4().hex}"
    try:
        with _told(folder):
            staged.mkdir(parents=True)
        yield staged
        with _told(folder):
            _publish(folder, staged, mode)
        done = True
    finally:
        shutil.rmtree(staged, ignore_errors=True)
        if made and not done:
            with suppress(OSError):
                folder.rmdir()


def _sweep(folder: Path) -> None:
    """Remove what writes left behind that were killed long ago."""
    for path in folder.glob(f"{STAGED}*") if folder.is_dir() else ():
        with suppress(OSError):
            if time.time() - path.stat().st_mtime > LEFT_S:
                shutil.rmtree(path, ignore_errors=True)


@contextmanager
def _told(folder: Path) -> Iterator[None]:
    try:
        yield
    except PermissionError as error:
        raise Forbidden("write to", "folder", folder.name) from error
    except OSError as error:
        raise Unavailable(f"{folder.name} cannot be written: {error.strerror}.") from error


def _publish(folder: Path, staged: Path, mode: str) -> None:
    aside = folder / f"{ASIDE}{uuid.uuid4().hex}"
    moves = _Moves()
    try:
        if mode == "overwrite":
            for path in list(_visible(folder)):
                moves.move(path, aside / path.name)
        for root, _, names in os.walk(staged):
            for name in sorted(names):
                path = Path(root) / name
                moves.move(path, folder / path.relative_to(staged))
    except OSError:
        moves.undo()
        raise
    finally:
        shutil.rmtree(aside, ignore_errors=True)


def _check_folder(folder: Path, mode: str) -> None:
    if folder.exists() and not folder.is_dir():
        raise Invalid(
            f"{folder.name} is a file, and rows are saved in a folder.",
            condition="INVALID_LOCATION",
            sqlstate="42K03",
            hint="Name a folder; it is made if it is not there.",
        )
    lake = (folder / "_delta_log").is_dir()
    if lake or any((folder / "metadata").glob("*.metadata.json")):
        raise Invalid(
            f"{folder.name} is a Delta or Iceberg table, whose files belong to its log.",
            hint="Write to it by its name, or choose another folder.",
        )
    if mode != "overwrite":
        return
    for path in _visible(folder):
        foreign = path if path.is_file() else _foreign(path)
        if foreign is not None and not _is_data(foreign):
            raise Invalid(
                f"{folder.name} holds {foreign.name}, which is no data file; overwriting the "
                "folder would remove it.",
                hint="Choose a folder that holds nothing but data.",
            )


def _foreign(folder: Path) -> Path | None:
    """A file below a folder that is no data."""
    files = (path for path in folder.rglob("*") if path.is_file() and not _is_hidden(path))
    return next((path for path in files if not _is_data(path)), None)


def _is_hidden(path: Path) -> bool:
    return path.name.startswith((".", "_"))


def _is_data(path: Path) -> bool:
    parts = path.name.casefold().split(".")[1:]
    while parts and parts[-1] in _PACKED:
        parts.pop()
    return bool(parts) and parts[-1] in _DATA


def may_write(location: str, mode: str) -> bool:
    """Whether to go on: False where the mode is ``ignore`` and something is there.

    :raises AlreadyExists: the mode is ``error``, and something is there.
    """
    if mode in ("append", "overwrite") or not _taken(Path(location)):
        return True
    if mode == "ignore":
        return False
    raise _there(location)


def _taken(path: Path) -> bool:
    return path.is_file() or holds_data(path)


def _there(location: str) -> AlreadyExists:
    error = AlreadyExists("file", location, hint="Use the mode append or overwrite.")
    error.condition, error.sqlstate = "PATH_ALREADY_EXISTS", "42K04"
    return error
