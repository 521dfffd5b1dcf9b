"""A SQL cell's line means the same to the magic and to the notebook's file."""

from __future__ import annotations

import pytest

from flowcat_jupyter.documents import sqlcell
from flowcat_jupyter.kernel.arguments import read_cell_line

LINES = [
    "",
    "flights",
    "flights --max-rows 5 --quiet",
    "--dialect duckdb --engine polars --catalog demo --schema 'my schema' flights",
    '--param lim=base*2 --param v="x\'; DROP TABLE t" --param n=[1, 2]',
    "--param d={'a': f(1, 2)}",
    "--max-rows=7 --engine=polars",
    "flights --as pandas",
]


def read(line):
    found = read_cell_line(line)
    known = {
        "output": found.name,
        "max_rows": found.max_rows,
        "quiet": found.quiet or None,
        "as": found.form,
        "params": found.params or None,
        **found.texts,
    }
    return {key: value for key, value in known.items() if value is not None}


@pytest.mark.parametrize("line", LINES)
def test_the_file_keeps_what_the_magic_reads(line):
    split = sqlcell.split(f"%%catalog_sql {line}".rstrip() + "\nSELECT 1")
    assert split is not None
    arguments, body = split
    arguments.pop("line", None)
    assert arguments == read(line)
    assert body == "SELECT 1"


@pytest.mark.parametrize(
    "arguments",
    [
        {"output": "x", "max_rows": 3, "quiet": True},
        {"params": {"a": "(1 + 2)", "b": "'it''s'", "c": "f(x, 'y z')", "d": '"x\'y"'}},
        {"schema": "my schema", "catalog": "it's"},
    ],
)
def test_the_magic_reads_what_the_file_writes(arguments):
    line = sqlcell.join(arguments, "SELECT 1").split("\n")[0]
    found = read(line.removeprefix("%%catalog_sql"))
    params = found.get("params", {})
    assert {k: eval(v, {"x": 1, "f": lambda *a: a}) for k, v in params.items()} == {  # noqa: S307
        k: eval(v, {"x": 1, "f": lambda *a: a})  # noqa: S307
        for k, v in arguments.get("params", {}).items()
    }
    assert {**found, "params": None} == {**arguments, "params": None}
