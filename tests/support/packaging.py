"""Commands as a person with a fresh machine would give them, and what they build."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
KEPT = ("HOME", "LANG", "LC_ALL", "SSL_CERT_FILE", "REQUESTS_CA_BUNDLE", "NODE_EXTRA_CA_CERTS")
COLOUR = re.compile(r"\x1b\[\d*m")
PLAIN_PATH = "/usr/local/bin:/usr/bin:/bin"


def run(command: Sequence[str | Path], cwd: Path, path: str, **more: str) -> str:
    """Run a command in a fresh person's environment; its output, or why it failed."""
    settings = ("PIP_", "NPM_", "npm_", "YARN_", "HTTP", "http", "NO_PROXY", "no_proxy")
    env = {k: v for k, v in os.environ.items() if k in KEPT or k.startswith(settings)}
    done = subprocess.run(  # noqa: S603 - words of our own
        [str(word) for word in command],
        cwd=cwd,
        env={**env, "PATH": path, **more},
        capture_output=True,
        text=True,
        timeout=900,
        check=False,
    )
    assert done.returncode == 0, f"{command}\n{done.stdout[-3000:]}\n{done.stderr[-3000:]}"
    return COLOUR.sub("", done.stdout + done.stderr)


def make_env(folder: Path) -> Path:
    """A new virtual environment; answers its folder of programs."""
    run([sys.executable, "-m", "venv", folder], folder.parent, PLAIN_PATH)
    return folder / "bin"


@dataclass(frozen=True)
class Built:
    """A clone, and the two archives made from it."""

    clone: Path
    sdist: Path
    wheel: Path
