"""A process that writes tables as a kernel does: one order a line in, one answer a line out."""

from __future__ import annotations

import json
import sys
from functools import partial

import polars as pl

from flowcat_jupyter.kernel.client import Client
from flowcat_jupyter.kernel.server import Server
from flowcat_jupyter.kernel.tables import write_table
from flowcat_jupyter.shared.errors import FlowcatError


def _given(server: Server) -> Server:
    return server


def main() -> None:
    """Serve until the input ends."""
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    for line in sys.stdin:
        order = json.loads(line)
        server = Server(order["url"], order["token"])
        frame = pl.DataFrame({"id": order["ids"], "v": order["values"]})
        keys = ["id"] if order["mode"] == "upsert" else []
        try:
            write_table(
                Client(partial(_given, server)),
                frame,
                order["table"],
                write_mode=order["mode"],
                merge_keys=keys,
            )
            answer: dict[str, object] = {"ok": True}
        except FlowcatError as error:
            answer = {"ok": False, "code": type(error).__name__, "message": str(error)}
        sys.stdout.write(json.dumps(answer) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
