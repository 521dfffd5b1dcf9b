"""Where HTTP meets the catalog: identity, bodies, errors and streams.

The only file of the handlers that touches Jupyter, and the only one that knows a status code.
"""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Protocol, TypeVar, cast

from jupyter_server.auth.decorator import authorized
from jupyter_server.auth.identity import (
    IdentityProvider,
    LegacyIdentityProvider,
    PasswordIdentityProvider,
    User,
)
from jupyter_server.base.handlers import APIHandler
from pydantic import BaseModel
from tornado import web
from tornado.iostream import StreamClosedError

from flowcat_jupyter.catalog.access import Actor
from flowcat_jupyter.catalog.session import Catalog
from flowcat_jupyter.catalog.threads import Threads
from flowcat_jupyter.catalog.watch import ChangeWatcher
from flowcat_jupyter.handlers import replies
from flowcat_jupyter.handlers.bodies import Body, read_body
from flowcat_jupyter.handlers.pace import Pace
from flowcat_jupyter.handlers.schemas import ErrorReply, PageReply, StatusReply
from flowcat_jupyter.kernel.tokens import KernelTokens
from flowcat_jupyter.shared.errors import (
    Cancelled,
    FlowcatError,
    Forbidden,
    Internal,
    Invalid,
)
from flowcat_jupyter.shared.faults import system_fault
from flowcat_jupyter.shared.wire import PROTOCOL, PageInfo
from flowcat_jupyter.storage.uploads import Uploads
from flowcat_jupyter.worker.spool import Spool, arrow_stream_chunks, arrow_stream_span

T = TypeVar("T")
Verb = TypeVar("Verb", bound=Callable[..., Any])

CHUNK = 1 << 20
ARROW = "application/vnd.apache.arrow.stream"
STATUS = {
    "NotFound": 404,
    "AlreadyExists": 409,
    "Conflict": 409,
    "Invalid": 400,
    "SqlError": 400,
    "Forbidden": 403,
    "Unavailable": 503,
    "Gone": 410,
    "NotInstalled": 501,
    "LimitExceeded": 400,
    "Cancelled": 409,
    "Internal": 500,
}
_FLAGS = {"": False, "0": False, "false": False, "1": True, "true": True}
_UNNAMED = (IdentityProvider, PasswordIdentityProvider, LegacyIdentityProvider)
_LOG = logging.getLogger(__name__)


class Host(Protocol):
    """The running catalog that handlers talk to; ``bootstrap`` makes it."""

    tokens: KernelTokens
    threads: Threads
    spool: Spool
    uploads: Uploads
    watcher: ChangeWatcher

    @property
    def hands_results_over(self) -> bool:
        """Whether who owns everything may be told where results lie, instead of their bytes."""
        ...

    async def ready(self) -> None:
        """Return once the catalog can be used.

        :raises Unavailable: it is still starting after a while, or could not start.
        """
        ...

    async def status(self, actor: Actor) -> StatusReply:
        """How the catalog is doing, as ``actor`` sees it; never raises a `FlowcatError`."""
        ...

    def session(self, actor: Actor) -> Catalog:
        """One actor's directory of services."""
        ...

    def local_actor(self) -> Actor:
        """The fixed owner of embedded mode."""
        ...

    def named_actor(self, name: str) -> Actor:
        """A user whom a named identity provider vouches for."""
        ...


def allowed(action: str, resource: str) -> Callable[[Verb], Verb]:
    """Authenticate, then ask Jupyter's authorizer for ``action`` on ``resource``.

    Both are always given: ``@authorized`` without them keeps what it infers first, per function.
    """

    def wrap(method: Verb) -> Verb:
        guard = cast(Callable[[Verb], Verb], authorized(action, resource))
        return cast(Verb, web.authenticated(guard(method)))

    return wrap


class _KernelAware:
    """The server's identity provider, which also knows kernels by their tokens."""

    def __init__(self, inner: IdentityProvider, username: str) -> None:
        self._inner = inner
        self._username = username

    def get_user(self, _handler: web.RequestHandler) -> User:
        return User(username=self._username)

    def is_token_authenticated(self, _handler: web.RequestHandler) -> bool:
        return True

    def should_check_origin(self, _handler: web.RequestHandler) -> bool:
        return False

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)


