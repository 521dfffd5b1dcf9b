"""``python -m scripts.crash_storm --kills 200 --seed 1`` kills a catalog's processes at random.

Clients import, query, write as kernels do, save notebooks, drop and undrop meanwhile. In the end
nothing that was acknowledged may be lost, nothing half made be seen, and nothing be left over.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from pathlib import Path

from tests.support.storm import Storm
from tests.support.storm_model import Journal


def main() -> int:
    """Run a storm; 0 when it found no fault."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--home", type=Path, help="a folder to keep; by default a temporary one")
    parser.add_argument("--db-url", help="a PostgreSQL database; by default SQLite in the home")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="storm-", ignore_cleanup_errors=True) as folder:
        home = options.home or Path(folder)
        report = Storm(home, options.seed, db_url=options.db_url).run(options.kills, _say)
    sys.stdout.write(json.dumps(vars(report), indent=2) + "\n")
    return 1 if report.faults else 0


def _say(number: int, journal: Journal) -> None:
    told = ", ".join(f"{count} {what}" for what, count in sorted(journal.counts.items()))
    sys.stderr.write(f"{number} kills: {told}; {len(journal.faults)} faults\n")
    for fault in journal.faults[-1:]:
        sys.stderr.write(f"  last: {fault[:400]}\n")
    sys.stderr.flush()


if __name__ == "__main__":
    sys.exit(main())
