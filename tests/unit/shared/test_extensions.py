"""What is known of extensions, and what becomes of those that cannot be used."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from flowcat_jupyter.shared.errors import Invalid
from flowcat_jupyter.shared.extensions import known_extensions
from flowcat_jupyter.shared.registry import Registry

Install = Callable[..., None]


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Install:
    """Puts packages with entry points where Python finds them."""
    monkeypatch.syspath_prepend(str(tmp_path))

    def installed(package: str, group: str, **points: str) -> None:
        folder = tmp_path / f"{package}-1.0.dist-info"
        folder.mkdir()
        (folder / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.0\n")
        lines = "".join(f"{name} = {target}\n" for name, target in points.items())
        (folder / "entry_points.txt").write_text(f"[{group}]\n{lines}")

    return installed


def told(name: str) -> list[tuple[str, str, str | None]]:
    return [
        (item.origin, item.state, item.reason)
        for item in known_extensions()
        if item.name.casefold() == name
    ]


def registry(kind: str) -> Registry[object]:
    made: Registry[object] = Registry(kind)
    made.register_extensions(item for item in known_extensions() if item.kind == kind)
    return made


def test_what_comes_with_the_product_is_built_in() -> None:
    (delta,) = [item for item in known_extensions() if item.name == "delta"]
    assert (delta.kind, delta.state, delta.distribution) == (
        "format",
        "built in",
        "flowcat-jupyter",
    )


def test_a_package_is_known_by_its_metadata_and_not_imported(install: Install) -> None:
    install("afar", "flowcat.formats", afar="flowcat_test_afar:FORMAT")
    assert told("afar") == [("afar 1.0", "installed", None)]
    assert "flowcat_test_afar" not in sys.modules
    assert "afar" in registry("format")


def test_a_name_of_two_packages_is_refused_naming_both(install: Install) -> None:
    install("one", "flowcat.formats", twice="json:dumps")
    install("two", "flowcat.data_sources", TWICE="json:dumps")
    assert told("twice") == [
        ("one 1.0", "failed", "The name is also that of a data source of two 1.0."),
        ("two 1.0", "failed", "The name is also that of a format of one 1.0."),
    ]
    with pytest.raises(Invalid, match=r"one 1\.0 cannot be used: .* two 1\.0"):
        registry("format").get("twice")


def test_a_package_cannot_take_a_name_of_ours(install: Install) -> None:
    install("bold", "flowcat.formats", Delta="json:dumps")
    assert [state for _, state, _ in told("delta")] == ["failed", "built in"]
    assert registry("format").get("delta") is not None


@pytest.mark.parametrize(
    ("target", "reason"),
    [("no_such_module:X", "ModuleNotFoundError"), ("json:nothing", "AttributeError")],
)
def test_what_cannot_be_imported_says_why_when_it_is_used(
    install: Install, target: str, reason: str
) -> None:
    install("lost", "flowcat.formats", lost=target)
    with pytest.raises(Invalid, match=rf"format lost of the package lost 1\.0 .*{reason}"):
        registry("format").get("lost")


def test_an_entry_point_that_names_no_attribute_has_failed(install: Install) -> None:
    install("vague", "flowcat.formats", vague="json")
    ((_, state, reason),) = told("vague")
    assert state == "failed"
    assert "not module:attribute" in (reason or "")


def test_what_an_extension_holds_may_be_made_into_what_is_wanted(
    install: Install, monkeypatch: pytest.MonkeyPatch
) -> None:
    install("made", "flowcat.data_sources", made="json:dumps")
    maker = ModuleType("flowcat_test_maker")
    vars(maker)["pair"] = lambda extension, held: (extension.name, held)
    monkeypatch.setitem(sys.modules, maker.__name__, maker)
    made: Registry[Any] = Registry("format")
    known = [item for item in known_extensions() if item.name == "made"]
    made.register_extensions(known, made_by="flowcat_test_maker:pair")
    name, held = made.get("made")
    assert (name, held([1])) == ("made", "[1]")
