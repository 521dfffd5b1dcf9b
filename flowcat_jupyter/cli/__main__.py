"""``python -m flowcat_jupyter.cli``: the command line where no script is on the path."""

from __future__ import annotations

import sys

from flowcat_jupyter.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
