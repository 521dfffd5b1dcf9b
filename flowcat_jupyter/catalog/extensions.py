"""What is built in and what installed packages add, as the server knows it.

No package's code is run here: only what their metadata say is known.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable

from flowcat_jupyter.shared.errors import Forbidden, Invalid
from flowcat_jupyter.shared.extensions import (
    BUILT_IN,
    DATA_SOURCE,
    FORMAT,
    Extension,
    known_extensions,
)
from flowcat_jupyter.shared.names import name_key

_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
_SECRET = frozenset(
    re.findall(
        r"\w+",
        "password passwords passwd pwd passphrase secret secrets token credential credentials "
        "apikey accesskey accountkey secretkey privatekey authorization bearer",
    )
)
# Too short to be looked for at the end of other words.
_SHORT = frozenset(("sas",))
_KEYS = frozenset(("key", "keys"))
_HARMLESS = frozenset(
    re.findall(
        r"\w+",
        "primary foreign partition partitioning sort cluster merge row unique object business "
        "natural index public order group join",
    )
)
KERNEL_ALONE = (
    "A class that a notebook has registered works in its kernel alone: read it there with "
    "flowfile_ctx.read.format(…) and query the frame (FROM :frame), or put it into a package."
)


def loaded_extensions() -> tuple[Extension, ...]:
    """Every engine, format and data source, by kind and name."""
    return known_extensions()


def storage_kind(format: str) -> Extension:
    """The format or data source called ``format``.

    :raises Invalid: there is none; what there is, and why a notebook's is not, is told.
    """
    known = known_extensions(FORMAT, DATA_SOURCE)
    named = [item for item in known if name_key(item.name) == name_key(format)]
    if not named:
        raise Invalid(
            f"There is no format {format}.",
            condition="DATA_SOURCE_NOT_FOUND",
            sqlstate="42K02",
            hint=f"There are: {', '.join(sorted({item.name for item in known}))}. {KERNEL_ALONE}",
        )
    # What is built in keeps its name, whoever else claims it.
    return next((item for item in named if item.reason is None), named[0])


def check_table_of(format: str, *, unrestricted: bool, allowed: Collection[str]) -> Extension:
    """Check that somebody may make a table ``USING format``; what it is.

    A package's code runs with the server's rights, on options that may be any path: who does not
    own the catalog may use what ``allowed`` names.

    :raises Invalid: there is no such format.
    :raises Forbidden: a package gives it, and it is not for this actor.
    """
    found = storage_kind(format)
    if found.state != BUILT_IN and not unrestricted:
        names = {name_key(name) for name in allowed}
        if name_key(found.name) not in names:
            raise Forbidden(
                "make a table of",
                found.kind,
                found.name,
                hint="Its code runs with the server's rights. Ask who runs the server to name it "
                "in the setting allowed_data_sources.",
            )
    return found


def check_no_secrets(options: Iterable[str]) -> None:
    """Refuse options whose names say that they are secrets: they would be stored as plain text.

    :raises Invalid: one is; it is named, its value is not.
    """
    for name in options:
        if is_secret(name):
            raise Invalid(
                f"The option {name} looks like a secret, which a table does not keep: whoever "
                "sees the table sees its options.",
                condition="UNSUPPORTED_FEATURE.SECRET_OPTION",
                sqlstate="0A000",
                hint="Have the data source read it from the server's environment or from a file; "
                "connections that keep secrets are not there yet.",
            )


def is_secret(name: str) -> bool:
    """Whether an option's name says that its value is a secret: ``apiKey``, ``db_password``."""
    words = [word.lower() for word in _WORD.findall(name)]
    if (_SECRET | _SHORT).intersection(words) or any(
        name.lower().endswith(word) for word in _SECRET
    ):
        return True
    return any(
        word in _KEYS and not (at and words[at - 1] in _HARMLESS) for at, word in enumerate(words)
    )
