"""The compiled sqlglot, whose parsers no grammar can be derived from."""

from __future__ import annotations

from importlib.machinery import ExtensionFileLoader
from types import ModuleType

from sqlglot.parsers import databricks

from flowcat_jupyter.shared.errors import Unavailable


def check_interpreted(parser: ModuleType = databricks) -> None:
    """Check that the grammar SQL is read with can be extended.

    :raises Unavailable: it is compiled, as the package sqlglotc makes it.
    """
    spec = parser.__spec__
    if spec is not None and isinstance(spec.loader, ExtensionFileLoader):
        raise Unavailable(
            "SQL cannot be read here: the compiled parts of sqlglot (sqlglotc) are installed, "
            "which take no dialect of others.",
            hint="Run: pip uninstall sqlglotc, and start again.",
        )
