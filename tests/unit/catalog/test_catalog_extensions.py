"""Which formats there are for a table, for whom, and with which options."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import pytest

from flowcat_jupyter.catalog.access import LOCAL, Actor
from flowcat_jupyter.catalog.extensions import (
    check_no_secrets,
    check_table_of,
    is_secret,
    loaded_extensions,
    storage_kind,
)
from flowcat_jupyter.catalog.session import Catalog
from flowcat_jupyter.shared.errors import Forbidden, Invalid, Unavailable
from flowcat_jupyter.shared.extensions import Extension
from flowcat_jupyter.shared.wire_extensions import ExtensionsInfo
from tests.support.catalog import World


@pytest.fixture
def shelf(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A package with the data source ``shelf``, which cannot be imported."""
    folder = tmp_path / "packages" / "shelves-2.0.dist-info"
    folder.mkdir(parents=True)
    (folder / "METADATA").write_text("Metadata-Version: 2.1\nName: shelves\nVersion: 2.0\n")
    (folder / "entry_points.txt").write_text(
        "[flowcat.data_sources]\nshelf = no_shelves:Shelf\n"
        "[flowcat.formats]\nbox = no_shelves:BOX\n"
    )
    monkeypatch.syspath_prepend(str(folder.parent))


@pytest.mark.usefixtures("shelf")
def test_a_data_source_is_known_without_its_code() -> None:
    found = storage_kind("SHELF")
    assert (found.kind, found.origin, found.state) == ("data source", "shelves 2.0", "installed")
    assert "no_shelves" not in sys.modules
    assert found in loaded_extensions()


def test_an_unknown_format_says_what_there_is_and_why_a_notebooks_is_not() -> None:
    with pytest.raises(Invalid) as caught:
        storage_kind("nowhere")
    assert (caught.value.condition, caught.value.sqlstate) == ("DATA_SOURCE_NOT_FOUND", "42K02")
    assert "delta" in (caught.value.hint or "")
    assert "kernel alone" in (caught.value.hint or "")


@pytest.mark.usefixtures("shelf")
def test_only_who_owns_the_catalog_makes_tables_of_code() -> None:
    assert check_table_of("shelf", unrestricted=True, allowed=()).name == "shelf"
    assert check_table_of("shelf", unrestricted=False, allowed=("Shelf",)).name == "shelf"
    assert check_table_of("delta", unrestricted=False, allowed=()).name == "delta"
    with pytest.raises(Forbidden, match="format box"):
        check_table_of("box", unrestricted=False, allowed=())
    with pytest.raises(Forbidden, match="data source shelf") as caught:
        check_table_of("shelf", unrestricted=False, allowed=("other",))
    assert "allowed_data_sources" in (caught.value.hint or "")


@pytest.mark.parametrize(
    "name",
    [
        "password",
        "dbPassword",
        "db_pwd",
        "API_KEY",
        "apiKey",
        "apikey",
        "key",
        "fs.s3a.secret.key",
        "accessToken",
        "aws-secret-access-key",
        "userpassword",
        "client_credentials",
        "fs.azure.account.key",
        "sas",
        "passwords",
    ],
)
def test_a_secret_is_known_by_its_name(name: str) -> None:
    assert is_secret(name)
    with pytest.raises(Invalid, match=f"option {name} looks like a secret"):
        check_no_secrets(["path", name])


@pytest.mark.parametrize(
    "name", ["path", "keyspace", "partitionKey", "primary_key", "monkey", "max_tokens", "kansas"]
)
def test_other_names_are_no_secrets(name: str) -> None:
    assert not is_secret(name)
    check_no_secrets([name])


class Answering:
    """An executor that gives one answer to whatever it is asked."""

    def __init__(self, answer: ExtensionsInfo | None) -> None:
        self._answer = answer

    async def run(self, job: Any, **_: Any) -> Any:
        if self._answer is None:
            raise Unavailable("No worker answers.")
        return self._answer


def catalog(world: World, actor: Actor, answer: ExtensionsInfo | None) -> Catalog:
    executor = cast(Any, Answering(answer))
    return Catalog(actor, replace(world.deps, executor=executor))


FAILED = Extension("format", "lost", "no:X", "lost", "1.0", "failed", "ImportError: /srv/secret")


async def test_why_an_extension_fails_is_told_to_the_owner_alone(world: World) -> None:
    info = ExtensionsInfo((FAILED,))
    assert await catalog(world, LOCAL, info).extensions.list() == (FAILED,)
    (told,) = await catalog(world, Actor("ann"), info).extensions.list()
    assert told.state == "failed"
    assert "/srv" not in (told.reason or "")


async def test_without_a_worker_the_metadata_say_what_there_is(world: World) -> None:
    known = await catalog(world, LOCAL, None).extensions.list()
    assert [item.name for item in known if item.kind == "engine"] == ["duckdb", "polars"]
