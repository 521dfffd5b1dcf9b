"""Requests' bodies: JSON of a known shape and a bounded size."""

from __future__ import annotations

import json
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from flowcat_jupyter.shared.errors import Invalid, LimitExceeded

Body = TypeVar("Body", bound=BaseModel)

MAX_BODY = 16 << 20


def read_body(model: type[Body], content: bytes) -> Body:
    """``content`` as ``model``.

    :raises Invalid: it is not JSON, or a key is missing, unknown, there twice or of the wrong type.
    :raises LimitExceeded: it is larger than anything a person or a program has to say; reading
        it would hold up everybody else.
    """
    if len(content) > MAX_BODY:
        raise LimitExceeded(f"A request's body is at most {MAX_BODY >> 20} MiB.")
    content = content or b"{}"
    try:
        body = model.model_validate_json(content)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"]) or "the body"
        raise Invalid(f"{where}: {first['msg']}.", hint="See the HTTP reference.") from error
    json.loads(content, object_pairs_hook=_once)
    return body


def _once(pairs: list[tuple[str, Any]]) -> None:
    """Of a key that is there twice one value would be passed over."""
    seen: set[str] = set()
    for key, _ in pairs:
        if key in seen:
            raise Invalid(f"{key}: the key is there twice.", hint="See the HTTP reference.")
        seen.add(key)
