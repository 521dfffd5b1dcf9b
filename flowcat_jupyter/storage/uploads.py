"""Files on their way into the catalog, received piece by piece."""

from __future__ import annotations

import shutil
import time
import unicodedata
import uuid
from pathlib import Path

from flowcat_jupyter.shared.errors import Conflict, Invalid, NotFound

MAX_CHUNK = 4 << 20
_NAME_LENGTH = 120


class Uploads:
    """A private folder with one folder an upload, named by the server."""

    def __init__(self, folder: Path) -> None:
        """Keep uploads below ``folder``, which is made when first needed."""
        self._folder = folder

    def create(self, name: str) -> str:
        """Begin an upload of a file called ``name``; returns its id."""
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
        """
        if len(chunk) > MAX_CHUNK:
            raise Invalid(f"A piece of an upload is at most {MAX_CHUNK} bytes.")
        path = self.path(upload_id)
        with path.open("r+b") as file:
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

    def sweep(self, ttl_s: float) -> None:
        """Remove uploads that nothing was added to for ``ttl_s`` seconds."""
        oldest = time.time() - ttl_s
        if not self._folder.is_dir():
            return
        for place in self._folder.iterdir():
            newest = max((path.stat().st_mtime for path in place.iterdir()), default=0.0)
            if newest < oldest:
                shutil.rmtree(place, ignore_errors=True)


def _safe(name: str) -> str:
    """A file name that says what ``name`` says and can be nothing but a file name."""
    leaf = name.replace("\\", "/").rsplit("/", 1)[-1]
    kept = "".join(char for char in leaf if unicodedata.category(char)[0] != "C")
    return kept.strip(". ")[-_NAME_LENGTH:] or "upload"
