"""A frame as a small table for a notebook: HTML that holds only text, and plain text."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from html import escape
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import polars as pl

SHOWN_ROWS = 100
CELL_CHARACTERS = 500
_NUMBERS = ("Int", "UInt", "Float", "Decimal")
# The doubled class outweighs JupyterLab's own rule, which would align every cell to the right.
_STYLE = """
.flowcat-grid{max-height:420px;overflow:auto;display:inline-block;max-width:100%}
.flowcat-grid table{border-collapse:collapse;margin:0;
font-size:var(--jp-ui-font-size1,13px);font-variant-numeric:tabular-nums}
.flowcat-grid.flowcat-grid table th,.flowcat-grid.flowcat-grid table td{
padding:2px 10px;white-space:pre;max-width:40em;
overflow:hidden;text-overflow:ellipsis;text-align:left;
border-bottom:1px solid var(--jp-border-color2,#ddd)}
.flowcat-grid table th{position:sticky;top:0;background:var(--jp-layout-color1,#fff)}
.flowcat-grid table th small{display:block;font-weight:normal;color:var(--jp-ui-font-color2,#666)}
.flowcat-grid.flowcat-grid table td.n,.flowcat-grid.flowcat-grid table th.n{text-align:right}
.flowcat-grid table td.z{color:var(--jp-ui-font-color3,#767676);font-style:italic}
.flowcat-note{color:var(--jp-ui-font-color2,#555);font-size:var(--jp-ui-font-size1,13px)}
"""


def bundle(
    frame: pl.DataFrame, *, rows: int, note: str, types: Sequence[str] = ()
) -> dict[str, str]:
    """``frame``'s first ``rows`` rows as ``text/html`` and ``text/plain``, with ``note`` below.

    Values are shown exactly, except that long texts are cut (with an ellipsis); NULL is told
    apart from the text "NULL". Nothing in the data can become markup. ``types`` are shown below
    the columns' names, by default polars' own.
    """
    head = frame.head(rows)
    shown = list(types) or [str(dtype) for dtype in head.dtypes]
    return {"text/html": _html(head, shown, note), "text/plain": f"{_plain(head)}\n{note}"}


def _html(head: pl.DataFrame, types: list[str], note: str) -> str:
    kinds = ["n" if str(dtype).startswith(_NUMBERS) else "" for dtype in head.dtypes]
    titles = "".join(
        f'<th scope="col" class="{kind}">{escape(name)}<small>{escape(type_)}</small></th>'
        for name, type_, kind in zip(head.columns, types, kinds, strict=True)
    )
    lines = "".join(
        f"<tr>{''.join(_cell(v, k) for v, k in zip(row, kinds, strict=True))}</tr>"
        for row in head.iter_rows()
    )
    return (
        f"<style>{_STYLE}</style>"
        f'<div class="flowcat-grid"><table><thead><tr>{titles}</tr></thead>'
        f"<tbody>{lines}</tbody></table></div>"
        f'<div class="flowcat-note">{escape(note)}</div>'
    )


def _cell(value: Any, kind: str) -> str:
    if value is None:
        return f'<td class="{kind} z">NULL</td>'
    text = as_text(value)
    shown = text if len(text) <= CELL_CHARACTERS else text[:CELL_CHARACTERS] + "…"
    return f'<td class="{kind}">{escape(shown)}</td>'


def as_text(value: Any) -> str:
    """A value as a person reads it: exact numbers, ISO times, hexadecimal bytes."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, Decimal):
        return format(value, "f")
    if isinstance(value, bytes):
        return "0x" + value.hex()
    if isinstance(value, list):
        return f"[{', '.join(_inner(item) for item in value)}]"
    if isinstance(value, dict):
        return f"{{{', '.join(f'{key}: {_inner(item)}' for key, item in value.items())}}}"
    return str(value)


def _inner(value: Any) -> str:
    return "NULL" if value is None else repr(value) if isinstance(value, str) else as_text(value)


def _plain(head: pl.DataFrame) -> str:
    import polars as pl

    with pl.Config(
        tbl_rows=-1,
        tbl_cols=-1,
        tbl_hide_dataframe_shape=True,
        fmt_str_lengths=80,
        fmt_float="full",
    ):
        return str(head)
