"""How a file is called that a browser saves."""

from __future__ import annotations

import re
import unicodedata
from urllib.parse import quote

LONGEST = 100
_ENDINGS = {"markdown": "md"}
TYPES = {
    "csv": "text/csv; charset=utf-8",
    "tsv": "text/tab-separated-values; charset=utf-8",
    "json": "application/json",
    "ndjson": "application/x-ndjson",
    "parquet": "application/vnd.apache.parquet",
    "arrow": "application/vnd.apache.arrow.file",
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    "markdown": "text/markdown; charset=utf-8",
}
_UNSAFE = re.compile(r'[\x00-\x1f\x7f/\\:*?"<>|]+')


def file_name(name: str, format: str) -> str:
    """``name`` as a file's name on any system, with the ending of ``format``."""
    cleaned = "".join(c for c in name if unicodedata.category(c)[0] != "C" or c == " ")
    stem = _UNSAFE.sub("_", cleaned).strip(". ")[:LONGEST].rstrip(". ") or "data"
    return f"{stem}.{_ENDINGS.get(format, format)}"


def disposition(name: str) -> str:
    """The header that has a browser save a file as ``name``, in RFC 6266's two spellings."""
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode()
    plain = re.sub(r'[\\"%]', "_", plain).strip()
    if plain.startswith("."):
        plain = f"data{plain}"
    return f"attachment; filename=\"{plain}\"; filename*=UTF-8''{quote(name, safe='')}"
