"""The kernel's HTTP client: one request, one connection, bodies streamed.

On the standard library alone, and loaded late, because every start of a kernel pays for imports.
"""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from typing import IO, TYPE_CHECKING, Any
from urllib.parse import unquote, urlencode, urlsplit

from flowcat_jupyter.kernel.server import Server, find_server
from flowcat_jupyter.shared.errors import FlowcatError, Forbidden, Invalid, Unavailable

if TYPE_CHECKING:
    from http.client import HTTPConnection, HTTPResponse
    from pathlib import Path

ARROW = "application/vnd.apache.arrow.stream"
JSON = "application/json"
CONNECT_SECONDS = 10.0
ANSWER_SECONDS = 7 * 24 * 3600.0
QUIET_SECONDS = 1.0
STOP_SECONDS = 10.0
BLOCK = 1 << 18


class Client:
    """Speaks to the kernel's Flowcat server.

    ``origin`` tells where a request comes from (notebook, cell) at the time it is made.
    ``current`` is the ``catalog`` and ``schema`` that a statement made current, None before.
    ``session`` is what the statements of this kernel share on the server, until it restarts.
    ``is_beside`` is whether the server's files may be readable here, until it turns out they are
    not.
    """

    def __init__(
        self,
        find: Callable[[], Server] = find_server,
        origin: Callable[[], dict[str, str]] = dict,
    ) -> None:
        """Look for the server with ``find`` at each request."""
        self._find = find
        self.origin = origin
        self.is_beside = True
        self.current: Mapping[str, str] | None = None
        self.session = os.urandom(16).hex()

    def get(self, path: str, **query: object) -> Any:
        """The JSON that ``GET path`` answers; query values that are None are left out."""
        return self._json("GET", path, query=query)

    def post(self, path: str, body: Mapping[str, Any]) -> Any:
        """The JSON that ``POST path`` answers."""
        return self._json("POST", path, body=body)

    def put(self, path: str, content: bytes, **query: object) -> Any:
        """The JSON that ``PUT path`` answers to bytes."""
        with self.stream(
            "PUT", f"{path}?{urlencode(query)}", content=content, accept=JSON
        ) as response:
            return json.loads(response.read())

    def send(self, path: str, file: Path, size: int) -> Any:
        """The JSON that ``POST path`` answers to a file of ``size`` bytes, read as it is sent."""
        with (
            file.open("rb") as content,
            self.stream("POST", path, content=content, size=size, accept=JSON) as response,
        ):
            return json.loads(response.read())

    def delete(self, path: str) -> Any:
        """The JSON that ``DELETE path`` answers, None if nothing."""
        return self._json("DELETE", path)

    def delete_quietly(self, path: str) -> None:
        """``DELETE path`` for its effect alone: a failure is nobody's, and waiting is bounded.

        From a thread of its own, which an interrupt of the kernel does not reach.
        """

        def ask() -> None:
            with suppress(FlowcatError):
                self.delete(path)

        asking = threading.Thread(target=ask, daemon=True)
        asking.start()
        asking.join(QUIET_SECONDS)

    @contextmanager
    def stream(
        self,
        method: str,
        path: str,
        *,
        body: Mapping[str, Any] | None = None,
        content: bytes | IO[bytes] | None = None,
        size: int | None = None,
        accept: str = ARROW,
        stop: Callable[[], None] | None = None,
    ) -> Iterator[HTTPResponse]:
        """The response whose body is still to be read; ``body`` is sent as JSON, ``content`` as is.

        ``content`` may be a file of ``size`` bytes. An interrupt while the server is at work calls
        ``stop``, if it is given, and then the server has `STOP_SECONDS` more to answer.

        :raises Unavailable: there is no server, or it does not answer.
        :raises FlowcatError: whatever the server answered instead, as it was raised there.
        """
        server = self._find()
        payload = content if body is None else _encode(body)
        connection = _connect(server)
        with closing(connection):
            request = self._request(server, path, payload, accept, size)
            response = _exchange(connection, server, method, request, stop)
            with closing(response):
                if response.status >= 400:
                    raise _error(response, server)
                yield response

    def _json(
        self,
        method: str,
        path: str,
        *,
        body: Mapping[str, Any] | None = None,
        query: Mapping[str, object] | None = None,
    ) -> Any:
        known = {key: value for key, value in (query or {}).items() if value is not None}
        target = f"{path}?{urlencode(known)}" if known else path
        with self.stream(method, target, body=body, accept=JSON) as response:
            text = response.read()
        return json.loads(text) if text else None

    def _request(
        self,
        server: Server,
        path: str,
        payload: bytes | IO[bytes] | None,
        accept: str,
        size: int | None,
    ) -> _Request:
        from flowcat_jupyter.shared.wire import PROTOCOL

        headers = {
            "Accept": accept,
            "X-Flowcat-Protocol": str(PROTOCOL),
            "X-Flowcat-Origin": json.dumps(self.origin()),
        }
        if server.token:
            headers["Authorization"] = f"token {server.token}"
        if payload is not None:
            headers["Content-Type"] = JSON if size is None else "application/octet-stream"
        if size is not None:
            headers["Content-Length"] = str(size)
        target = urlsplit(server.url).path.rstrip("/") + "/" + path.lstrip("/")
        return _Request(target, payload, headers)


