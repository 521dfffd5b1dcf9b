"""An identity provider that vouches for names, as JupyterHub's does: the token is the name."""

from __future__ import annotations

from jupyter_server.auth.identity import IdentityProvider, User
from tornado.web import RequestHandler


class NamedIdentity(IdentityProvider):
    """Whoever sends ``token user:NAME`` is NAME."""

    async def get_user(self, handler: RequestHandler) -> User | None:
        token = handler.request.headers.get("Authorization", "").removeprefix("token ")
        return User(token.removeprefix("user:")) if token.startswith("user:") else None

    def is_token_authenticated(self, handler: RequestHandler) -> bool:
        return handler.request.headers.get("Authorization", "").startswith("token user:")
