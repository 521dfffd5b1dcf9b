"""Which files a location means, and what the names of their folders say of their rows."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from fnmatch import fnmatchcase
from pathlib import Path, PurePath
from urllib.parse import unquote
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import polars as pl

from flowcat_jupyter.formats.options import Option, Options, flag, only, text
from flowcat_jupyter.formats.parquet_scan import HIVE_NULL, path_values
from flowcat_jupyter.formats.source_partitions import partition_type, partition_values
from flowcat_jupyter.shared.errors import Forbidden, Invalid, LimitExceeded, NotFound
from flowcat_jupyter.shared.looking import is_file, is_folder
from flowcat_jupyter.shared.names import name_key
from flowcat_jupyter.shared.wire_plans import Column
from flowcat_jupyter.storage.moving import PLAN
from flowcat_jupyter.storage.paths import check_inside, local_path
from flowcat_jupyter.storage.patterns import SEPARATOR, alternatives, fixed_part, is_pattern
from flowcat_jupyter.storage.settling import settle, settled

MOST_FILES = 100_000
MOST_DEEP = 200


def _moment(said: str) -> datetime:
    try:
        return datetime.fromisoformat(said.strip())
    except ValueError as error:
        raise ValueError("it is no time like 2026-01-31T12:00:00") from error


def _zone(said: str) -> str:
    try:
        ZoneInfo(said.strip())
    except (ZoneInfoNotFoundError, ValueError) as error:
        raise ValueError("it is no time zone") from error
    return said.strip()


TIME_ZONE = Option("timeZone", _zone, "a time zone such as Europe/Paris", "UTC")
_DAMAGED = "A damaged file is an error, so that no row is missing in silence."
LISTING = (
    text("pathGlobFilter"),
    flag("recursiveFileLookup", False),
    Option("modifiedBefore", _moment, "a time like 2026-01-31T12:00:00"),
    Option("modifiedAfter", _moment, "a time like 2026-01-31T12:00:00"),
    flag("ignoreMissingFiles", False),
    only("ignoreCorruptFiles", ("false",), _DAMAGED),
    text("basePath"),
    flag("partitionColumnTypeInference", True),
    TIME_ZONE,
)
"""The options by which files are found, whatever their format."""


@dataclass(frozen=True)
class DataFile:
    """A file and what its folders' names say: the values of the partition columns, as text."""

    path: str
    values: tuple[str | None, ...] = ()


@dataclass(frozen=True)
class Listed:
    """Files in the order of their names, and their partition columns with each file's values."""

    files: tuple[DataFile, ...]
    partitions: tuple[Column, ...] = ()
    values: tuple[pl.Series, ...] = field(default=(), compare=False)

    def kept(self, wanted: Sequence[bool]) -> Listed:
        """These files alone."""
        files = tuple(file for file, keep in zip(self.files, wanted, strict=True) if keep)
        mask = pl.Series(wanted, dtype=pl.Boolean)
        return Listed(files, self.partitions, tuple(series.filter(mask) for series in self.values))


def list_files(
    location: str, options: Options, label: str, declared: Sequence[Column] = ()
) -> Listed:
    """The files of a location: one path or several, each a file, a folder or a pattern.

    Names that begin with ``_`` or ``.`` are passed over. Folders called ``name=value`` below a
    path are columns, of the type in ``declared`` or the one that all their values have.

    :raises NotFound: a path leads to nothing.
    :raises Invalid: folders are not all partitioned alike, or a value is not of its declared type.
    :raises Forbidden: a link leads out of the location.
    """
    found: dict[str, str] = {}
    for path in location.split(SEPARATOR):
        root = local_path(path)
        settle(Path(root))
        inside = _settled(root, options, label)
        there = is_file(Path(root)) or is_folder(Path(root))
        check_inside([file for file, _ in inside], root if there else fixed_part(root), label)
        for file, base in inside:
            found.setdefault(file, base)
            if len(found) > MOST_FILES:
                raise LimitExceeded(
                    f"{label} is more than {MOST_FILES:,} files.", hint="Name fewer of them."
                )
    files = {file: base for file, base in found.items() if _is_wanted(file, options)}
    if options["recursiveFileLookup"]:
        return Listed(tuple(DataFile(file) for file in files))
    return _partitioned(files, options, label, declared)


def _settled(root: str, options: Options, label: str) -> list[tuple[str, str]]:
    """See `_named_by`; of a folder as it is while nobody moves files in it."""
    if not is_folder(Path(root)):
        return list(_named_by(root, options, label))
    return settled(Path(root), lambda: list(_named_by(root, options, label)))


def _named_by(root: str, options: Options, label: str) -> Iterator[tuple[str, str]]:
    """The files of one path, each with the folder below which folders' names are columns."""
    given = local_path(options["basePath"]) if options["basePath"] else None
    if is_file(Path(root)) or is_folder(Path(root)):
        matches = [root]
    elif is_pattern(root):
        matches = list(_matching(root))
    else:
        matches = []
    if not matches and not options["ignoreMissingFiles"]:
        raise NotFound("file", label if label.count("/") else root)
    for match in matches:
        if given is not None and not Path(match).is_relative_to(given):
            # Its files would count as folders within a folder, and be passed over in silence.
            raise Invalid(
                f"{label} does not lie within its basePath {given}.",
                condition="INVALID_OPTIONS",
                sqlstate="42K06",
                hint="Name a folder above it, or leave basePath out.",
            )
        if is_folder(Path(match)):
            yield from ((file, given or match) for file in _below(Path(match)))
        else:
            yield match, given or str(Path(match).parent)


