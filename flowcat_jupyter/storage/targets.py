"""Where tables lie: the only code that builds a table's path."""

from __future__ import annotations

import os
import re
import shutil
import unicodedata
import uuid
from collections.abc import Sequence
from pathlib import Path

from flowcat_jupyter.shared.errors import Forbidden, Invalid, NotFound, Unavailable
from flowcat_jupyter.shared.looking import is_folder
from flowcat_jupyter.storage.folders import ASIDE, StoredFolder, TableFolders
from flowcat_jupyter.storage.listing import Listing, is_hidden
from flowcat_jupyter.storage.paths import check_delta_path, local_path
from flowcat_jupyter.storage.patterns import is_pattern
from flowcat_jupyter.storage.rejects import FOLDER as REJECTS

_SLUG_LENGTH = 40


class LocalStorage:
    """Managed tables under one folder of this machine, external ones under allowed folders."""

    def __init__(
        self,
        root: Path,
        allowed_roots: Sequence[Path] = (),
        private: Sequence[Path] = (),
    ) -> None:
        """``root`` holds managed tables; external ones may lie under it or ``allowed_roots``.

        Nobody imports files from ``root`` or from ``private`` folders, which are the catalog's own.

        :raises Invalid: no Delta table could lie under ``root``; the message says why.
        """
        check_delta_path(str(root.absolute()))
        self.root = root.resolve()
        check_delta_path(str(self.root))
        self.allowed_roots = (self.root, *(path.resolve() for path in allowed_roots))
        self._private = tuple(path.resolve() for path in private)
        self._folders = TableFolders(self.root)

    def new_table_location(self, catalog_storage_uri: str | None, name: str) -> str:
        """A path nothing lies at yet, for a table called ``name``; nothing is touched.

        ``catalog_storage_uri`` is the catalog's own folder, None the default. The name is only a
        hint for people: the path is ASCII, and unique whatever the name.

        :raises Invalid: no Delta table could lie there.
        :raises Forbidden: the catalog's folder is outside the allowed roots.
        """
        base = self.root if catalog_storage_uri is None else self._allowed(catalog_storage_uri)
        return check_delta_path(str(base / f"{_slug(name)}_{uuid.uuid4().hex}"))

    def owns(self, location: str) -> bool:
        """Whether a path lies inside the root, symbolic links resolved, and is not the root."""
        try:
            path = _resolved(location)
        except Invalid:
            return False
        return path != self.root and path.is_relative_to(self.root)

    def remove(self, location: str) -> None:
        """Delete a managed table's folder; one that is gone already is fine.

        :raises Forbidden: it is not a folder of ours.
        :raises Unavailable: the operating system refused.
        """
        if not self.owns(location) or Path(local_path(location)).is_symlink():
            raise Forbidden("delete", "folder", location)
        path = _resolved(location)
        try:
            while os.path.lexists(path):
                _remove_tree(path)
        except OSError as error:
            raise Unavailable(f"A table's files cannot be deleted: {error.strerror}.") from error

    def table_folders(self) -> tuple[StoredFolder, ...]:
        """Every folder that was made for a managed table."""
        return self._folders.all()

    def is_there(self, location: str) -> bool:
        """Whether anything lies at a location."""
        return os.path.lexists(local_path(location))

    def set_aside(self, location: str) -> str:
        """Move a managed table's folder to where no table is looked for; where that is.

        :raises Forbidden: it is not a folder of ours.
        :raises Unavailable: the operating system refused.
        """
        return self._folders.set_aside(location)

    def mend(self) -> int:
        """Finish what a crash interrupted in managed tables of files; how many were mended."""
        return self._folders.mend()

    def claim(self, catalog_id: str, *, known: bool) -> bool:
        """Whether the root belongs to a catalog; see `TableFolders.claim`."""
        return self._folders.claim(catalog_id, known=known)

    def check_external(self, path: str) -> str:
        """The real path of data to register, symbolic links resolved.

        Outside the allowed roots nothing is looked at, so a refusal tells nothing about them.

        :raises Forbidden: it lies outside the allowed roots.
        :raises NotFound: there is nothing.
        :raises Invalid: it is not a local path, or the operating system refuses to look at it.
        """
        real = self._allowed(path)
        if any(real.is_relative_to(self.root / hidden) for hidden in (REJECTS, ASIDE)):
            # Each line there is for those alone who see its run, or saw the table.
            raise Forbidden("use", "path", path)
        try:
            found = real.exists()
        except OSError as error:
            raise Invalid(
                f"The path cannot be looked at: {error.strerror}.",
                condition="INVALID_LOCATION",
                sqlstate="42K03",
            ) from error
        if not (found or is_pattern(str(real))):
            raise NotFound("file", path)
        return str(real)

    def check_place(self, path: str) -> str:
        """The real path of a place to write to, symbolic links resolved; it need not be there.

        :raises Forbidden: it lies outside the allowed roots, or in the catalog's own folders.
        :raises Invalid: it is not a local path.
        """
        real = self._allowed(path)
        if self._is_private(real):
            raise Forbidden("write to", "path", path)
        return str(real)

    def files(self, path: str) -> tuple[str, ...]:
        """The real paths of the files that a path, a folder or a pattern means.

        Folders and patterns reach neither hidden files nor the catalog's own.

        :raises Forbidden: they lie outside the allowed roots, hidden, or in the catalog's folders.
        :raises NotFound: there is none.
        :raises Invalid: it is neither a file nor a folder, or it is a Delta table.
        :raises LimitExceeded: there are too many.
        """
        real = self._allowed(path)
        if self._is_private(real):
            raise Forbidden("import", "file", path)
        wide = not os.path.lexists(real) or is_folder(real)
        if wide and all(is_hidden(real, root) for root in self._roots_of(real)):
            raise Forbidden(
                "import", "folder", path, hint="It is hidden; name its files one by one."
            )
        return tuple(str(file) for file in Listing(self._is_allowed, self._is_private).files(real))

    def _is_private(self, real: Path) -> bool:
        if real.is_relative_to(self.root):
            return True
        # A root that somebody allowed inside such a folder is meant.
        inner = [
            root
            for root in self.allowed_roots
            if root not in self._private and real.is_relative_to(root)
        ]
        return any(
            real.is_relative_to(folder) and not any(r.is_relative_to(folder) for r in inner)
            for folder in self._private
        )

    def _roots_of(self, real: Path) -> list[Path]:
        return [root for root in self.allowed_roots if real.is_relative_to(root)]

    def _is_allowed(self, real: Path) -> bool:
        return bool(self._roots_of(real))

    def _allowed(self, path: str) -> Path:
        real = _resolved(path)
        if not self._is_allowed(real):
            raise Forbidden(
                "use",
                "path",
                path,
                hint="Tables may lie under the folders listed in allowed_roots.",
            )
        return real


def _resolved(location: str) -> Path:
    if "\0" in location or not location.strip():
        raise Invalid(
            "A table's location is a folder's path.",
            condition="INVALID_LOCATION",
            sqlstate="42K03",
        )
    try:
        return Path(os.path.realpath(local_path(location)))
    except OSError as error:
        raise Invalid("The location cannot be resolved.") from error


def _remove_tree(path: Path) -> None:
    """Delete a folder; another process that deletes it as well is no fault."""
    try:
        shutil.rmtree(path)
    except FileNotFoundError:
        return


def _slug(name: str) -> str:
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode()
    slug = re.sub(r"[^a-z0-9]+", "_", plain.lower()).strip("_")
    return slug[:_SLUG_LENGTH].strip("_") or "table"
