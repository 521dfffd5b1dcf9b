"""What an interrupt makes of a query, and what became of it on the server."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from flowcat_jupyter.kernel.client import Client
from flowcat_jupyter.kernel.failure import headline
from flowcat_jupyter.shared import outcomes
from flowcat_jupyter.shared.errors import FlowcatError, Unavailable


class Stopping:
    """Stops one query at an interrupt.

    ``sent`` and ``answered`` say how far it had come, and whoever runs it keeps them.
    ``called`` is whether it was interrupted.
    """

    def __init__(self, client: Client, query_id: str) -> None:
        """For the query of that id."""
        self._client = client
        self._query_id = query_id
        self.sent = False
        self.answered = False
        self.called = False

    def __call__(self) -> None:
        """Have the server stop the query, once; it says what became of it where that was asked."""
        if not self.called:
            self.called = True
            self._client.delete_quietly(f"catalog/sql/{self._query_id}")

    def unheard(self) -> KeyboardInterrupt:
        """The interrupt of a query of which the server has not said what became."""
        if not self.sent:
            return KeyboardInterrupt("Interrupted before the query was sent; it has not run.")
        if self.answered:
            return KeyboardInterrupt("The query had run; its rows were not fetched.")
        return KeyboardInterrupt(
            "The query was told to stop, and whether it did is not known; "
            "DESCRIBE HISTORY tells what was written to a table."
        )

    def failed(self, error: FlowcatError) -> KeyboardInterrupt:
        """The interrupt of a query that ended with an error, as a rule `Cancelled`."""
        if isinstance(error, Unavailable):
            return self.unheard()
        return KeyboardInterrupt(error.message)

    def done(self, envelope: Mapping[str, Any]) -> KeyboardInterrupt:
        """The interrupt of a query that was done before the server could stop it."""
        if envelope["columns"]:
            return self.unheard()
        current = envelope["current"]
        if current is not None:
            self._client.current = current
        done = outcomes.outcome(
            envelope["statement"],
            envelope["written"],
            changed=envelope["changed"],
            current=current,
            note=envelope["note"],
        )
        return KeyboardInterrupt(f"The statement was done before it could be stopped: {done}.")


def told_shortly(stop: KeyboardInterrupt) -> KeyboardInterrupt:
    """``stop``, which IPython shows without Python's frames, as it shows errors of SQL cells.

    One that tells nothing stays as it is: it met something else than the query.
    """
    if stop.args:
        vars(stop)["_render_traceback_"] = lambda: [headline("KeyboardInterrupt", str(stop))]
    return stop
