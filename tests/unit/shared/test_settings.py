"""Settings: where values come from, and what is refused."""

from __future__ import annotations

import stat
from dataclasses import FrozenInstanceError, fields
from pathlib import Path

import pytest

from flowcat_jupyter.catalog.services.settings import machine_zone
from flowcat_jupyter.shared.errors import Invalid
from flowcat_jupyter.shared.settings import CONFIG_NAME, OPTIONS, Settings, load


@pytest.fixture(autouse=True)
def own_jupyter(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    config = tmp_path / "jupyter_config"
    config.mkdir()
    monkeypatch.setenv("JUPYTER_CONFIG_DIR", str(config))
    monkeypatch.setenv("JUPYTER_DATA_DIR", str(tmp_path / "jupyter_data"))
    return config


def test_every_setting_is_an_option_with_help() -> None:
    assert {option.name for option in OPTIONS} == {field.name for field in fields(Settings)}
    assert all(option.help.endswith(".") for option in OPTIONS)


def test_without_anything_set_all_lies_in_jupyters_data_folder(tmp_path: Path) -> None:
    settings = load({})
    home = tmp_path / "jupyter_data" / "flowcat"
    assert settings.home == home
    assert settings.db_url == f"sqlite:///{home}/catalog.db"
    assert settings.storage_root == str(home / "data")
    assert (settings.default_catalog, settings.default_schema) == ("main", "default")
    assert (settings.mode, settings.max_rows, settings.allowed_roots) == ("embedded", 10_000, None)
    assert settings.worker_memory > 0
    assert not home.exists()


def test_the_environment_wins_over_the_file_and_overrides_over_both(own_jupyter: Path) -> None:
    (own_jupyter / CONFIG_NAME).write_text(
        "c.Flowcat.max_rows = 1\nc.Flowcat.workers = 3\nc.Flowcat.sql_engine = 'duckdb'\n"
    )
    env = {"FLOWCAT_MAX_ROWS": "2", "FLOWCAT_SQL_ENGINE": "spark"}
    settings = load(env, overrides={"sql_engine": "polars", "workers": None})
    assert (settings.max_rows, settings.workers, settings.sql_engine) == (2, 3, "polars")


def test_a_given_file_is_the_only_one_read(own_jupyter: Path, tmp_path: Path) -> None:
    (own_jupyter / CONFIG_NAME).write_text("c.Flowcat.max_rows = 1\n")
    given = tmp_path / "other.py"
    given.write_text("c.Flowcat.workers = 5\nc.ServerApp.port = 1\n")
    settings = load({}, given)
    assert (settings.workers, settings.max_rows) == (5, 10_000)


@pytest.mark.parametrize(("text", "size"), [("2G", 2**31), ("512 MiB", 2**29), ("1000", 1000)])
def test_sizes_may_have_units(text: str, size: int) -> None:
    assert load({"FLOWCAT_WORKER_MEMORY": text}).worker_memory == size


def test_lists_are_read_as_their_kind_is_written() -> None:
    settings = load({"FLOWCAT_ALLOWED_ROOTS": "/a:/b c", "FLOWCAT_KERNEL_KEEP_ENV": "A, B"})
    assert settings.allowed_roots == ("/a", "/b c")
    assert settings.kernel_keep_env == ("A", "B")


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("MAX_ROWS", "many"),
        ("MAX_ROWS", "-1"),
        ("WORKERS", "0"),
        ("QUERY_TIMEOUT", "inf"),
        ("QUERY_TIMEOUT", "nan"),
        ("WORKER_MEMORY", "2 bananas"),
        ("MODE", "desktop"),
    ],
)
def test_a_value_of_the_wrong_kind_is_refused_by_name(name: str, value: str) -> None:
    with pytest.raises(Invalid) as refused:
        load({f"FLOWCAT_{name}": value})
    assert name.lower() in refused.value.message
    assert f"FLOWCAT_{name}" in (refused.value.hint or "")


@pytest.mark.parametrize("text", ["c.Flowcat.max_rows = ", "1 / 0", "import nothing_like_it"])
def test_a_file_that_cannot_be_run_is_refused_by_its_path(own_jupyter: Path, text: str) -> None:
    (own_jupyter / CONFIG_NAME).write_text(text)
    with pytest.raises(Invalid, match="cannot be run"):
        load({})


def test_settings_are_frozen_and_show_no_password() -> None:
    settings = load({"FLOWCAT_DB_URL": "postgresql://u:hunter2@h/d"})
    assert "hunter2" not in repr(settings)
    with pytest.raises(FrozenInstanceError):
        settings.max_rows = 5  # type: ignore[misc]


def test_home_is_made_for_its_owner_alone(tmp_path: Path) -> None:
    wide = tmp_path / "wide"
    wide.mkdir(mode=0o755)
    for home in (tmp_path / "a" / "new", wide):
        load({"FLOWCAT_HOME": str(home)}).make_home()
        assert stat.S_IMODE(home.stat().st_mode) == 0o700


def test_a_home_that_cannot_be_made_says_what_to_set(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(Invalid) as refused:
        load({"FLOWCAT_HOME": str(tmp_path / "file" / "home")}).make_home()
    assert "FLOWCAT_HOME" in (refused.value.hint or "")


def test_the_machines_zone_is_found_by_name(tmp_path: Path) -> None:
    zone = tmp_path / "zoneinfo" / "Europe" / "Paris"
    zone.parent.mkdir(parents=True)
    zone.write_text("")
    link = tmp_path / "localtime"
    link.symlink_to(zone)
    assert machine_zone({}, link) == "Europe/Paris"
    assert machine_zone({"TZ": ":Asia/Tokyo"}, link) == "Asia/Tokyo"
    assert machine_zone({"TZ": "nonsense"}, tmp_path / "missing") == "UTC"
    assert machine_zone({"TZ": "Etc/UTC"}, link) == "UTC"
