"""A real PostgreSQL server in a temporary folder, and fresh databases in it."""

from __future__ import annotations

import os
import pwd
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path

import psycopg

_CONFIG = (
    "fsync=off synchronous_commit=off full_page_writes=off shared_buffers=32MB max_connections=100"
)
_numbers = count(1)


class Server:
    """A running server; `database` makes an empty database and answers its URL."""

    def __init__(self, port: int) -> None:
        """Serve on a loopback port."""
        self.port = port

    def url(self, name: str) -> str:
        return f"postgresql+psycopg://test@127.0.0.1:{self.port}/{name}"

    def database(self, template: str | None = None) -> str:
        """The URL of a new database, empty or a copy of ``template``."""
        name = f"t{os.getpid()}_{next(_numbers)}"
        with self._admin() as connection:
            suffix = f" TEMPLATE {template}" if template else ""
            connection.execute(f"CREATE DATABASE {name}{suffix}".encode())
        return self.url(name)

    def drop(self, url: str) -> None:
        with self._admin() as connection:
            name = url.rsplit("/", 1)[1]
            connection.execute(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)".encode())

    def _admin(self) -> psycopg.Connection:
        return psycopg.connect(
            host="127.0.0.1", port=self.port, user="test", dbname="postgres", autocommit=True
        )


def find_binaries() -> Path:
    """The folder with ``initdb`` and ``pg_ctl``; a clear failure where there is none."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=_version)
    if found:
        return found[-1].parent
    on_path = shutil.which("initdb")
    if on_path:
        return Path(on_path).resolve().parent
    raise RuntimeError(
        "These tests need a real PostgreSQL server and found no initdb. "
        "Install it (Debian: apt-get install postgresql; macOS: brew install postgresql)."
    )


def _version(path: Path) -> int:
    folder = path.parent.parent.name
    return int(folder) if folder.isdigit() else 0


@contextmanager
def running_server() -> Iterator[Server]:
    """A server on a free loopback port, gone with its folder when the block ends."""
    binaries = find_binaries()
    # Short, for the socket in it: paths of sockets end at about a hundred characters.
    folder = Path(tempfile.mkdtemp(prefix="fcpg"))
    try:
        _own(folder)
        data = folder / "data"
        _run(binaries / "initdb", "-D", data, *_initdb_options())
        port = _free_port()
        options = " ".join(f"-c {item}" for item in _CONFIG.split())
        options += f" -p {port} -c listen_addresses=127.0.0.1 -c unix_socket_directories={folder}"
        control = (binaries / "pg_ctl", "-D", data, "-w")
        _run(*control, "-l", folder / "log", "-o", options, "start")
        try:
            yield Server(port)
        finally:
            _run(*control, "-m", "immediate", "stop")
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _initdb_options() -> tuple[str, ...]:
    return ("-U", "test", "--auth=trust", "-E", "UTF8", "--no-locale", "--no-sync", "-N")


def _own(folder: Path) -> None:
    """PostgreSQL refuses to run as root, so the folder becomes its own user's."""
    folder.chmod(0o700)
    if os.geteuid() == 0:
        user = pwd.getpwnam("postgres")
        os.chown(folder, user.pw_uid, user.pw_gid)


def _run(*command: object) -> None:
    words = [str(word) for word in command]
    if os.geteuid() == 0:
        drop = ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"]
        words = [*drop, "env", "HOME=/", *words]
    done = subprocess.run(  # noqa: S603 - words of our own
        words, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
    )
    if done.returncode:
        raise RuntimeError(f"PostgreSQL: {' '.join(words)} failed: {done.stderr}")


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
