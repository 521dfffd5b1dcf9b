"""From what a person names (files, folders, patterns, archives) to the files to read."""

from __future__ import annotations

import zipfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from flowcat_jupyter.formats.files_bytes import FileBytes, cut_short
from flowcat_jupyter.shared.errors import Forbidden, Invalid, NotFound

MAX_FILES = 10_000
MAX_MEMBERS = 100_000
ALL_MEMBERS = "*"
_ZIP = b"PK\x03\x04"
_EMPTY_ZIP = b"PK\x05\x06"
_OLD_OFFICE = b"\xd0\xcf\x11\xe0"
_PACKED = {
    b"\x1f\x8b": "gzip",
    b"\x28\xb5\x2f\xfd": "zstd",
    b"BZh": "bzip2",
    b"\xfd7zXZ\x00": "xz",
}
_BINARY = {
    b"%PDF": "a PDF document",
    b"\x89PNG": "a PNG image",
    b"\xff\xd8\xff": "a JPEG image",
    b"GIF8": "a GIF image",
    b"SQLite format 3\x00": "a SQLite database",
    b"\x7fELF": "a program",
    b"7z\xbc\xaf": "a 7z archive",
    b"Rar!": "a RAR archive",
    b"ORC": "an ORC file",
}
_KINDS = {
    b"PAR1": "parquet",
    b"ARROW1": "arrow",
    b"\xff\xff\xff\xff": "arrow",
    b"Obj\x01": "avro",
    _OLD_OFFICE: "excel",
}
_EXTRA = "__MACOSX/"
_ENCRYPTED = 0x1
_KEPT_OPEN_FROM = 100
_ODS = b"application/vnd.oasis.opendocument.spreadsheet"


@dataclass(frozen=True)
class Opened:
    """The files to read as one table, in order, and what to tell of those left out.

    ``members``: all data files of an archive that was named alone, for a choice among them.
    """

    files: tuple[FileBytes, ...]
    warnings: tuple[str, ...] = ()
    members: tuple[str, ...] = ()


def open_paths(paths: Sequence[str | Path], member: str | None = None) -> Opened:
    """Look at what ``paths`` name: files, folders (all files in and below them) and patterns.

    ``member`` chooses from an archive; None and `ALL_MEMBERS` take all of its data files.

    :raises NotFound: nothing is there.
    :raises Invalid: no file is left, one is empty, or of a kind that cannot be read.
    """
    files: list[FileBytes] = []
    skipped: list[str] = []
    single = False
    for path in paths:
        found = list(_expand(Path(path), skipped))
        single = found == [Path(path)] and len(paths) == 1
        for packed in _all_members(found, member, skip_empty=not single, skipped=skipped):
            if len(files) >= MAX_FILES:
                raise Invalid(
                    f"There are more than {MAX_FILES:,} files.", hint="Import them in parts."
                )
            files.append(packed)
    if not files:
        names = ", ".join(Path(path).name for path in paths)
        raise Invalid(f"There is no file to read in {names}.", hint=_left_out(skipped))
    members = data_members(files[0].path) if single and files[0].packing == "zip" else ()
    warnings = (f"Left out: {_left_out(skipped)}.",) if skipped else ()
    return Opened(tuple(files), warnings, members)


def _left_out(skipped: list[str]) -> str | None:
    if not skipped:
        return None
    more = f" and {len(skipped) - 5:,} more" if len(skipped) > 5 else ""
    return f"{', '.join(skipped[:5])}{more}"


def _expand(path: Path, skipped: list[str]) -> Iterator[Path]:
    try:
        if path.is_dir():
            yield from _in_order(path, path.rglob("*"), skipped)
        elif path.exists() or not any(mark in str(path) for mark in "*?["):
            yield path
        else:
            base, pattern = _split_pattern(path)
            found = list(_in_order(base, base.glob(pattern), skipped))
            if not found:
                raise NotFound("file", path.name)
            yield from found
    except PermissionError as e:
        raise Forbidden("read", "file", path.name) from e
    except (OSError, ValueError, RecursionError) as e:
        raise Invalid(f"{path.name!r} cannot be read ({e}).") from e


def _split_pattern(path: Path) -> tuple[Path, str]:
    parts = path.parts
    first = next(i for i, part in enumerate(parts) if any(mark in part for mark in "*?["))
    return Path(*parts[:first]), str(Path(*parts[first:]))


def _in_order(base: Path, found: Iterator[Path], skipped: list[str]) -> Iterator[Path]:
    for path in sorted(found):
        inside = path.relative_to(base)
        if path.is_dir():
            continue
        # What Spark and most writers leave behind is hidden in this way, and is no data.
        if any(part.startswith((".", "_")) for part in inside.parts):
            skipped.append(str(inside))
        else:
            yield path


