"""The folders of tables as they lie on the disk: which there are, and setting some aside."""

from __future__ import annotations

import os
import re
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from flowcat_jupyter.shared.errors import Forbidden, Unavailable
from flowcat_jupyter.storage.settling import is_settled, mend

ASIDE = ".set-aside"
OWNER = ".catalog"
_OURS = re.compile(r"[a-z0-9_]+_[0-9a-f]{32}\Z")
_MOST_LOOKED_AT = 20_000


@dataclass(frozen=True)
class StoredFolder:
    """A folder that the catalog made for a table.

    ``committed`` if rows were once committed to it, ``age_s`` the seconds since it last changed.
    """

    location: str
    committed: bool
    age_s: float


class TableFolders:
    """What lies right below the root of managed tables."""

    def __init__(self, root: Path) -> None:
        """``root`` is a real path."""
        self._root = root

    def all(self) -> tuple[StoredFolder, ...]:
        """Every folder of a name that the catalog gives; others are none of its business."""
        return tuple(
            StoredFolder(str(path), _committed(path), _age_s(path)) for path in self._found()
        )

    def mend(self) -> int:
        """Finish writes that a crash interrupted; how many folders were mended.

        One where somebody is at work, or that resists, is left for another time.
        """
        done = 0
        for path in self._found():
            if not is_settled(path):
                with suppress(Unavailable):
                    mend(path, wait_s=0)
                    done += is_settled(path)
        return done

    def _found(self) -> list[Path]:
        if not self._root.is_dir():
            return []
        return [
            path
            for path in sorted(self._root.iterdir())
            if _OURS.match(path.name) and path.is_dir() and not path.is_symlink()
        ]

    def set_aside(self, location: str) -> str:
        """Move a folder to where no table is looked for; where it is now.

        :raises Forbidden: it is not one of `all`.
        :raises Unavailable: the operating system refuses.
        """
        path = Path(location)
        if path.parent != self._root or not _OURS.match(path.name) or path.is_symlink():
            raise Forbidden("move", "folder", location)
        target = self._root / ASIDE / path.name
        try:
            target.parent.mkdir(mode=0o700, exist_ok=True)
            path.rename(target)
        except OSError as error:
            raise Unavailable(f"A folder cannot be moved: {error.strerror}.") from error
        return str(target)

    def aside(self) -> tuple[str, ...]:
        """The folders that were set aside."""
        place = self._root / ASIDE
        return tuple(sorted(map(str, place.iterdir()))) if place.is_dir() else ()

    def claim(self, catalog_id: str, *, known: bool) -> bool:
        """Whether the root belongs to a catalog; one that belongs to none is taken for it.

        That is so where the catalog has ``known`` tables there, or there is no table at all. Two
        databases over one folder would else take each other's tables for leftovers.
        """
        mark = self._root / OWNER
        try:
            if mark.is_file():
                return mark.read_text("utf-8").strip() == catalog_id
            if not known and self.all():
                return False
            self._root.mkdir(parents=True, exist_ok=True)
            with mark.open("x", encoding="utf-8") as file:
                file.write(f"{catalog_id}\n")
        except FileExistsError:
            return self.claim(catalog_id, known=known)
        except OSError:
            # A folder that cannot be written: nothing can be removed there either.
            return False
        return True


def _committed(folder: Path) -> bool:
    return _has(folder / "_delta_log", r"\d+\.json") or _has(
        folder / "metadata", r".*\.metadata\.json"
    )


def _has(log: Path, name: str) -> bool:
    try:
        return any(re.fullmatch(name, path.name) for path in log.iterdir())
    except OSError:
        return False


def _age_s(folder: Path) -> float:
    """Seconds since anything in it changed; of a very large one, since what was looked at did."""
    newest, looked_at = 0.0, 0
    for place, _, files in os.walk(folder):
        for name in (".", *files):
            try:
                newest = max(newest, (Path(place) / name).stat().st_mtime)
            except OSError:
                # Somebody is at work there.
                return 0.0
            looked_at += 1
        if looked_at > _MOST_LOOKED_AT:
            break
    return time.time() - newest
