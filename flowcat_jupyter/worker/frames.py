"""How server and worker put JSON on their socket: four bytes of length, then the text."""

from __future__ import annotations

import asyncio
import json
import socket
import struct
from typing import Any

from flowcat_jupyter.shared.errors import LimitExceeded

MAX_BYTES = 64 << 20

_LENGTH = struct.Struct(">I")


def pack(body: dict[str, Any]) -> bytes:
    """``body`` as one frame.

    :raises TypeError: it holds something JSON cannot carry.
    :raises LimitExceeded: it is beyond `MAX_BYTES`.
    """
    text = json.dumps(body, separators=(",", ":")).encode()
    if len(text) > MAX_BYTES:
        raise LimitExceeded(
            f"A message of {len(text):,} bytes is too large for a worker.",
            hint="Use a shorter statement, or ask for fewer rows.",
        )
    return _LENGTH.pack(len(text)) + text


def read(channel: socket.socket) -> dict[str, Any] | None:
    """The next frame, waiting for it; None when the other side is gone."""
    head = _exactly(channel, _LENGTH.size)
    if head is None:
        return None
    text = _exactly(channel, _LENGTH.unpack(head)[0])
    return None if text is None else _parse(text)


async def read_async(reader: asyncio.StreamReader) -> dict[str, Any] | None:
    """As `read`; a frame beyond `MAX_BYTES` also counts as the other side's end."""
    try:
        size = _LENGTH.unpack(await reader.readexactly(_LENGTH.size))[0]
        if size > MAX_BYTES:
            return None
        return _parse(await reader.readexactly(size))
    except (asyncio.IncompleteReadError, OSError):
        return None


def _exactly(channel: socket.socket, size: int) -> bytes | None:
    parts = bytearray()
    while len(parts) < size:
        try:
            part = channel.recv(min(size - len(parts), 1 << 20))
        except OSError:
            return None
        if not part:
            return None
        parts += part
    return bytes(parts)


def _parse(text: bytes) -> dict[str, Any]:
    body: dict[str, Any] = json.loads(text)
    return body
