"""The tokens of running kernels; lives in the Jupyter server's process.

A token lives as long as its kernel, restarts included, and opens Flowcat's own routes alone.
"""

from __future__ import annotations

import secrets
from hmac import compare_digest


class KernelTokens:
    """Which token speaks for which kernel.

    ``keep_env`` names environment variables that kernels keep although they hold a credential of
    the server (``c.Flowcat.kernel_keep_env``).
    """

    def __init__(self) -> None:
        """Begin with no kernel."""
        self.keep_env: frozenset[str] = frozenset()
        self._tokens: dict[str, str] = {}

    def issue(self, kernel_id: str) -> str:
        """The kernel's token: made the first time, the same again until it is revoked."""
        return self._tokens.setdefault(kernel_id, secrets.token_urlsafe(32))

    def revoke(self, kernel_id: str) -> None:
        """Make the kernel's token worthless; revoking twice is no error."""
        self._tokens.pop(kernel_id, None)

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
