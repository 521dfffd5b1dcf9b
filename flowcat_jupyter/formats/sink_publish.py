"""Files that appear in a folder together or not at all, as far as a folder can do that.

New files are written into a hidden folder inside the target, whose name no reader follows. When
all of them are whole and on the disk, a plan is put into the folder, and they are moved to their
places; what they replace is moved away. Whoever finds the plan of a process that is dead finishes
its moves, so that a crash leaves all of the old files or all of the new ones.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from flowcat_jupyter.shared.errors import AlreadyExists, Conflict, Forbidden, Invalid, Unavailable
from flowcat_jupyter.storage.folders import OWNER
from flowcat_jupyter.storage.moving import (
    NEW,
    Moves,
    Passed,
    Piece,
    Plan,
    changes,
    nobody,
    paired,
    pieces,
    read_plan,
    remove_empty,
    sync,
    sync_all,
    visible,
    write_plan,
)
from flowcat_jupyter.storage.settling import alone, machine, new_stage, publish, settled

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
    return any(True for _ in visible(folder))


@dataclass
class Staged:
    """Where files are written before they are published; whether they were in the end."""

    place: Path
    published: bool = False


def present(folder: Path, mode: str) -> Sequence[Piece]:
    """The files that a write with a mode would take the place of."""
    if mode != "overwrite" or not folder.is_dir():
        return ()
    return settled(folder, lambda: pieces(folder))


@contextmanager
def published(
    location: str, mode: str, passed: Passed = nobody, before: Sequence[Piece] | None = None
) -> Iterator[Staged]:
    """A new folder to write files into, which become those of ``location`` when the block ends
    well: beside what is there, or with the mode ``overwrite`` in place of it.

    With the mode ``ignore`` they do not if others were there first. ``passed`` is told of every
    step. ``before`` is what `present` found when the rows began to be computed, if that was before
    the block.

    :raises Invalid: ``location`` is no folder, or an overwrite would remove what is no data.
    :raises AlreadyExists: with the mode ``error``, others were there first.
    :raises Conflict: what was to be overwritten changed while the block ran.
    :raises Forbidden: the operating system does not let it be written.
    :raises Unavailable: the disk does not, or another process is at work there for long.
    """
    folder = Path(location)
    _check_folder(folder, mode)
    made = not folder.exists()
    with _told(folder):
        stage, held = new_stage(folder)
    staged = Staged(stage / NEW)
    try:
        with _told(folder):
            before = present(folder, mode) if before is None else before
            staged.place.mkdir()
        passed("staged")
        yield staged
        with _told(folder):
            sync_all(stage)
            passed("whole")
            with alone(folder):
                staged.published = _publish(folder, stage, mode, before, passed)
    finally:
        _clear(folder, stage)
        if held is not None:
            os.close(held)
        if made and not staged.published:
            with suppress(OSError):
                folder.rmdir()


def _clear(folder: Path, stage: Path) -> None:
    """Remove the hidden folder, unless a plan needs its files."""
    with suppress(Unavailable):
        plan = read_plan(folder)
        if plan is None or plan.stage != stage.name:
            shutil.rmtree(stage, ignore_errors=True)


@contextmanager
def _told(folder: Path) -> Iterator[None]:
    try:
        yield
    except PermissionError as error:
        raise Forbidden("write to", "folder", folder.name) from error
    except OSError as error:
        raise Unavailable(f"{folder.name} cannot be written: {error.strerror}.") from error


def _publish(folder: Path, stage: Path, mode: str, before: Sequence[Piece], passed: Passed) -> bool:
    """Move the new files to their places, in a folder that nobody else moves files in."""
    if mode in ("error", "ignore") and not may_write(str(folder), mode):
        return False
    old = pieces(folder) if mode == "overwrite" else []
    if changed := changes(before, old) if mode == "overwrite" else []:
        raise _changed(folder, changed)
    new = pieces(stage / NEW)
    if len(new) == 1 and not old:
        target = folder / new[0].path
        target.parent.mkdir(parents=True, exist_ok=True)
        (stage / NEW / new[0].path).rename(target)
        passed("in")
        sync(target.parent)
    elif new or old:
        plan = Plan(stage.name, machine(), paired(new, old), tuple(old))
        _write_plan(folder, plan)
        passed("planned")
        publish(Moves(folder, plan, passed))
    return True


def _write_plan(folder: Path, plan: Plan) -> None:
    """Put the plan into the folder; all folders are made first, so that moves need no room."""
    parents = {(folder / each.path).parent for each in plan.new}
    try:
        for parent in parents:
            parent.mkdir(parents=True, exist_ok=True)
        write_plan(folder, plan)
    except OSError:
        for parent in parents:
            remove_empty(parent, folder)
        raise


def _changed(folder: Path, names: list[str]) -> Conflict:
    return Conflict(
        f"{folder.name} was written to while the rows that were to replace it were computed: "
        f"{', '.join(names[:3])}{' and others' if len(names) > 3 else ''}.",
        hint="Nothing has been replaced. Run it again.",
    )


def _check_folder(folder: Path, mode: str) -> None:
    if folder.exists() and not folder.is_dir():
        raise Invalid(
            f"{folder.name} is a file, and rows are saved in a folder.",
            condition="INVALID_LOCATION",
            sqlstate="42K03",
            hint="Name a folder; it is made if it is not there.",
        )
    if any(_is_lake(place) for place in (folder, *folder.parents)):
        raise Invalid(
            f"{folder.name} is a Delta or Iceberg table, or lies within one, whose files belong "
            "to its log.",
            hint="Write to it by its name, or choose another folder.",
        )
    if mode != "overwrite":
        return
    for below, folders, _ in os.walk(folder):
        folders[:] = [name for name in folders if not name.startswith((".", "_")) or "=" in name]
        if _is_lake(Path(below)) or (Path(below) / OWNER).is_file():
            raise Invalid(
                f"{folder.name} holds {os.path.relpath(below, folder)}, where a table lies; "
                "overwriting the folder would remove its rows.",
                hint="Choose a folder that holds no tables.",
            )
    for path in visible(folder):
        foreign = path if path.is_file() else _foreign(path)
        if foreign is not None and not _is_data(foreign):
            raise Invalid(
                f"{folder.name} holds {foreign.name}, which is no data file; overwriting the "
                "folder would remove it.",
                hint="Choose a folder that holds nothing but data.",
            )


def _is_lake(folder: Path) -> bool:
    return (folder / "_delta_log").is_dir() or any((folder / "metadata").glob("*.metadata.json"))


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
