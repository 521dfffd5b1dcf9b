"""Settings, the same for server, command line, workers and service.

A value comes from the caller's overrides, else from the environment (``FLOWCAT_MAX_ROWS``), else
from ``jupyter_flowcat_config.py`` (``c.Flowcat.max_rows``), else from `OPTIONS`.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import quote

from jupyter_core.paths import jupyter_config_path, jupyter_data_dir

from flowcat_jupyter.shared.errors import Invalid

CONFIG_NAME = "jupyter_flowcat_config.py"
PREFIX = "FLOWCAT_"
_UNITS = {"": 1, "k": 2**10, "m": 2**20, "g": 2**30, "t": 2**40}


@dataclass(frozen=True)
class Option:
    """One setting. ``type`` is text, integer, seconds, bytes, names or paths.

    ``default`` None means that it is worked out when settings are loaded; ``help`` says how.
    """

    name: str
    type: str
    default: Any
    help: str
    choices: tuple[str, ...] = ()

    @property
    def env(self) -> str:
        """The environment variable that sets it."""
        return PREFIX + self.name.upper()


OPTIONS: tuple[Option, ...] = (
    Option(
        "home",
        "text",
        None,
        "Folder for everything the catalog keeps, made with mode 0700. "
        "Default: flowcat in Jupyter's data directory.",
    ),
    Option(
        "db_url",
        "text",
        None,
        "The metadata database: sqlite:///… or postgresql://…. Default: catalog.db in home.",
    ),
    Option(
        "storage_root",
        "text",
        None,
        "Folder for managed tables of catalogs without storage of their own. "
        "Default: data in home.",
    ),
    Option("mode", "text", "embedded", "One Jupyter server, or a service.", ("embedded", "hub")),
    Option("default_catalog", "text", "main", "The catalog a session starts in."),
    Option("default_schema", "text", "default", "The schema a session starts in."),
    Option(
        "sql_dialect",
        "text",
        "house",
        "How SQL is read unless a request says otherwise: house, or any dialect sqlglot knows.",
    ),
    Option("sql_engine", "text", "polars", "The engine that runs SQL where it covers a query."),
    Option("max_rows", "integer", 10_000, "Rows a query answers unless a request says otherwise."),
    Option("query_timeout", "seconds", 300.0, "Seconds after which a query is stopped; 0: never."),
    Option("workers", "integer", 2, "Worker processes for queries and writes."),
    Option(
        "worker_memory",
        "bytes",
        None,
        "Memory a worker may use (2G, 512M) before it is stopped. "
        "Default: what leaves a quarter of the machine free when all workers are full.",
    ),
    Option("result_ttl", "seconds", 3600.0, "Seconds a query's result stays readable."),
    Option("result_max_bytes", "bytes", 2**31, "Size a result may have on disk."),
    Option(
        "result_handover",
        "text",
        "auto",
        "Whether a kernel on the server's machine, run by its user, reads a result where it lies: "
        "auto (not in hub mode, nor where users have names of their own), or never.",
        ("auto", "never"),
    ),
    Option("max_cell_bytes", "bytes", 2**26, "Size a single value of a result may have."),
    Option(
        "allowed_roots",
        "paths",
        None,
        "Folders whose files may be registered or read by path, separated as in PATH. "
        "Default: the Jupyter root and storage_root; in hub mode none.",
    ),
    Option(
        "allowed_data_sources",
        "names",
        (),
        "Data sources and formats of installed packages of which people other than the catalog's "
        "owner may make tables, separated by commas: their code runs with the server's rights.",
    ),
    Option(
        "session_timezone",
        "text",
        None,
        "The zone in which times are read and shown. "
        "Default: the machine's at first start, kept from then on.",
    ),
    Option(
        "kernel_keep_env",
        "names",
        (),
        "Environment variables with Jupyter or Hub tokens that kernels keep, separated by commas.",
    ),
)


@dataclass(frozen=True)
class Settings:
    """All settings, resolved. Sizes are bytes, times seconds. See `OPTIONS` for meanings."""

    home: Path
    db_url: str = field(repr=False)
    storage_root: str
    mode: str
    default_catalog: str
    default_schema: str
    sql_dialect: str
    sql_engine: str
    max_rows: int
    query_timeout: float
    workers: int
    worker_memory: int
    result_ttl: float
    result_max_bytes: int
    result_handover: str
    max_cell_bytes: int
    allowed_roots: tuple[str, ...] | None
    allowed_data_sources: tuple[str, ...]
    session_timezone: str | None
    kernel_keep_env: tuple[str, ...]

    def make_home(self) -> Path:
        """Make the home folder, readable by its owner alone, and return it.

        :raises Invalid: it cannot be made.
        """
        try:
            self.home.mkdir(mode=0o700, parents=True, exist_ok=True)
            found = self.home.stat()
            # A folder that can only be read is left as it is: it can still be read from.
            if found.st_uid == os.getuid() and os.access(self.home, os.W_OK):
                self.home.chmod(0o700)
        except OSError as error:
            raise Invalid(
                f"The folder {self.home} cannot be used: {error.strerror}.",
                hint="Set home (FLOWCAT_HOME) to a folder you may write to.",
            ) from error
        return self.home


def load(
    env: Mapping[str, str] | None = None,
    file: Path | None = None,
    overrides: Mapping[str, Any] | None = None,
) -> Settings:
    """Settings from the environment and a configuration file.

    ``file`` None looks for ``jupyter_flowcat_config.py`` on Jupyter's configuration path.
    ``overrides`` win over both; None among them means "not set".

    :raises Invalid: a value cannot be used, or the file cannot be run.
    """
    env = os.environ if env is None else env
    given = {**in_files(file), **_from_env(env)}
    given.update({key: value for key, value in (overrides or {}).items() if value is not None})
    values = {option.name: _value(option, given) for option in OPTIONS}
    home = Path(values["home"] or Path(jupyter_data_dir()) / "flowcat").expanduser().absolute()
    values["home"] = home
    # Quoted: a URL would read a % or ? in a folder's name as its own.
    values["db_url"] = values["db_url"] or f"sqlite:///{quote(str(home / 'catalog.db'))}"
    root = Path(values["storage_root"] or home / "data").expanduser().absolute()
    values["storage_root"] = str(root)
    if values["worker_memory"] is None:
        values["worker_memory"] = _memory_share(values["workers"])
    return Settings(**values)


def _value(option: Option, given: Mapping[str, Any]) -> Any:
    if option.name not in given:
        return option.default
    raw = given[option.name]
    try:
        value = _READERS[option.type](raw)
    except (TypeError, ValueError) as error:
        raise _bad(option) from error
    if option.choices and value not in option.choices:
        raise _bad(option)
    if option.name == "workers" and value < 1:
        raise _bad(option)
    return value


def _bad(option: Option) -> Invalid:
    # The value stays out of the message: db_url may hold a password.
    expected = " or ".join(option.choices) if option.choices else f"a value of type {option.type}"
    return Invalid(
        f"The setting {option.name} needs {expected}.",
        hint=f"Correct {option.env} or c.Flowcat.{option.name}. {option.help}",
    )


def _from_env(env: Mapping[str, str]) -> dict[str, Any]:
    return {option.name: env[option.env] for option in OPTIONS if env.get(option.env)}


def in_files(file: Path | None = None) -> dict[str, Any]:
    """What ``file`` sets, or every ``jupyter_flowcat_config.py`` on Jupyter's path.

    :raises Invalid: one cannot be run.
    """
    if file is not None:
        return _from_file(file)
    found: dict[str, Any] = {}
    for folder in reversed(jupyter_config_path()):
        path = Path(folder) / CONFIG_NAME
        if path.is_file():
            found.update(_from_file(path))
    return found


def _from_file(path: Path) -> dict[str, Any]:
    # Costs an import of traitlets' loader only where there is a file.
    from traitlets.config.loader import PyFileConfigLoader

    try:
        config = PyFileConfigLoader(path.name, path=str(path.parent)).load_config()
    except Exception as error:
        raise Invalid(
            f"The configuration file {path} cannot be run: {error}.", hint="Correct it."
        ) from error
    section = config.get("Flowcat", {})
    return {option.name: section[option.name] for option in OPTIONS if option.name in section}


def _memory_share(workers: int) -> int:
    machine = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    # One more than asked for: a slot is kept for short jobs.
    return int(machine * 0.75 / (workers + 1))


def _text(raw: Any) -> str:
    if not isinstance(raw, (str, Path)) or not str(raw):
        raise ValueError("not text")
    return str(raw)


def _integer(raw: Any) -> int:
    value = int(raw)
    if value < 0 or isinstance(raw, float):
        raise ValueError("not a whole number")
    return value


def _seconds(raw: Any) -> float:
    value = float(raw)
    if not 0 <= value < float("inf"):
        raise ValueError("not a time")
    return value


def _bytes(raw: Any) -> int:
    match = re.fullmatch(r"\s*(\d+)\s*([kmgt]?)i?b?\s*", str(raw), re.IGNORECASE)
    if not match:
        raise ValueError("not a size")
    return int(match[1]) * _UNITS[match[2].lower()]


def _names(raw: Any) -> tuple[str, ...]:
    parts = raw.split(",") if isinstance(raw, str) else list(raw)
    return tuple(part.strip() for part in parts if part.strip())


def _paths(raw: Any) -> tuple[str, ...]:
    parts = raw.split(os.pathsep) if isinstance(raw, str) else list(raw)
    return tuple(str(Path(part).expanduser().absolute()) for part in parts if str(part))


_READERS: dict[str, Callable[[Any], Any]] = {
    "text": _text,
    "integer": _integer,
    "seconds": _seconds,
    "bytes": _bytes,
    "names": _names,
    "paths": _paths,
}
