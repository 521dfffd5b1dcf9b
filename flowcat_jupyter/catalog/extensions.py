"""What is built in and what installed packages add, as the server knows it."""

from __future__ import annotations

from flowcat_jupyter.shared.extensions import Extension, known_extensions


def loaded_extensions() -> tuple[Extension, ...]:
    """Every engine, format and data source, by kind and name; no package's code is run."""
    return known_extensions()
