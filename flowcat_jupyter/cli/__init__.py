"""The command line, ``flowcat``."""

from __future__ import annotations

from flowcat_jupyter.cli.main import main

__all__ = ["main"]
