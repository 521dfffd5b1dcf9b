"""Files on their way into the catalog, received piece by piece."""

from __future__ import annotations

import shutil
import threading
import time
import unicodedata
import uuid
from collections.abc import Callable
from pathlib import Path

from flowcat_jupyter.shared.ages import Ages
from flowcat_jupyter.shared.errors import Conflict, Invalid, LimitExceeded, NotFound

MAX_CHUNK = 4 << 20
MOST = 200
KEPT_FREE = 256 << 20
SEEN_S = 3600.0
_NAME_LENGTH = 120


class Uploads:
    """A private folder with one folder an upload, named by the server.

    Its functions block, and may be called from several threads.
    """

    def __init__(
        self,
        folder: Path,
        *,
        most: int = MOST,
        kept_free: int = KEPT_FREE,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Keep at most ``most`` uploads below ``folder``, which is made when first needed.

        They leave ``kept_free`` bytes of its disk to others. ``clock`` counts seconds.
        """
        self._folder = folder
        self._ages = Ages()
        self._clock = clock
        self._most = most
        self._kept_free = kept_free
        self._lock = threading.Lock()

    def create(self, name: str) -> str:
        """Begin an upload of a file called ``name``; returns its id.

        :raises LimitExceeded: there are too many already.
        """
        with self._lock:
            if self._folder.is_dir() and len(list(self._folder.iterdir())) >= self._most:
                raise LimitExceeded(
                    f"There are {self._most} uploads that nobody has imported.",
                    hint="Import or delete some; a day after its last piece one goes by itself.",
                )
            upload_id = uuid.uuid4().hex
            place = self._folder / upload_id
            place.mkdir(mode=0o700, parents=True)
            (place / _safe(name)).touch(mode=0o600)
            return upload_id

    def append(self, upload_id: str, offset: int, chunk: bytes) -> int:
        """Add bytes at ``offset``; returns how many there are now. Sending a piece again is fine.

        :raises NotFound: there is no such upload.
        :raises Conflict: a piece before this one is missing.
        :raises Invalid: the piece is larger than `MAX_CHUNK`.
        :raises LimitExceeded: the disk is nearly full.
        """
        if len(chunk) > MAX_CHUNK:
            raise Invalid(f"A piece of an upload is at most {MAX_CHUNK} bytes.")
        path = self.path(upload_id)
        if shutil.disk_usage(path.parent).free - len(chunk) < self._kept_free:
            raise LimitExceeded(
                "The server's disk is too full for this file.",
                hint="Free some space, or import a file that is on the server already.",
            )
        with self._lock, path.open("r+b") as file:
            size = file.seek(0, 2)
            if not 0 <= offset <= size:
                raise Conflict(f"The upload has {size} bytes; send the piece that begins there.")
            file.seek(offset)
            file.write(chunk)
            file.truncate()
            return file.tell()

    def path(self, upload_id: str) -> Path:
        """Where an upload's file is.

        :raises NotFound: there is no such upload.
        """
        try:
            place = self._folder / uuid.UUID(upload_id).hex
            return next(place.iterdir())
        except (ValueError, OSError, StopIteration) as error:
            raise NotFound("upload", upload_id, hint="Send the file again.") from error

    def remove(self, upload_id: str) -> None:
        """Forget an upload.

        :raises NotFound: there is no such upload.
        """
        shutil.rmtree(self.path(upload_id).parent, ignore_errors=True)

    def discard(self, upload_id: str) -> None:
        """Forget an upload; one that is gone already is fine."""
        shutil.rmtree(self._folder / uuid.UUID(upload_id).hex, ignore_errors=True)

    def sweep(self, ttl_s: float) -> None:
        """Remove uploads that nothing was added to for ``ttl_s`` seconds.

        By their times, and as far as this process has seen: a clock that was put forward alone
        ends no upload within the hour.
        """
        still = self._ages.older(self._files(), min(ttl_s, SEEN_S), self._clock())
        for path in set(self.older(ttl_s)) & set(still):
            shutil.rmtree(path.parent, ignore_errors=True)

    def older(self, seconds: float) -> tuple[Path, ...]:
        """The files of uploads to which nothing was added for so long, by the times on them."""
        oldest = time.time() - seconds
        return tuple(path for path in self._files() if _modified(path) <= oldest)

    def _files(self) -> list[Path]:
        if not self._folder.is_dir():
            return []
        places = [place for place in self._folder.iterdir() if place.is_dir()]
        return [next(iter(_inside(place)), place / "nothing") for place in places]


def _inside(place: Path) -> list[Path]:
    try:
        return list(place.iterdir())
    except OSError:
        # It was removed meanwhile.
        return []


def _modified(path: Path) -> float:
    try:
        return (path if path.exists() else path.parent).stat().st_mtime
    except OSError:
        return float("inf")


def _safe(name: str) -> str:
    """A file name that says what ``name`` says and can be nothing but a file name."""
    leaf = name.replace("\\", "/").rsplit("/", 1)[-1]
    kept = "".join(char for char in leaf if unicodedata.category(char)[0] != "C")
    return kept.strip(". ")[-_NAME_LENGTH:] or "upload"
