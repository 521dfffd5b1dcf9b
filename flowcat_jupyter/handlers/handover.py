"""Answers a whole result: where its file lies, for who can read it there, or its rows."""

from __future__ import annotations

import stat
from ipaddress import ip_address

from flowcat_jupyter.catalog.results import Result
from flowcat_jupyter.handlers import replies
from flowcat_jupyter.handlers.base import FlowcatHandler
from flowcat_jupyter.handlers.schemas import ResultFile
from flowcat_jupyter.shared.handover import RESULT_FILE, identity


class ResultHandler(FlowcatHandler):
    """Base of the routes that answer a whole result."""

    async def send_rows(self, result: Result) -> None:
        """Send where the rows lie if that was asked for and is allowed, else the rows as Arrow."""
        offer = self._offer(result) if self._may_be_handed_over() else None
        if offer is None:
            await self.send_arrow(result.spool)
            return
        self.finish(offer.model_dump_json(by_alias=True), set_content_type=RESULT_FILE)

    def _may_be_handed_over(self) -> bool:
        """Whether the client asks for files, owns them all, and speaks from this machine."""
        return (
            RESULT_FILE in self.request.headers.get("Accept", "")
            and self.host.hands_results_over
            and self.actor().unrestricted
            and (self.kernel_id is not None or _is_near(str(self.request.remote_ip)))
        )

    def _offer(self, result: Result) -> ResultFile | None:
        """Where the result lies; None unless it is a file in the folder of results."""
        folder = self.host.spool.folder.resolve()
        try:
            found = result.spool.lstat()
            place = result.spool.resolve(strict=True)
        except OSError:
            return None
        if not stat.S_ISREG(found.st_mode) or place.parent != folder:
            return None
        return ResultFile(
            path=str(place), identity=identity(found), result=replies.envelope(result)
        )


def _is_near(address: str) -> bool:
    """Whether a client is on this machine; at a Unix socket it has the unspecified address."""
    known = ip_address(address)
    return known.is_loopback or known.is_unspecified
