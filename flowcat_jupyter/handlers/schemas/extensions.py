"""Extensions."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from flowcat_jupyter.handlers.schemas.base import Reply


class ExtensionReply(Reply):
    """One thing that goes by a name, and where it comes from."""

    kind: Literal["engine", "format", "data source"]
    name: str
    target: str = Field(description="module:attribute")
    distribution: str = Field(description="the package it comes from")
    version: str = Field(description="that package's version")
    state: Literal["built in", "installed", "loaded", "failed"] = Field(
        description="installed: no worker could say whether it can be loaded"
    )
    reason: str | None = Field(description="why it has failed")


class ExtensionList(Reply):
    """Everything by kind and name."""

    items: list[ExtensionReply]
    total: int
