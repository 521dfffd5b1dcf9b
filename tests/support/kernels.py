"""Kernels that a server started."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

from jupyter_client.blocking.client import BlockingKernelClient


@dataclass
class LiveKernel:
    """A kernel the server started, spoken to as JupyterLab would."""

    id: str
    client: BlockingKernelClient

    def wait_until_ready(self) -> None:
        """Wait through a busy machine, where a heart that beats late passes for a death."""
        end = time.monotonic() + 90
        while True:
            try:
                return self.client.wait_for_ready(timeout=60)
            except RuntimeError:
                if time.monotonic() > end:
                    raise

    def run(self, code: str, seconds: float = 60) -> dict[str, Any]:
        """The reply to a cell; its outputs are under ``outputs``."""
        message = self.client.execute(code, allow_stdin=False)
        return self.wait(message, seconds)

    def send(self, code: str) -> str:
        return str(self.client.execute(code, allow_stdin=False))

    def wait(self, message: str, seconds: float = 60) -> dict[str, Any]:
        end = time.monotonic() + seconds
        outputs: list[dict[str, Any]] = []
        while True:
            said = self.client.get_iopub_msg(timeout=max(0.1, end - time.monotonic()))
            if said["parent_header"].get("msg_id") != message:
                continue
            if said["msg_type"] == "status" and said["content"]["execution_state"] == "idle":
                break
            outputs.append(said["content"])
        while True:
            reply = self.client.get_shell_msg(timeout=max(0.1, end - time.monotonic()))
            if reply["parent_header"].get("msg_id") == message:
                return {**reply["content"], "outputs": outputs}

    def text(self, code: str) -> str:
        """What a cell prints and shows, as plain text."""
        reply = self.run(code)
        assert reply["status"] == "ok", reply
        return "".join(
            output.get("text", "") or output.get("data", {}).get("text/plain", "")
            for output in reply["outputs"]
        )