def _matching(pattern: str) -> Iterator[str]:
    for each in alternatives(pattern):
        relative = str(PurePath(each).relative_to("/"))
        yield from (
            str(path) for path in sorted(Path("/").glob(relative)) if not _hidden(path.name)
        )


def _below(folder: Path, depth: int = 0) -> Iterator[str]:
    if depth > MOST_DEEP:
        raise LimitExceeded(f"{folder} is nested too deeply.", hint="Name a folder further down.")
    entries = _entries(folder)
    if depth and any(entry.name == PLAN for entry in entries):
        entries = settled(folder, lambda: _entries(folder))
    for entry in entries:
        if _hidden(entry.name):
            continue
        if _leads_on(entry):
            yield from _below(Path(entry.path), depth + 1)
        elif entry.is_file():
            yield entry.path


def _leads_on(entry: os.DirEntry[str]) -> bool:
    """Whether an entry is a folder to go down into."""
    try:
        return entry.is_dir()
    except OSError as error:
        raise Invalid(
            f"{entry.name} cannot be looked at: {error.strerror}.",
            hint="Remove links that lead back to where they are.",
        ) from error


def _entries(folder: Path) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as scan:
            return sorted(scan, key=lambda entry: entry.name)
    except PermissionError as error:
        raise Forbidden("read", "folder", folder.name) from error
    except OSError as error:
        raise Invalid(f"{folder.name} cannot be looked at: {error.strerror}.") from error


def _hidden(name: str) -> bool:
    return name.startswith(".") or (name.startswith("_") and "=" not in name)


def _is_wanted(path: str, options: Options) -> bool:
    name = Path(path).name
    if _hidden(name):
        return False
    globs = options["pathGlobFilter"]
    if globs and not any(fnmatchcase(name, each) for each in alternatives(globs)):
        return False
    before, after = options["modifiedBefore"], options["modifiedAfter"]
    if before is None and after is None:
        return True
    zone = ZoneInfo(options["timeZone"])
    changed = datetime.fromtimestamp(Path(path).stat().st_mtime, UTC)
    earlier = before is None or changed < _aware(before, zone)
    return earlier and (after is None or changed > _aware(after, zone))


def _aware(moment: datetime, zone: ZoneInfo) -> datetime:
    return moment if moment.tzinfo else moment.replace(tzinfo=zone)


def _partitioned(
    files: dict[str, str], options: Options, label: str, declared: Sequence[Column]
) -> Listed:
    pairs = {
        file: [(unquote(name), value) for name, value in path_values(file, base) if name]
        for file, base in files.items()
    }
    if not any(pairs.values()):
        # Folders within a folder are no part of it unless somebody says so.
        direct = [file for file, base in files.items() if str(Path(file).parent) == base]
        return Listed(tuple(DataFile(file) for file in direct))
    names = _one_list(pairs, label)
    listed = [DataFile(file, tuple(value for _, value in pairs[file])) for file in files]
    texts = list(zip(*(file.values for file in listed), strict=True))
    types = {name_key(column.name): column for column in declared}
    columns, values = [], []
    for name, column_texts in zip(names, texts, strict=True):
        known = types.get(name_key(name))
        infer = options["partitionColumnTypeInference"]
        ddl = known.type if known else partition_type(column_texts) if infer else "string"
        columns.append(Column(known.name if known else name, ddl))
        values.append(partition_values(name, column_texts, ddl, options["timeZone"]))
    return Listed(tuple(listed), tuple(columns), tuple(values))


def _one_list(pairs: dict[str, list[tuple[str, str | None]]], label: str) -> list[str]:
    lists = {tuple(name for name, _ in each): file for file, each in pairs.items()}
    if len({tuple(map(name_key, names)) for names in lists}) > 1:
        shown = "; ".join(
            f"{', '.join(names) or 'none'} ({Path(file).name})" for names, file in lists.items()
        )
        raise Invalid(
            f"The folders of {label} are not all partitioned by the same columns: {shown}.",
            condition="CONFLICTING_PARTITION_COLUMN_NAMES",
            sqlstate="KD009",
            hint="Keep data in the innermost folders alone, or set recursiveFileLookup to true "
            "to read the files without the columns of their folders.",
        )
    names = list(next(iter(lists)))
    if len({name_key(name) for name in names}) < len(names):
        raise Invalid(f"A folder of {label} is partitioned by the same column twice.")
    return names


_SEGMENT = re.compile(r"[\"#%'*/:=?\\\x00-\x1f\x7f{\[\]^]")


def folder_name(name: str, value: str | None) -> str:
    """The name of the folder for rows in which a column has a value, given as text."""
    # A name that begins with a dot would hide the folder, and its rows.
    shown = re.sub(r"\A\.", "%2E", _escaped(name))
    return f"{shown}={HIVE_NULL if value is None else _escaped(value)}"


def _escaped(said: str) -> str:
    return _SEGMENT.sub(lambda found: f"%{ord(found.group()):02X}", said)
