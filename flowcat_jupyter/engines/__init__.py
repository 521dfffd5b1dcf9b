"""Engines that run lowered queries; `ENGINES` imports each when it is first asked for."""

from __future__ import annotations

from flowcat_jupyter.engines.protocol import Engine
from flowcat_jupyter.shared.registry import Registry

ENGINES: Registry[Engine] = Registry("engine")
ENGINES.register("polars", "flowcat_jupyter.engines.polars:ENGINE")