class FlowcatHandler(APIHandler):
    """Base of every route: one actor, one catalog, errors in one shape."""

    auth_resource = "flowcat"
    _awaited: asyncio.Future[Any] | None = None
    _left = False

    # Jupyter's handlers differ by version in the keywords they take here, and `APIHandler` takes
    # none of them: they are accepted to be of all their types, and nobody ever gives one.
    async def prepare(self, **_options: Any) -> None:
        """Wait for a turn to begin, then do as Jupyter does."""
        await cast(Pace, self.settings["flowcat_pace"]).turn()
        await super().prepare()

    @property
    def host(self) -> Host:
        """The running catalog."""
        return cast(Host, self.settings["flowcat"])

    @property
    def identity_provider(self) -> IdentityProvider:
        """Jupyter's provider; when a kernel's token was sent, the kernel as its owner."""
        inner = super().identity_provider
        kernel_id = self.kernel_id
        if kernel_id is None:
            return inner
        username = self.host.tokens.owner_of(kernel_id) or f"kernel-{kernel_id}"
        return cast(IdentityProvider, _KernelAware(inner, username))

    @property
    def kernel_id(self) -> str | None:
        """The kernel whose token came with the request, if any."""
        scheme, _, token = self.request.headers.get("Authorization", "").partition(" ")
        if scheme.lower() not in ("token", "bearer") or not token:
            return None
        return self.host.tokens.kernel_of(token.strip())

    @property
    def origin(self) -> dict[str, str]:
        """Where the request comes from: notebook, cell, run, node, kernel."""
        try:
            sent = json.loads(self.request.headers.get("X-Flowcat-Origin", "{}"))
        except (ValueError, RecursionError):
            sent = {}
        origin = {str(k): str(v) for k, v in sent.items()} if isinstance(sent, dict) else {}
        kernel_id = self.kernel_id
        return {**origin, "kernel_id": kernel_id} if kernel_id else origin

    def actor(self) -> Actor:
        """Who is asking.

        Jupyter's own providers make a new user name for every cookie, so under them there is one
        owner; any other provider's names count. A kernel is then the user who had it started.

        :raises Forbidden: the request is a kernel's that no user had started.
        """
        if type(super().identity_provider) in _UNNAMED:
            return self.host.local_actor()
        kernel_id = self.kernel_id
        if kernel_id is not None and self.host.tokens.owner_of(kernel_id) is None:
            raise Forbidden("use", "catalog as", "this kernel", hint="Start it as a user.")
        return self.host.named_actor(self.current_user.username)

    async def catalog(self) -> Catalog:
        """The caller's catalog, once it is ready.

        :raises Unavailable: it cannot be used now.
        """
        self._check_protocol()
        await self.host.ready()
        return self.host.session(self.actor())

    def _check_protocol(self) -> None:
        spoken = self.request.headers.get("X-Flowcat-Protocol", str(PROTOCOL))
        if spoken != str(PROTOCOL):
            raise Invalid(
                f"This server speaks protocol {PROTOCOL}, the client {spoken}.",
                hint="Install the same version of flowcat-jupyter on both sides and reload.",
            )

    def body(self, model: type[Body]) -> Body:
        """The request's body as ``model``.

        :raises Invalid: it is not JSON, or a key is missing, unknown, there twice or of the wrong
            type.
        :raises LimitExceeded: it is beyond what anybody has to say.
        """
        return read_body(model, self.request.body)

    def number(self, name: str, default: int, *, low: int = 0, high: int = 1 << 62) -> int:
        """An integer query argument between ``low`` and ``high``.

        :raises Invalid: it is not.
        """
        return _number(name, self.get_query_argument(name, str(default)), low, high)

    def optional_number(self, name: str) -> int | None:
        """An integer query argument, or None when absent.

        :raises Invalid: it is not an integer.
        """
        text = self.get_query_argument(name, None)
        return None if text is None else _number(name, text, -(1 << 62), 1 << 62)

    def flag(self, name: str) -> bool:
        """Whether a query argument says 1 or true; absent, 0 and false say no.

        :raises Invalid: it says something else.
        """
        text = self.get_query_argument(name, "0")
        if text.lower() not in _FLAGS:
            raise Invalid(f"{name} must be 0 or 1, not {text!r}.")
        return _FLAGS[text.lower()]

    def reply(self, model: BaseModel, status: int = 200) -> None:
        """Send a model as JSON."""
        self.set_status(status)
        self.set_header("Content-Type", "application/json")
        self.write(model.model_dump_json(by_alias=True))

    def place(self, path: str) -> str:
        """A path as a person at this server's file browser means it: relative to its root."""
        return str(Path(self.settings["server_root_dir"]).expanduser() / path)

    @contextmanager
    def paths_as_sent(self) -> Iterator[None]:
        """Have errors name a path below the server's root as it was sent, not where that is."""
        root = self.place("").rstrip("/") + "/"
        try:
            yield
        except FlowcatError as error:
            error.message = error.message.replace(root, "")
            raise

    @property
    def wants_arrow(self) -> bool:
        """Whether the client asked for Arrow rather than JSON."""
        return ARROW in self.request.headers.get("Accept", "")

    async def send_arrow(self, path: Path) -> None:
        """Stream an Arrow IPC file as the Arrow IPC stream in it."""
        self.set_header("Content-Type", ARROW)
        self.set_header("Content-Length", str(arrow_stream_span(path).size))
        await self.pump(arrow_stream_chunks(path))

    async def send_json(self, head: BaseModel, rows: Path) -> None:
        """Send ``head`` with its ``rows`` taken from a file of strict JSON that a worker made."""
        text = head.model_dump_json(by_alias=True, exclude={"rows"})
        self.set_header("Content-Type", "application/json")
        await self.pump(_joined(text[:-1].encode() + b',"rows":', rows, b"}"))

    async def send_page(self, info: PageInfo, offset: int, path: Path) -> None:
        """Send a page of rows in the form that was asked for."""
        self.describe_page(info)
        if self.wants_arrow:
            await self.send_arrow(path)
            return
        head = PageReply(
            columns=replies.columns(info.columns),
            rows=[],
            offset=offset,
            total=info.total,
            version=info.version,
        )
        await self.send_json(head, path)

    def describe_page(self, info: PageInfo) -> None:
        """Say in headers how many rows there are in all, and of which version."""
        self.set_header("X-Flowcat-Total", str(info.total))
        if info.version is not None:
            self.set_header("X-Flowcat-Version", str(info.version))

    async def unless_gone(self, work: Coroutine[Any, Any, T]) -> T:
        """What ``work`` gives; it ends, and its worker's job with it, when the client leaves.

        :raises Cancelled: the client left.
        """
        task = asyncio.ensure_future(work)
        self._awaited = task
        if self._left:
            task.cancel()
        try:
            return await task
        except asyncio.CancelledError:
            if self._left:
                raise Cancelled from None
            raise
        finally:
            self._awaited = None

    def on_connection_close(self) -> None:
        """End what nobody waits for any more."""
        super().on_connection_close()
        self._left = True
        if self._awaited is not None:
            self._awaited.cancel()

    async def pump(self, chunks: Iterator[bytes]) -> None:
        """Write and flush each chunk; quiet when the client is gone."""
        try:
            for chunk in chunks:
                self.write(chunk)
                await self.flush()
        except StreamClosedError:
            _LOG.debug("the client left before the end of the answer")

    def write_error(self, status_code: int, **kwargs: Any) -> None:
        """Answer every failure as an `ErrorReply`; an unexpected one gives no text away."""
        error = (kwargs.get("exc_info") or (None, None, None))[1]
        if error is not None and not isinstance(error, FlowcatError):
            error = system_fault(error) or error
        if isinstance(error, FlowcatError) and not isinstance(error, Internal):
            self.set_status(STATUS.get(error.code, 500))
            body = ErrorReply(**error.to_wire())
        elif isinstance(error, web.HTTPError):
            body = ErrorReply(code=f"HTTP{status_code}", message=_reason(error, status_code))
        else:
            body = ErrorReply(
                code="Internal",
                message="Something went wrong in the catalog.",
                hint="The server's log has the details.",
            )
        self.set_header("Content-Type", "application/json")
        self.finish(body.model_dump_json(exclude_none=True))

    def log_exception(self, typ: Any, value: Any, tb: Any) -> None:
        """Log only what is a fault: an expected error is the client's to read."""
        if isinstance(value, FlowcatError) and not isinstance(value, Internal):
            _LOG.debug("%s %s: %s", self.request.method, self.request.path, value.code)
            return
        super().log_exception(typ, value, tb)


def _number(name: str, text: str, low: int, high: int) -> int:
    try:
        value = int(text)
    except ValueError as error:
        raise Invalid(f"{name} must be a whole number, not {text!r}.") from error
    if not low <= value <= high:
        raise Invalid(f"{name} must be between {low} and {high}.")
    return value


def _reason(error: web.HTTPError, status: int) -> str:
    reasons = {401: "Please log in.", 403: "You may not do this.", 404: "There is nothing here."}
    return reasons.get(status, error.reason or "The request failed.")


def _joined(head: bytes, path: Path, tail: bytes) -> Iterator[bytes]:
    yield head
    with path.open("rb") as file:
        while chunk := file.read(CHUNK):
            yield chunk
    yield tail