def _all_members(
    paths: Sequence[Path], member: str | None, *, skip_empty: bool, skipped: list[str]
) -> Iterator[FileBytes]:
    for path in paths:
        yield from _members(path, member, skip_empty=skip_empty, skipped=skipped)


def _members(
    path: Path, member: str | None, *, skip_empty: bool, skipped: list[str]
) -> Iterator[FileBytes]:
    head = _magic(path)
    if skip_empty and not head:
        skipped.append(f"{path.name} (empty)")
        return
    size = path.stat().st_size
    if head.startswith((_ZIP, _EMPTY_ZIP)) and not is_workbook(path):
        chosen, infos = _chosen(path, member), _infos(path)
        # Few files stay open even where there are many archives.
        archive = zipfile.ZipFile(path) if len(chosen) > _KEPT_OPEN_FROM else None
        for name in chosen:
            yield _checked(FileBytes(path, "zip", infos[name].file_size, name, archive))
        return
    if member not in (None, ALL_MEMBERS, ""):
        raise Invalid(f"{path.name} is not a zip archive, so it has no member {member!r}.")
    packing = next((name for magic, name in _PACKED.items() if head.startswith(magic)), "plain")
    yield _checked(FileBytes(path, packing, size))


def _checked(packed: FileBytes) -> FileBytes:
    head = packed.head(512)
    if not head:
        raise Invalid(f"{packed.label} is empty.", hint="Choose a file that holds data.")
    for magic, what in _BINARY.items():
        if head.startswith(magic):
            raise Invalid(
                f"{packed.label} is {what}, which cannot be imported.",
                hint="Delimited text, JSON, Parquet, Arrow, Avro and spreadsheets can be, also "
                "in gzip, zstd, bzip2, xz or zip.",
            )
    return packed


def _magic(path: Path) -> bytes:
    try:
        with path.open("rb") as raw:
            return raw.read(8)
    except (FileNotFoundError, NotADirectoryError) as e:
        raise NotFound("file", path.name) from e
    except PermissionError as e:
        raise Forbidden("read", "file", path.name) from e
    except (OSError, ValueError) as e:
        raise Invalid(f"{path.name!r} cannot be read ({e}).") from e


def binary_kind(packed: FileBytes) -> str | None:
    """The format of a file that is not text: by its first bytes, or for a workbook its members."""
    head = packed.head(8)
    for magic, kind in _KINDS.items():
        if head.startswith(magic):
            return kind
    if packed.packing == "plain" and head.startswith(_ZIP):
        return "excel"
    return None


def is_workbook(path: Path) -> bool:
    """Whether a zip archive is a spreadsheet; a document of another kind is refused."""
    names = _infos(path)
    if "xl/workbook.xml" in names or "xl/workbook.bin" in names:
        return True
    if "mimetype" in names:
        with zipfile.ZipFile(path) as archive, archive.open("mimetype") as kind:
            if kind.read(100).startswith(_ODS):
                return True
    if any(name.startswith(("xl/", "word/", "ppt/", "META-INF/")) for name in names):
        raise Invalid(
            f"{path.name} is an Office document, which cannot be imported.",
            hint="Spreadsheets (xlsx, xls, ods) can be; or save the data as CSV.",
        )
    return False


def _infos(path: Path) -> dict[str, zipfile.ZipInfo]:
    try:
        with zipfile.ZipFile(path) as archive:
            infos = archive.infolist()
    except (zipfile.BadZipFile, NotImplementedError, OSError, ValueError) as e:
        raise cut_short(path.name, e) from e
    if len(infos) > MAX_MEMBERS:
        raise Invalid(f"{path.name} holds more than {MAX_MEMBERS:,} files.")
    return {item.filename: item for item in infos if not item.is_dir()}


def data_members(path: Path) -> tuple[str, ...]:
    """The data files of a zip archive, in the order of their names."""
    infos = _infos(path)
    if any(item.flag_bits & _ENCRYPTED for item in infos.values()):
        raise Invalid(f"{path.name} is protected by a password.", hint="Unpack it first.")
    plain = [name for name in infos if not name.startswith(_EXTRA)]
    return tuple(sorted(n for n in plain if not n.rpartition("/")[2].startswith((".", "_"))))


def _chosen(path: Path, member: str | None) -> tuple[str, ...]:
    members = data_members(path)
    if not members:
        raise Invalid(f"{path.name} holds no data file.", hint="Choose another archive.")
    if member in (None, ALL_MEMBERS, ""):
        return members
    if member not in members:
        raise NotFound("member", str(member), hint=f"There are: {', '.join(members[:20])}.")
    return (str(member),)
