"""``%%catalog_sql``: SQL cells."""

from __future__ import annotations

import sys
import weakref
from typing import TYPE_CHECKING, Any

from flowcat_jupyter.kernel.arguments import (
    MagicArguments,
    evaluate,
    read_cell_line,
    read_line,
)
from flowcat_jupyter.kernel.client import Client
from flowcat_jupyter.kernel.failure import SqlCellError
from flowcat_jupyter.kernel.frames import as_form, as_polars
from flowcat_jupyter.kernel.grid import SHOWN_ROWS, bundle
from flowcat_jupyter.kernel.outcome import caption, counts, outcome
from flowcat_jupyter.kernel.queries import SqlOptions, SqlResult, complete, run_sql
from flowcat_jupyter.kernel.sending import frames_named, meant_frame
from flowcat_jupyter.kernel.stopping import told_shortly
from flowcat_jupyter.shared.errors import FlowcatError

if TYPE_CHECKING:
    from IPython.core.interactiveshell import InteractiveShell

MAGIC = "catalog_sql"
HOW_TO_NAME = "FROM :name reads the variable of that name."


class CatalogSql:
    """The magic ``catalog_sql``, for cells and for lines.

    The text is sent exactly as it is written: no variable of Python is put into it. Values get in
    as parameters (``--param k=expression``, used as ``:k``), which are bound and never parsed.
    Where a table stands, ``:df`` is the frame that the variable ``df`` holds when the cell runs.
    """

    def __init__(self, shell: InteractiveShell, client: Client) -> None:
        """Work in ``shell``'s name space, through ``client``."""
        self._shell = shell
        self._client = client

    def __call__(self, line: str, cell: str | None = None) -> Any:
        """Run a cell or a line; the value is its frame, shown as a grid (Arrow in its own way).

        A statement without rows says what it did, and the variable gets its `counts` of rows.

        :raises SqlCellError: anything that went wrong, told shortly.
        :raises KeyboardInterrupt: interrupted; the query has been stopped on the server too, and
            the interrupt says what had become of it.
        """
        query = cell
        try:
            if cell is None:
                arguments, query = read_line(line)
            else:
                arguments = read_cell_line(line)
            return self._run(arguments, query or "")
        except FlowcatError as error:
            hint = meant_frame(error, query or "", self._shell.user_ns)
            raise SqlCellError(error, query or "", hint) from error
        except KeyboardInterrupt as stop:
            raise told_shortly(stop) from None

    def _run(self, arguments: MagicArguments, query: str) -> Any:
        options = SqlOptions(
            **arguments.texts,
            params=evaluate(arguments.params, self._shell.ev),
            frames=frames_named(query, self._shell.user_ns, HOW_TO_NAME),
            dry_run=arguments.dry_run,
        )
        result = run_sql(self._client, query, options)
        if arguments.name:
            complete(result, arguments.name)
        for warning in result.warnings:
            _say(f"Warning: {warning}")
        if result.frame is None:
            self._did(arguments, result)
            return None
        value = as_form(result.frame, arguments.form or "polars")
        if arguments.name:
            self._shell.user_ns[arguments.name] = value
        shown = SHOWN_ROWS if arguments.max_rows is None else arguments.max_rows
        if arguments.form == "arrow":
            # Its tables take no methods, so that nothing can keep them from being shown.
            return None if arguments.quiet and arguments.name else value
        _display_once(result, value, shown, arguments.quiet)
        return value

    def _did(self, arguments: MagicArguments, result: SqlResult) -> None:
        """Say what a statement without rows did, and let the variable hold no older frame."""
        name = arguments.name
        if name:
            self._shell.user_ns[name] = as_form(counts(result), arguments.form or "polars")
        if not arguments.quiet:
            _say(outcome(result))
            if name:
                what = "would write" if result.dry_run else "wrote"
                _say(f"The statement gives no rows: {name} holds how many it {what}.")


def _display_once(result: SqlResult, frame: Any, shown: int, quiet: bool) -> None:
    """Let the notebook show a polars or pandas frame as a grid, the first time only.

    The value of a SQL cell has to be an ordinary frame (``x = %catalog_sql …``, ``_``), which
    IPython would show in polars' way; the methods it asks an object for are put on this object.
    """
    attributes = vars(frame)
    held = weakref.ref(frame)

    def as_grid(**_formats: object) -> dict[str, str]:
        attributes.pop("_repr_mimebundle_", None)
        now = held()
        if now is None:
            return {}
        height, width = now.shape
        types = result.types if len(result.types) == width else ()
        head = as_polars(now.head(shown)).lazy().collect()
        return bundle(head, rows=shown, note=caption(result, height, shown), types=types)

    def not_at_all() -> None:
        attributes.pop("_ipython_display_", None)

    if quiet:
        attributes["_ipython_display_"] = not_at_all
    else:
        attributes["_repr_mimebundle_"] = as_grid


def _say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
