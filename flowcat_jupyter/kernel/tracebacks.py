"""How a call of ``flowfile_ctx`` fails: with the user's own frames and the reason."""

from __future__ import annotations

import contextlib
from pathlib import Path
from types import TracebackType
from typing import Any

from flowcat_jupyter.shared.errors import FlowcatError

_OURS = str(Path(__file__).parents[1])
_BETWEEN = contextlib.__file__


def install(shell: Any) -> None:
    """Show the catalog's errors without its own frames; a handler of the user's own stays."""
    if not shell.custom_exceptions:
        shell.set_custom_exc((FlowcatError,), _show)


def remove(shell: Any) -> None:
    """Show errors as the shell does by itself."""
    if shell.custom_exceptions == (FlowcatError,):
        shell.set_custom_exc((), None)


def users_frames(trace: TracebackType | None) -> TracebackType | None:
    """``trace`` without the frames of this package; whole when there would be nothing left."""
    kept: list[TracebackType] = []
    step = trace
    while step is not None:
        file = step.tb_frame.f_code.co_filename
        if not file.startswith(_OURS) and file != _BETWEEN:
            kept.append(step)
        step = step.tb_next
    made: TracebackType | None = None
    for step in reversed(kept):
        made = TracebackType(made, step.tb_frame, step.tb_lasti, step.tb_lineno)
    return made or trace


def _show(
    shell: Any,
    kind: type[BaseException],
    error: BaseException,
    trace: TracebackType,
    tb_offset: int | None = None,
) -> None:
    # What lay beneath (a refused connection, a driver's error) is in the message already; it is
    # left away on the screen alone, for whoever looks at the error afterwards.
    beneath = error.__cause__, error.__suppress_context__
    error.__cause__, error.__suppress_context__ = None, True
    try:
        shell.showtraceback((kind, error, users_frames(trace)), tb_offset=tb_offset)
    finally:
        error.__cause__, error.__suppress_context__ = beneath
