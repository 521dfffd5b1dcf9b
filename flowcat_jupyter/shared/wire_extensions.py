"""What workers are asked about the packages that add to the product."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from flowcat_jupyter.shared import wire
from flowcat_jupyter.shared.extensions import Extension
from flowcat_jupyter.shared.wire import Job


@dataclass(frozen=True)
class ExtensionsJob(Job):
    """Load everything that packages add, and say what became of it; answers an `ExtensionsInfo`."""

    kind: ClassVar[str] = "extensions"


@dataclass(frozen=True)
class ExtensionsInfo:
    """Everything by kind and name; none that packages add is only ``installed`` any more."""

    extensions: tuple[Extension, ...]


wire.register(dict(globals()))
