"""What the product is made of by name: what comes with it, and what installed packages add.

Only the metadata of packages are read here. Nothing of theirs is imported: that happens in
workers, and in the kernel that asks for it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from importlib.metadata import EntryPoint, entry_points, version

from flowcat_jupyter.shared.names import name_key

ENGINE = "engine"
FORMAT = "format"
DATA_SOURCE = "data source"
OURS = "flowcat-jupyter"
BUILT_IN, INSTALLED, LOADED, FAILED = "built in", "installed", "loaded", "failed"

GROUPS: dict[str, str] = {
    ENGINE: "flowcat.engines",
    FORMAT: "flowcat.formats",
    DATA_SOURCE: "flowcat.data_sources",
}
"""The entry point group of every kind."""

ENGINES: dict[str, str] = {
    "polars": "flowcat_jupyter.engines.polars:ENGINE",
    "duckdb": "flowcat_jupyter.engines.duckdb:ENGINE",
}
FORMATS: dict[str, str] = {
    "delta": "flowcat_jupyter.formats.delta:FORMAT",
    "iceberg": "flowcat_jupyter.formats.iceberg:FORMAT",
    "parquet": "flowcat_jupyter.formats.source_formats:PARQUET",
    "csv": "flowcat_jupyter.formats.source_formats:CSV",
    "json": "flowcat_jupyter.formats.source_formats:JSON",
    "text": "flowcat_jupyter.formats.source_formats:TEXT",
    "binary": "flowcat_jupyter.formats.source_formats:BINARY",
    "binaryFile": "flowcat_jupyter.formats.source_formats:BINARY",
    "arrow": "flowcat_jupyter.formats.source_formats:ARROW",
    "avro": "flowcat_jupyter.formats.source_formats:AVRO",
    "noop": "flowcat_jupyter.formats.sink_none:NOOP",
    "console": "flowcat_jupyter.formats.sink_none:CONSOLE",
    "rate": "flowcat_jupyter.formats.source_streams:RATE",
    "socket": "flowcat_jupyter.formats.source_streams:SOCKET",
}
OWN: dict[str, dict[str, str]] = {ENGINE: ENGINES, FORMAT: FORMATS}
"""What comes with the product: ``module:attribute`` by name, by kind."""

SOURCE_MADE_BY = "flowcat_jupyter.formats.python:installed_source"
"""What makes a format of a class of data sources."""

_SPACES = {ENGINE: ENGINE, FORMAT: FORMAT, DATA_SOURCE: FORMAT}
"""Kinds whose names are told apart: ``USING name`` means a format or a data source."""


@dataclass(frozen=True)
class Extension:
    """One thing by name, and where it comes from.

    ``target`` is the ``module:attribute`` that holds it. ``state`` is ``built in``; ``installed``
    for one that no process has loaded yet; ``loaded``; or ``failed``, and then ``reason`` says why.
    """

    kind: str
    name: str
    target: str
    distribution: str
    version: str
    state: str
    reason: str | None = None

    @property
    def origin(self) -> str:
        """The package it comes from, with its version."""
        return f"{self.distribution} {self.version}".strip()


def known_extensions(*kinds: str) -> tuple[Extension, ...]:
    """Everything (of ``kinds``) by kind and name, from metadata alone; what cannot be used has
    failed.

    Never raises for what a package says: a name that two packages give, or that is one of ours,
    is listed with each of them and told as their failure.
    """
    points = entry_points()  # once: it opens the metadata of every package there is
    found = [*_own()]
    for kind, group in GROUPS.items():
        found += _installed(kind, points.select(group=group))
    named: defaultdict[tuple[str, str], list[Extension]] = defaultdict(list)
    for item in found:
        named[_SPACES[item.kind], name_key(item.name)].append(item)
    wanted = kinds or tuple(GROUPS)
    told = [i for same in named.values() for i in _settled(same) if i.kind in wanted]
    order = list(GROUPS)
    return tuple(
        sorted(told, key=lambda item: (order.index(item.kind), name_key(item.name), item.origin))
    )


def _own() -> Iterator[Extension]:
    ours = version(OURS)
    for kind, targets in OWN.items():
        for name, target in targets.items():
            yield Extension(kind, name, target, OURS, ours, BUILT_IN)


def _installed(kind: str, points: Iterable[EntryPoint]) -> Iterator[Extension]:
    for point in points:
        package, number = _package(point)
        item = Extension(kind, point.name, point.value, package, number, INSTALLED)
        module, _, attribute = point.value.partition(":")
        if module.strip() and attribute.strip():
            yield item
        else:
            reason = f"Its entry point says {point.value!r}, which is not module:attribute."
            yield replace(item, state=FAILED, reason=reason)


def _package(point: EntryPoint) -> tuple[str, str]:
    if point.dist is None:
        return "", ""
    return str(point.dist.name or ""), str(point.dist.version or "")


def _settled(same: Sequence[Extension]) -> Iterator[Extension]:
    """Things of one name: of several, none that is not ours can be used."""
    for item in same:
        others = [other for other in same if other is not item]
        if others and item.state != BUILT_IN:
            listed = ", ".join(f"a {other.kind} of {other.origin}" for other in others)
            reason = f"The name is also that of {listed}."
            yield replace(item, state=FAILED, reason=reason)
        else:
            yield item
