"""An Iceberg table's files on this machine: none that lies outside the table's folder."""

from __future__ import annotations

from pathlib import Path
from types import TracebackType
from typing import BinaryIO, cast

from pyiceberg.io import FileIO, InputFile, InputStream, OutputFile, OutputStream

from flowcat_jupyter.shared.errors import Forbidden, Unavailable
from flowcat_jupyter.storage.paths import check_inside, local_path


class LocalFiles(FileIO):
    """Opens and makes files below ``root``, which is called ``label`` in errors.

    Metadata name every file in full, and may name any: one outside is neither opened nor made.
    As a context it removes again what was made in it, if the block raises.
    """

    def __init__(self, root: str, label: str) -> None:
        """Serve one table."""
        super().__init__({})
        self._root = root
        self._label = label
        self.made: list[Path] = []

    def path(self, location: str) -> Path:
        """Where a file of the table lies.

        :raises Forbidden: outside its folder.
        :raises Invalid: on another machine.
        """
        path = local_path(location)
        if ".." in Path(path).parts:
            raise Forbidden("read", "table", self._label)
        check_inside([path], self._root, self._label)
        return Path(path)

    def new_input(self, location: str) -> InputFile:
        """A file to read."""
        return _Input(location, self.path(location))

    def new_output(self, location: str) -> OutputFile:
        """A file to make."""
        Path(self._root).mkdir(parents=True, exist_ok=True)
        path = self.path(location)
        self.made.append(path)
        return _Output(location, path)

    def delete(self, location: str | InputFile | OutputFile) -> None:
        """Remove a file that this has made; all others stay as they are."""
        name = location if isinstance(location, str) else location.location
        path = self.path(name)
        if path in self.made:
            path.unlink(missing_ok=True)

    def __enter__(self) -> LocalFiles:
        """Begin to make files."""
        self.made.clear()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Keep what was made, or after an error none of it."""
        if error is not None:
            for path in self.made:
                path.unlink(missing_ok=True)


class _Input(InputFile):
    def __init__(self, location: str, path: Path) -> None:
        super().__init__(location)
        self._path = path

    def __len__(self) -> int:
        return self._path.stat().st_size

    def exists(self) -> bool:
        return self._path.exists()

    def open(self, seekable: bool = True) -> InputStream:
        return cast(InputStream, self._path.open("rb"))


class _Output(OutputFile):
    def __init__(self, location: str, path: Path) -> None:
        super().__init__(location)
        self._path = path

    def __len__(self) -> int:
        return self._path.stat().st_size

    def exists(self) -> bool:
        return self._path.exists()

    def to_input_file(self) -> InputFile:
        return _Input(self.location, self._path)

    def create(self, overwrite: bool = False) -> OutputStream:
        self._path.parent.mkdir(parents=True, exist_ok=True)
        try:
            stream: BinaryIO = self._path.open("wb" if overwrite else "xb")
        except OSError as error:
            raise Unavailable(f"The table's folder cannot be written: {error.strerror}.") from error
        return cast(OutputStream, stream)
