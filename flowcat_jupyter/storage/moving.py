"""Files that are moved into a folder, and others out of it, by a plan that outlives a crash.

The plan is a hidden file in the folder. Once it is there, the new files count, whoever finishes
the moves; until then, the old ones do. Every step looks at what is there and can be taken again.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path, PurePosixPath

from flowcat_jupyter.shared.errors import Unavailable

PLAN = ".flowcat-plan"
STAGED = ".flowcat-staged-"
NEW, OLD = "new", "old"
_STAGE = re.compile(r"\.flowcat-staged-[0-9a-f-]+\Z")
_ALIVE_EVERY_S = 1.0

Passed = Callable[[str], None]
"""Told of each step that has been taken."""


def nobody(step: str) -> None:
    """Tell nobody."""


@dataclass(frozen=True)
class Piece:
    """A file by its path below the folder, known again by its time and its size.

    ``over`` is the path of a file that it takes the place of in one step.
    """

    path: str
    time_ns: int
    size: int
    over: str | None = None


@dataclass(frozen=True)
class Plan:
    """Which files come from the hidden folder ``stage``, and which go; ``machine`` made it."""

    stage: str
    machine: str
    new: tuple[Piece, ...]
    old: tuple[Piece, ...]


def piece(folder: Path, path: Path) -> Piece:
    """A file below a folder as it is now."""
    stat = path.lstat()
    return Piece(path.relative_to(folder).as_posix(), stat.st_mtime_ns, stat.st_size)


def paired(new: list[Piece], old: list[Piece]) -> tuple[Piece, ...]:
    """The new files, each over an old one of its folder where there is one of the same kind."""
    free: dict[tuple[str, str], list[str]] = {}
    for each in reversed(old):
        free.setdefault(_kind(each.path), []).append(each.path)
    found = []
    for each in new:
        over = free.get(_kind(each.path))
        found.append(Piece(each.path, each.time_ns, each.size, over.pop() if over else None))
    return tuple(found)


def _kind(path: str) -> tuple[str, str]:
    said = PurePosixPath(path)
    return str(said.parent), "".join(said.suffixes)


def write_plan(folder: Path, plan: Plan) -> None:
    """Put a plan into the folder, whole or not at all.

    :raises FileExistsError: there is one.
    """
    draft = folder / plan.stage / "plan"
    with draft.open("w", encoding="utf-8") as file:
        json.dump(asdict(plan), file)
        file.flush()
        os.fsync(file.fileno())
    try:
        # Unlike a rename, a link never takes the place of another's plan.
        os.link(draft, folder / PLAN)
    except FileExistsError:
        raise
    except OSError:
        if (folder / PLAN).exists():
            raise
        draft.rename(folder / PLAN)
    sync(folder)


def read_plan(folder: Path) -> Plan | None:
    """The plan that lies in a folder.

    :raises Unavailable: it is no plan, or leads out of the folder.
    """
    try:
        said = json.loads((folder / PLAN).read_text("utf-8"))
        plan = Plan(
            str(said["stage"]),
            str(said["machine"]),
            tuple(Piece(**each) for each in said["new"]),
            tuple(Piece(**each) for each in said["old"]),
        )
    except FileNotFoundError:
        return None
    except OSError as error:
        raise Unavailable(f"{folder.name} cannot be read: {error.strerror}.") from error
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise _no_plan(folder) from error
    if not (_STAGE.match(plan.stage) and all(_is_below(folder, path) for path in _paths(plan))):
        raise _no_plan(folder)
    return plan


def _no_plan(folder: Path) -> Unavailable:
    return Unavailable(
        f"{folder.name} holds a file {PLAN} that is none of an interrupted write.",
        hint="Find out who made it, and remove it.",
    )


def _paths(plan: Plan) -> Iterator[str]:
    for each in (*plan.new, *plan.old):
        yield each.path
        if each.over is not None:
            yield each.over
    yield plan.stage + "/x"


def _is_below(folder: Path, path: str) -> bool:
    parts = PurePosixPath(path).parts
    if not parts or path.startswith("/") or ".." in parts:
        return False
    between = [folder.joinpath(*parts[:count]) for count in range(1, len(parts))]
    return not any(each.is_symlink() for each in between)


class Moves:
    """The steps of a plan, taken or taken back."""

    def __init__(self, folder: Path, plan: Plan, passed: Passed = nobody) -> None:
        """Move in ``folder``."""
        self._folder = folder
        self._plan = plan
        self._passed = passed
        self._new = folder / plan.stage / NEW
        self._old = folder / plan.stage / OLD
        self._known = {each.path: each for each in plan.old}
        self._told = time.monotonic()

    def take(self) -> None:
        """Take every step that is left, and remove the plan.

        :raises OSError: one cannot be taken.
        """
        over = {each.over for each in self._plan.new}
        for each in self._plan.new:
            if each.over is not None:
                self._step("swap", each, self._swap)
        for each in self._plan.old:
            if each.path not in over:
                self._step("out", each, self._out)
        for each in self._plan.new:
            if each.over is None:
                self._step("in", each, self._into)
        self._end()

    def take_back(self) -> None:
        """Put everything back, and remove the plan.

        :raises OSError: something cannot be put back.
        """
        for each in self._plan.new:
            for path in (each.path, each.over):
                if path is not None and _same(self._folder / path, each):
                    _rename(self._folder / path, self._new / each.path)
        for each in self._plan.old:
            kept = self._old / each.path
            if os.path.lexists(kept) and not os.path.lexists(self._folder / each.path):
                _rename(kept, self._folder / each.path)
        self._end()

    def _step(self, kind: str, each: Piece, move: Callable[[Piece], None]) -> None:
        move(each)
        self._passed(f"{kind} {each.path}")
        if time.monotonic() - self._told > _ALIVE_EVERY_S:
            # Where locks do not work, this tells others that somebody is at work.
            os.utime(self._folder / PLAN)
            self._told = time.monotonic()

    def _swap(self, each: Piece) -> None:
        """A new file in place of an old one: every reader finds one or the other."""
        staged, place = self._new / each.path, self._folder / each.path
        over = self._folder / str(each.over)
        if staged.exists():
            known = self._known[str(each.over)]
            if _same(over, known) and self._keep(over, self._old / known.path):
                staged.rename(over)
                self._passed(f"over {each.path}")
            else:
                self._out(known)
                _rename(staged, place)
        if not place.exists() and _same(over, each):
            over.rename(place)

    def _keep(self, path: Path, kept: Path) -> bool:
        """Whether a file has a second name, from which it can be put back."""
        kept.parent.mkdir(parents=True, exist_ok=True)
        try:
            os.link(path, kept, follow_symlinks=False)
        except FileExistsError:
            return True
        except OSError:
            # No hard links here, or not of another's files.
            return False
        return True

    def _out(self, each: Piece) -> None:
        # A file of the same name that is another one was put there later, by somebody else.
        if _same(self._folder / each.path, each):
            _rename(self._folder / each.path, self._old / each.path)

    def _into(self, each: Piece) -> None:
        if (self._new / each.path).exists():
            _rename(self._new / each.path, self._folder / each.path)

    def _end(self) -> None:
        touched = {self._folder / each.path for each in (*self._plan.new, *self._plan.old)}
        for parent in {path.parent for path in touched} - {self._folder}:
            remove_empty(parent, self._folder)
            sync(parent)
        sync(self._folder)
        (self._folder / PLAN).unlink(missing_ok=True)
        self._passed("done")
        sync(self._folder)
        shutil.rmtree(self._folder / self._plan.stage, ignore_errors=True)


def _same(path: Path, known: Piece) -> bool:
    try:
        stat = path.lstat()
    except (FileNotFoundError, NotADirectoryError):
        return False
    return (stat.st_mtime_ns, stat.st_size) == (known.time_ns, known.size)


def _rename(source: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    source.rename(target)


def remove_empty(path: Path, root: Path) -> None:
    """Remove a folder below ``root``, and those it is in, where nothing is in them."""
    while path != root:
        try:
            path.rmdir()
        except OSError:
            return
        path = path.parent


def sync(path: Path) -> None:
    """Have a file or a folder on the disk; where it is no more, or cannot be, it is not."""
    with suppress(OSError):
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def sync_all(folder: Path) -> None:
    """Have all that is below a folder on the disk."""
    for root, _, names in os.walk(folder, topdown=False):
        for name in names:
            sync(Path(root) / name)
        sync(Path(root))


def visible(folder: Path) -> Iterator[Path]:
    """What a reader would look at in a folder."""
    if not folder.is_dir():
        return
    for path in sorted(folder.iterdir()):
        if not path.name.startswith(".") and (not path.name.startswith("_") or "=" in path.name):
            yield path


def pieces(folder: Path) -> list[Piece]:
    """Every file that a reader would look at, in the folder and below it."""
    found: list[Piece] = []
    waiting = [folder]
    while waiting:
        for path in visible(waiting.pop()):
            if path.is_dir() and not path.is_symlink():
                waiting.append(path)
            else:
                with suppress(FileNotFoundError):
                    found.append(piece(folder, path))
    return sorted(found, key=lambda each: each.path)


def changes(before: Sequence[Piece], after: Sequence[Piece]) -> list[str]:
    """The files that came, went or changed."""
    counted = Counter(before)
    counted.subtract(after)
    return sorted({each.path for each, count in counted.items() if count})