@dataclass(frozen=True)
class _Request:
    target: str
    payload: bytes | IO[bytes] | None
    headers: Mapping[str, str]


def _exchange(
    connection: HTTPConnection,
    server: Server,
    method: str,
    request: _Request,
    stop: Callable[[], None] | None,
) -> HTTPResponse:
    from http.client import HTTPException

    try:
        connection.connect()
        # A query may rightly take long; its deadline is the server's to keep. With no limit
        # at all a read could not be interrupted in the cell that imports polars.
        connection.sock.settimeout(ANSWER_SECONDS)
        try:
            connection.request(method, request.target, request.payload, dict(request.headers))
            return connection.getresponse()
        except KeyboardInterrupt:
            if stop is None:
                raise
            stop()
            # Nothing of the answer has been read: the connection still waits for all of it.
            connection.sock.settimeout(STOP_SECONDS)
            return connection.getresponse()
    except (OSError, HTTPException) as error:
        raise unreachable(server, error) from error


def unreachable(server: Server, error: Exception) -> Unavailable:
    """The error for a server that cannot be spoken to, saying what to do about it."""
    reason = str(error) or type(error).__name__
    hint = "Start the Jupyter server again, or set FLOWCAT_URL and FLOWCAT_TOKEN to a running one."
    if "CERTIFICATE_VERIFY_FAILED" in reason:
        hint = "Set FLOWCAT_CA_FILE to the server's certificate, or SSL_CERT_FILE to its issuer's."
    return Unavailable(
        f"The Flowcat server at {server.url} does not answer: {reason.rstrip('.')}.", hint=hint
    )


def unreachable_while_reading(error: Exception) -> Unavailable:
    """The error for an answer that broke off."""
    return Unavailable(
        f"The server's answer broke off: {str(error).rstrip('.')}.",
        hint="Run the cell again; the server's log tells more if it happens twice.",
    )


def _encode(body: Mapping[str, Any]) -> bytes:
    try:
        return json.dumps(body, allow_nan=False).encode()
    except (TypeError, ValueError) as error:
        raise Invalid(f"The request cannot be sent: {error}.") from error


def _connect(server: Server) -> HTTPConnection:
    from http.client import HTTPConnection, HTTPSConnection

    parts = urlsplit(server.url)
    if parts.scheme == "http+unix":
        return _unix_connection(unquote(parts.netloc))
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise Unavailable(
            f"{server.url!r} is not the address of a Flowcat server.",
            hint="FLOWCAT_URL looks like http://127.0.0.1:8888/flowcat/.",
        )
    if parts.scheme == "http":
        return HTTPConnection(parts.hostname, parts.port, timeout=CONNECT_SECONDS, blocksize=BLOCK)
    return HTTPSConnection(
        parts.hostname,
        parts.port,
        timeout=CONNECT_SECONDS,
        blocksize=BLOCK,
        context=_tls(server.ca_file),
    )


def _tls(ca_file: str | None) -> Any:
    import ssl

    context = ssl.create_default_context()
    if ca_file:
        # The server's own certificate names its public host and perhaps no known issuer. Trusting
        # that one certificate, and only it, is stricter than any check of names.
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        context.check_hostname = False
        context.verify_flags |= ssl.VERIFY_X509_PARTIAL_CHAIN
        context.load_verify_locations(ca_file)
    return context


def _unix_connection(path: str) -> HTTPConnection:
    import socket
    from http.client import HTTPConnection

    class UnixConnection(HTTPConnection):
        def connect(self) -> None:
            self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
            self.sock.settimeout(CONNECT_SECONDS)
            self.sock.connect(path)

    return UnixConnection("localhost", blocksize=BLOCK)


def _error(response: HTTPResponse, server: Server) -> FlowcatError:
    text = response.read(1 << 20)
    try:
        body = json.loads(text)
    except ValueError:
        body = {}
    if isinstance(body, dict) and "code" in body and "message" in body:
        return FlowcatError.from_wire(body)
    return _foreign_error(response.status, server)


def _foreign_error(status: int, server: Server) -> FlowcatError:
    """The error for an answer that is Jupyter's, a proxy's or another program's."""
    if status in (401, 403):
        return Forbidden(
            "use", "Flowcat server", server.url, hint="Its token is refused: restart the kernel."
        )
    if status == 404:
        return Unavailable(
            f"The server at {server.url} has no Flowcat.",
            hint="Run: jupyter server extension enable flowcat_jupyter",
        )
    return Unavailable(
        f"The server at {server.url} answered {status} without saying why.",
        hint="Its log tells more.",
    )
