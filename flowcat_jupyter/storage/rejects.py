"""Files of lines that became no row, one an import."""

from __future__ import annotations

import uuid
from pathlib import Path

from flowcat_jupyter.shared.errors import Unavailable

FOLDER = ".rejects"


class RejectFiles:
    """A private folder of one file a run, with names of the server's own making.

    Its functions block, and may be called from several threads.
    """

    def __init__(self, folder: Path) -> None:
        """Keep them in ``folder``, which is made when first needed."""
        self._folder = folder

    def new_location(self) -> str:
        """Where a run may put its file; made from text alone, nothing is touched."""
        return str(self._folder / f"{uuid.uuid4().hex}.arrow")

    def prepare(self) -> None:
        """Make the folder.

        :raises Unavailable: it cannot be made.
        """
        try:
            self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        except OSError as error:
            raise Unavailable(
                f"The folder for rejected lines cannot be made: {error.strerror}.",
                hint="Check the space in the storage folder and who may write there.",
            ) from error

    def exists(self, location: str) -> bool:
        """Whether a run left a file."""
        path = Path(location)
        return path.parent == self._folder and path.is_file()

    def remove(self, location: str) -> None:
        """Delete a file of ours; one that is gone already is fine."""
        path = Path(location)
        if path.parent == self._folder:
            path.unlink(missing_ok=True)

    def all(self) -> tuple[str, ...]:
        """Where every file is."""
        if not self._folder.is_dir():
            return ()
        return tuple(sorted(str(path) for path in self._folder.iterdir() if path.is_file()))
