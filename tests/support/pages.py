from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted([ROOT / "README.md", *(ROOT / "docs").rglob("*.md")])
ALL_PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
_BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class Block:
    """A piece of code on a page."""

    page: str
    number: int
    language: str
    text: str

    def __str__(self) -> str:
        return f"{self.page}-{self.number}"


def blocks(language: str) -> list[Block]:
    """Every block of code in ``language``, page by page."""
    found = []
    for page in PAGES:
        for number, match in enumerate(_BLOCK.finditer(page.read_text()), start=1):
            if match[1] == language:
                name = page.relative_to(ROOT).as_posix()
                found.append(Block(name, number, match[1], match[2]))
    return found
