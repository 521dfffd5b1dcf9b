"""Where the extra is missing."""

from __future__ import annotations

import subprocess
import sys

_TEXT = """
import sys
sys.modules["pyiceberg"] = None
from flowcat_jupyter.registries import formats
from flowcat_jupyter.shared.errors import NotInstalled
try:
    formats().get("iceberg")
except NotInstalled as error:
    print(error.message, error.hint)
"""


def test_the_extra_is_named_where_it_is_missing() -> None:
    done = subprocess.run(  # noqa: S603 - words of our own
        [sys.executable, "-c", _TEXT], capture_output=True, text=True, check=True, timeout=60
    )
    assert "Iceberg" in done.stdout
    assert "flowcat-jupyter[iceberg]" in done.stdout
