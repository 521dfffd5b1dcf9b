"""The tokens of running kernels; lives in the Jupyter server's process.

A token lives as long as its kernel, restarts included, and opens Flowcat's own routes alone.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable
from hmac import compare_digest


def nobody() -> str | None:
    """No user asks for anything."""
    return None


class KernelTokens:
    """Which token speaks for which kernel, and for whom the kernel was started.

    ``keep_env`` names environment variables that kernels keep although they hold a credential of
    the server (``c.Flowcat.kernel_keep_env``). ``asking`` tells the user whose request is being
    served, if any: a kernel has the rights of whoever had it started.
    """

    def __init__(self) -> None:
        """Begin with no kernel."""
        self.keep_env: frozenset[str] = frozenset()
        self.asking: Callable[[], str | None] = nobody
        self._tokens: dict[str, str] = {}
        self._owners: dict[str, str | None] = {}

    def issue(self, kernel_id: str) -> str:
        """The kernel's token: made the first time, the same again until it is revoked.

        Its owner stays too, whoever restarts it.
        """
        if kernel_id not in self._tokens:
            self._tokens[kernel_id] = secrets.token_urlsafe(32)
            self._owners[kernel_id] = self.asking()
        return self._tokens[kernel_id]

    def revoke(self, kernel_id: str) -> None:
        """Make the kernel's token worthless; revoking twice is no error."""
        self._tokens.pop(kernel_id, None)
        self._owners.pop(kernel_id, None)

    def owner_of(self, kernel_id: str) -> str | None:
        """The name of the user who had the kernel started; None if no request did."""
        return self._owners.get(kernel_id)

    def kernel_of(self, token: str) -> str | None:
        """The kernel that ``token`` was issued to, or None.

        Every token is compared in constant time, so timing tells nothing about any of them.
        """
        given = token.encode()
        found = None
        for kernel_id, known in tuple(self._tokens.items()):
            if compare_digest(known.encode(), given):
                found = kernel_id
        return found


kernel_tokens = KernelTokens()
"""The process's only instance: provisioners issue from it, handlers ask it."""
