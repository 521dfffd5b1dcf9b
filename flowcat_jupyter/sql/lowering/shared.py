"""Relations that one statement reads several times, read by their columns' names in one place.

An engine that computes equal parts of a plan once finds them only where they are equal to the
letter. Polars does; so each reference of such a relation is to one and the same leaf, whose columns
have the same names wherever it stands. Two references in one FROM have two leaves, because names
are unique there.
"""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(slots=True)
class SharedLeaf:
    """A relation of the generated text called ``name``: columns of ``relation`` by other names.

    ``names`` are the names in the order of the relation's columns; ``read`` are those in use, each
    with the column's own name.
    """

    name: str
    relation: str
    names: tuple[str, ...]
    read: dict[str, str] = field(default_factory=dict)
