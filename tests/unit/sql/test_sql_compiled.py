"""Beside the compiled sqlglot, which takes no dialect of others, SQL is refused in plain words."""

from __future__ import annotations

from importlib.machinery import ExtensionFileLoader, ModuleSpec
from types import ModuleType

import pytest

from flowcat_jupyter.shared.errors import Unavailable
from flowcat_jupyter.sql import compiled
from flowcat_jupyter.sql.dialect import dialect_for, split


def built() -> ModuleType:
    name = "sqlglot.parsers.databricks"
    module = ModuleType(name)
    module.__spec__ = ModuleSpec(name, ExtensionFileLoader(name, "databricks.so"))
    return module


def test_the_interpreted_one_is_taken() -> None:
    compiled.check_interpreted()


def test_the_compiled_one_is_refused_by_its_package() -> None:
    with pytest.raises(Unavailable, match="sqlglotc") as refused:
        compiled.check_interpreted(built())
    assert refused.value.hint == "Run: pip uninstall sqlglotc, and start again."


def test_a_statement_is_refused_before_it_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    dialect_for.cache_clear()
    monkeypatch.setattr(compiled.check_interpreted, "__defaults__", (built(),))
    with pytest.raises(Unavailable, match="sqlglotc"):
        split("SELECT 1")
