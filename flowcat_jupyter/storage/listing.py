"""Which files a path, a folder or a pattern means."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from fnmatch import translate
from glob import has_magic
from pathlib import Path

from flowcat_jupyter.shared.errors import Forbidden, Invalid, LimitExceeded, NotFound
from flowcat_jupyter.shared.looking import is_folder

MOST_FILES = 10_000
MOST_LOOKED_AT = 200_000
MOST_DEEP = 200
_DEEP = "**"
_DELTA_LOG = "_delta_log"

Judge = Callable[[Path], bool]


def anything(path: Path) -> bool:
    """Every path."""
    return True


def nothing(path: Path) -> bool:
    """No path."""
    return False


@dataclass
class Listing:
    """Finds files; ``allowed`` judges real paths, and what is ``private`` is passed over.

    A folder means every file below it, a pattern (``*``, ``?``, ``[…]``, ``**`` for folders of any
    depth) every file that it matches. Neither reaches names that begin with a dot, nor with an
    underscore unless the pattern itself begins so there.
    """

    allowed: Judge = anything
    private: Judge = nothing
    _looked_at: int = field(default=0, init=False)

    def files(self, path: Path) -> list[Path]:
        """The real paths of what an absolute ``path`` means, in the order of their names.

        :raises NotFound: there is no such file, or none in such a place.
        :raises Forbidden: a link leads outside of what is allowed.
        :raises Invalid: it is neither a file nor a folder, or it is a Delta table.
        :raises LimitExceeded: there are too many.
        """
        if is_folder(path):
            found = self._below(path)
        elif os.path.lexists(path) or not has_magic(str(path)):
            return [self._single(path)]
        else:
            base, segments = _split(path)
            found = self._matching(base, segments) if is_folder(base) else iter(())
        files: dict[Path, None] = {}
        for item in found:
            files.update(dict.fromkeys(self._kept(item)))
            if len(files) > MOST_FILES:
                raise LimitExceeded(
                    f"{path} means more than {MOST_FILES:,} files.",
                    hint="Import them in several parts, with narrower patterns.",
                )
        if not files:
            raise NotFound(
                "file", path, hint="No file is there, hidden ones and the catalog's own aside."
            )
        return list(files)

    def _single(self, path: Path) -> Path:
        real = Path(os.path.realpath(path))
        try:
            mode = real.stat().st_mode
        except FileNotFoundError as error:
            raise NotFound("file", path) from error
        except OSError as error:
            raise Invalid(f"{path} cannot be looked at: {error.strerror}.") from error
        if not stat.S_ISREG(mode):
            raise Invalid(f"{path} is not a file.", hint="Name a file or a folder of files.")
        return real

    def _kept(self, path: Path) -> Iterator[Path]:
        real = Path(os.path.realpath(path))
        if self.private(real):
            return
        if not self.allowed(real):
            raise Forbidden(
                "use", "path", path, hint="It is a link that leads outside the allowed folders."
            )
        yield real

    def _below(self, folder: Path) -> Iterator[Path]:
        for entry in self._entries(folder, "*"):
            if _is_folder(entry):
                yield from self._below(Path(entry.path))
            elif _is_file(entry):
                yield Path(entry.path)

    def _matching(self, folder: Path, segments: tuple[str, ...]) -> Iterator[Path]:
        segment, rest = segments[0], segments[1:]
        if segment == _DEEP:
            yield from self._deep(folder, rest)
            return
        for entry in self._entries(folder, segment):
            if not rest:
                if _is_file(entry):
                    yield Path(entry.path)
            elif _is_folder(entry):
                yield from self._matching(Path(entry.path), rest)

    def _deep(self, folder: Path, rest: tuple[str, ...]) -> Iterator[Path]:
        if not rest:
            yield from self._below(folder)
            return
        yield from self._matching(folder, rest)
        for entry in self._entries(folder, "*"):
            if _is_folder(entry):
                yield from self._deep(Path(entry.path), rest)

    def _entries(self, folder: Path, pattern: str) -> list[os.DirEntry[str]]:
        """What in a folder matches, by name; nothing of a folder that is not ours to look at."""
        if self.private(folder) or not self.allowed(folder):
            return []
        try:
            with os.scandir(folder) as scan:
                entries = sorted(scan, key=lambda entry: entry.name)
        except OSError as error:
            raise Invalid(f"{folder} cannot be looked at: {error.strerror}.") from error
        self._looked_at += len(entries)
        if self._looked_at > MOST_LOOKED_AT or len(folder.parts) > MOST_DEEP:
            raise LimitExceeded(
                f"There are more than {MOST_LOOKED_AT:,} files or {MOST_DEEP} levels of folders "
                "to look through.",
                hint="Name a folder further down.",
            )
        if any(entry.name == _DELTA_LOG for entry in entries):
            raise Invalid(
                f"{folder} is a Delta table, whose files are not all of its rows.",
                hint="Register the folder as a table instead of importing its files.",
            )
        matches = re.compile(translate(pattern)).match
        return [e for e in entries if not _hidden(e.name, pattern) and matches(e.name)]


def is_hidden(path: Path, below: Path) -> bool:
    """Whether ``path`` is hidden as seen from ``below``, a folder it lies in."""
    return any(part.startswith(".") for part in path.relative_to(below).parts)


def _is_folder(entry: os.DirEntry[str]) -> bool:
    """Whether it is a folder to look into: what a link leads to may lie above it."""
    return entry.is_dir(follow_symlinks=False)


def _is_file(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_file()
    except OSError:
        # A link to itself, or into what may not be looked at.
        return False


def _hidden(name: str, pattern: str) -> bool:
    return name.startswith(".") or (name.startswith("_") and not pattern.startswith("_"))


def _split(path: Path) -> tuple[Path, tuple[str, ...]]:
    """The folder that a pattern begins in, and what is to match below it."""
    parts = path.parts
    first = next(i for i, part in enumerate(parts) if has_magic(part))
    segments = parts[first:]
    again = {
        i for i, part in enumerate(segments) if part == _DEEP and segments[i - 1 : i] == (_DEEP,)
    }
    return Path(*parts[:first]), tuple(p for i, p in enumerate(segments) if i not in again)
