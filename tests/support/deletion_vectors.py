"""Deletion vectors of Delta tables, made by hand from the protocol's text."""

from __future__ import annotations

import struct
from typing import Any

Z85 = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-:+=^!/*?&<>()[]{}@%$#"


def deletion_vector(rows: list[int]) -> dict[str, Any]:
    """An inline deletion vector: a 64-bit roaring bitmap with one array container, in Z85."""
    container = struct.pack("<II", 12346, 1) + struct.pack("<HH", 0, len(rows) - 1)
    container += struct.pack("<I", 16) + b"".join(struct.pack("<H", row) for row in rows)
    body = struct.pack("<iqi", 1681511377, 1, 0) + container
    return {
        "storageType": "i",
        "pathOrInlineDv": z85(body),
        "sizeInBytes": len(body),
        "cardinality": len(rows),
    }


def z85(content: bytes) -> str:
    """Bytes as text, four to five characters; what lacks to four is zero."""
    content += b"\0" * (-len(content) % 4)
    text = ""
    for start in range(0, len(content), 4):
        value = int.from_bytes(content[start : start + 4], "big")
        digits = ""
        for _ in range(5):
            value, digit = divmod(value, 85)
            digits = Z85[digit] + digits
        text += digits
    return text
