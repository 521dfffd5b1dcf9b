"""A notebook reads back equal to what was saved, and nothing that is damaged is lost."""

from __future__ import annotations

import copy
import time
from typing import Any

import nbformat
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from flowcat_jupyter.documents import notebook as codec
from flowcat_jupyter.documents import sqlcell
from flowcat_jupyter.shared.errors import Invalid

EXAMPLE = """\
notebook_format: 1
notebook_uuid: 6f0c6f5e-0b52-4a0c-9a39-2f0c1d3f6a10
name: weekly report
description: null
default_kernel_id: flowcat
namespace: sales.reports
metadata: {}
cells:
- id: a1b2
  type: sql
  metadata:
    max_rows: 100
  source: |-
    SELECT carrier, count(*) AS n
    FROM nyc.flights GROUP BY carrier
"""

# As another tool of the same family writes it: no notebook metadata, one namespace level.
FLOWFILE = """\
notebook_format: 1
notebook_uuid: e78b5d47-1111-4222-8333-944455556666
name: nb1
description: null
default_kernel_id: null
namespace: main
cells:
- id: c1
  type: markdown
  metadata: {}
  source: |-
    # Title
    text
- id: c2
  type: python
  metadata: {}
  source: import polars as pl
- id: c3
  type: sql
  metadata:
    collapsed: false
    max_rows: 100
  source: SELECT * FROM events
"""


def loaded(text: str | bytes) -> codec.Loaded:
    result = codec.reads(text)
    assert isinstance(result, codec.Loaded), result
    return result


def damaged(text: str | bytes) -> codec.Damaged:
    result = codec.reads(text)
    assert isinstance(result, codec.Damaged), result
    return result


def validate(notebook: dict[str, Any]) -> None:
    library: Any = nbformat
    library.validate(library.from_dict(notebook))


def as_kept(notebook: Any) -> Any:
    """The notebook less what is documented not to be kept."""
    kept = copy.deepcopy(notebook)
    for key in ("language_info", "widgets"):
        kept["metadata"].pop(key, None)
    for cell in kept["cells"]:
        cell["metadata"].pop("trusted", None)
        cell["metadata"].pop("execution", None)
        if cell["cell_type"] == "code":
            cell.update(outputs=[], execution_count=None)
    return kept


LINES = [
    " out", " --max-rows 5", " --quiet out", " --param k='a b' --as arrow", "  --max-rows=5",
    " --max-rows 05", " --nope", " --engine 'x", " --param a=1 --param a=2", "x", "\t--quiet",
    " --param k=f(1, 'x y')", " --schema 'my schema'", " --schema \"it's\"", " --engine a'b c'",
    " --schema -s", "\r", " out --dry-run --quiet", " --dry-run=1",
]  # fmt: skip
sources = st.one_of(
    st.text(max_size=30),
    st.text(st.sampled_from("\n\t \r\x85\u2028\x1b#:-'\"ab%"), max_size=20),
    st.builds(
        "{}{}\n{}".format,
        st.just(sqlcell.MAGIC),
        st.text(st.sampled_from(" -=ab'\"\\"), max_size=12)
        | st.sampled_from(LINES),
        st.text(max_size=20),
    ),
)  # fmt: skip
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=9),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=5,
)
ours = st.sampled_from(["max_rows", "line", "quiet", "params", "output", "engine", "flowcat", "as"])
flows = st.fixed_dictionaries(
    {},
    optional={
        "type": st.sampled_from(["chart", "python", "", "yes"]) | json_values,
        "extra": st.dictionaries(st.sampled_from(["new", "id", "on", "12"]), json_values)
        | json_values,
        "notebook_uuid": st.text(max_size=5) | json_values,
        "name": st.sampled_from(["null", "~", "yes", "12", ""]) | json_values,
        "namespace": st.dictionaries(st.text(max_size=4), st.text(max_size=4)) | json_values,
    },
)
metadatas = st.builds(
    lambda free, flow: {**free, **({} if flow is None else {"flowcat": flow})},
    st.dictionaries(st.text(max_size=6) | ours, json_values, max_size=3).map(
        lambda found: {k: v for k, v in found.items() if k not in ("trusted", "execution")}
    ),
    st.none() | flows | json_values,
)
kernelspecs = st.sampled_from(
    [None, {"name": "python3", "display_name": "Python 3", "language": "python"}, {"name": "x"},
     {"name": "k", "display_name": "k"}, {"name": "null"}, {"name": ""}, {}, {"name": 5}, "odd",
     {"name": "flowcat", "display_name": "Python 3 (Flowcat)", "language": "python"},
     {"name": "flowcat", "display_name": "flowcat"}, {"display_name": "no name"},
     {"name": "ir", "language": "R", "display_name": "R"}]
)  # fmt: skip


@st.composite
def notebooks(draw: Any) -> dict[str, Any]:
    count = draw(st.integers(0, 4))
    cells = []
    for index in range(count):
        kind = draw(st.sampled_from(["code", "code", "markdown", "raw"]))
        cell = {
            "id": f"c-{index}",
            "cell_type": kind,
            "metadata": draw(metadatas),
            "source": draw(sources),
        }
        if kind == "code":
            cell |= {"outputs": [], "execution_count": None}
        elif draw(st.booleans()):
            cell["attachments"] = {"a.png": {"image/png": "aGk="}}
        cells.append(cell)
    metadata = draw(metadatas)
    spec = draw(kernelspecs)
    if spec is not None:
        metadata["kernelspec"] = spec
    return {"cells": cells, "metadata": metadata, "nbformat": 4, "nbformat_minor": 5}


@settings(max_examples=300, deadline=None)
@given(notebooks())
def test_what_was_saved_reads_back_equal_and_saves_as_the_same_bytes(notebook: Any) -> None:
    text = codec.writes(notebook)
    read = loaded(text)
    assert as_kept(read.notebook) == as_kept(notebook)
    assert codec.writes(read.notebook) == text
    assert not read.warnings or any("unknown type" in warning for warning in read.warnings)


def test_the_format_is_the_published_one() -> None:
    read = loaded(EXAMPLE)
    assert codec.writes(read.notebook) == EXAMPLE
    assert read.notebook["cells"][0]["source"].startswith("%%catalog_sql --max-rows 100\nSELECT")
    spec = {"name": "flowcat", "display_name": "Python 3 (Flowcat)", "language": "python"}
    assert read.notebook["metadata"]["kernelspec"] == spec
    validate(read.notebook)


def test_another_tools_file_opens_and_changes_by_one_line_when_saved() -> None:
    read = loaded(FLOWFILE)
    validate(read.notebook)
    assert [cell["cell_type"] for cell in read.notebook["cells"]] == ["markdown", "code", "code"]
    assert read.notebook["cells"][2]["metadata"] == {"collapsed": False}
    added = set(codec.writes(read.notebook).splitlines()) - set(FLOWFILE.splitlines())
    assert added == {"metadata: {}"}


def rich() -> dict[str, Any]:
    v4: Any = nbformat.v4
    png = v4.new_output("display_data", {"image/png": "aGk="}, metadata={})
    notebook = v4.new_notebook(
        metadata={
            "kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"},
            "language_info": {"name": "python", "version": "3.11"},
            "widgets": {"application/vnd.jupyter.widget-state+json": {"state": {}}},
            "toc": {"base_numbering": 1},
        },
        cells=[
            v4.new_raw_cell("<b>", metadata={"raw_mimetype": "text/html"}),
            v4.new_markdown_cell("![](attachment:x)", attachments={"x": {"image/a": "aGk="}}),
            v4.new_code_cell("%%bash\necho hi", metadata={"tags": ["a", "b"], "collapsed": True}),
            v4.new_code_cell("# only\n# comments"),
            v4.new_code_cell("a = 1\n\n\nb = 2 ", outputs=[png], execution_count=3),
            v4.new_code_cell("%%catalog_sql out --as arrow\nSELECT 1"),
            v4.new_code_cell("", metadata={"custom": {"deep": [1, {"x": None}]}}),
        ],
    )  # fmt: skip
    return dict(notebook)


def test_every_kind_of_cell_keeps_its_id_source_metadata_and_attachments() -> None:
    notebook = rich()
    read = loaded(codec.writes(notebook)).notebook
    assert as_kept(read) == as_kept(notebook)
    validate(read)
    assert loaded(codec.writes({**notebook, "cells": []})).notebook["cells"] == []


def test_outputs_and_passing_marks_are_not_in_the_text() -> None:
    notebook = rich()
    notebook["cells"][4]["metadata"] = {"trusted": True, "execution": {"iopub.status.busy": "x"}}
    text = codec.writes(notebook)
    for word in (
        "outputs",
        "execution",
        "trusted",
        "language_info",
        "widget",
        "image/png: aGk=\n-",
    ):
        assert word not in text


def test_arguments_of_a_sql_cell_are_named_keys_in_one_order() -> None:
    source = "%%catalog_sql out --max-rows 5 --engine duckdb --param k='a b' --quiet\nSELECT :k"
    cell = {"id": "a", "cell_type": "code", "metadata": {"tags": ["t"]}, "source": source}
    notebook = {"nbformat": 4, "metadata": {}, "cells": [cell]}
    text = codec.writes(notebook)
    assert "type: sql" in text
    assert "%%catalog_sql" not in text
    edited = text.replace("max_rows: 5", "max_rows: 7")
    cell = loaded(edited).notebook["cells"][0]
    assert cell["source"].splitlines()[0] == (
        "%%catalog_sql out --max-rows 7 --engine duckdb --param k='a b' --quiet"
    )
    assert cell["metadata"] == {"tags": ["t"]}


def test_a_parameter_is_the_users_python_and_a_name_may_be_quoted() -> None:
    parts = sqlcell.split(
        "%%catalog_sql --schema 'my s' --param k=[1, 'a b'] --param v='x'\nSELECT"
    )
    assert parts is not None
    assert parts[0] == {"schema": "my s", "params": {"k": "[1, 'a b']", "v": "'x'"}}
    assert sqlcell.take({"params": {"k": "a b"}, "schema": "x"})[1] == {"params": {"k": "a b"}}


def test_the_two_levels_of_a_namespace_stay_where_they_are() -> None:
    for schema in ("default", "null"):
        text = EXAMPLE.replace(
            "namespace: sales.reports", f"namespace:\n  catalog: on\n  schema: {schema}"
        ).replace("catalog: on", "catalog: 'on'")
        assert codec.writes(loaded(text).notebook) == text


@pytest.mark.parametrize(
    "source", ["%%catalog_sql --bogus\nSELECT 1", "%%catalog_sql", "%%catalog_sqlx\nSELECT 1",
               "%%catalog_sql --max-rows many\nSELECT 1", "%%catalog_sql 'open\nSELECT 1",
               "%%catalog_sql --engine a --engine a\nSELECT 1", "%%catalog_sql a b\nSELECT 1"],
)  # fmt: skip
def test_a_magic_we_cannot_parse_stays_a_python_cell(source: str) -> None:
    notebook = {"nbformat": 4, "metadata": {}, "cells": [
        {"id": "a", "cell_type": "code", "metadata": {}, "source": source}]}  # fmt: skip
    text = codec.writes(notebook)
    assert "type: python" in text
    assert loaded(text).notebook["cells"][0]["source"] == source


def test_unknown_keys_and_cell_types_are_kept() -> None:
    text = EXAMPLE.replace("cells:\n", "colour: blue\ncells:\n- id: z\n  type: chart\n"
                           "  metadata: {}\n  source: x\n  mark: bar\n")  # fmt: skip
    read = loaded(text)
    assert read.notebook["cells"][0]["cell_type"] == "raw"
    assert "chart" in read.warnings[0]
    assert codec.writes(read.notebook) == text
    validate(read.notebook)


def test_words_in_text_places_are_read_as_written() -> None:
    text = EXAMPLE.replace("name: weekly report", "name: on").replace("id: a1b2", "id: 012")
    text = text[: text.index("  source:")].replace("type: sql", "type: python")
    text = text.replace("    max_rows: 100\n", "    a: 1\n")
    for word in ("yes", "12", "1.50", "true", "null", "2024-01-01", "0x1F"):
        read = loaded(f"{text}  source: {word}\n").notebook
        assert read["cells"][0]["source"] == word
        assert read["cells"][0]["id"] == "012"
        assert read["metadata"]["flowcat"]["name"] == "on"


def test_missing_and_repeated_ids_are_mended_with_a_warning_and_the_same_way_each_time() -> None:
    text = FLOWFILE.replace("id: c2", "id: c1").replace("id: c3", "id: a b")
    first, second = loaded(text), loaded(text)
    assert first == second
    assert len({cell["id"] for cell in first.notebook["cells"]}) == 3
    assert len(first.warnings) == 2


def test_an_empty_file_opens_as_an_empty_notebook() -> None:
    read = loaded("")
    assert read.notebook["cells"] == []
    assert read.warnings


DAMAGE = {
    "conflict": FLOWFILE.replace("- id: c2", "<<<<<<< HEAD\n- id: c2").replace(
        "- id: c3", "=======\n- id: c9\n>>>>>>> theirs\n- id: c3"
    ),
    "cut in a line": FLOWFILE[: len(FLOWFILE) * 6 // 10],
    "cut after a line": FLOWFILE[: FLOWFILE.index("  source: import")],
    "cut before the cells": FLOWFILE[: FLOWFILE.index("- id: c1")],
    "duplicate key": FLOWFILE + "  source: twice\n",
    "newer version": FLOWFILE.replace("notebook_format: 1", "notebook_format: 2"),
    "no version": FLOWFILE.replace("notebook_format: 1\n", ""),
    "not a notebook": "a: 1\n",
    "a list": "- a\n",
    "no YAML": "{ : ]\n",
    "alias": FLOWFILE + "- *x\n",
    "tag": FLOWFILE.replace("metadata: {}", "metadata: !!map {}"),
    "cell is text": FLOWFILE + "- hello\n",
    "source is a list": FLOWFILE.replace("source: import polars as pl", "source: [a]"),
    "metadata is text": FLOWFILE.replace("metadata: {}", "metadata: x"),
    "name is a list": FLOWFILE.replace("name: nb1", "name: [a]"),
}


@pytest.mark.parametrize("text", DAMAGE.values(), ids=DAMAGE.keys())
def test_a_damaged_file_says_why_and_keeps_its_text(text: str) -> None:
    found = damaged(text)
    assert found.reason
    assert found.hint
    assert found.text == text


@pytest.mark.parametrize("part", range(5, 100, 5))
def test_a_file_cut_anywhere_never_reads_as_fewer_cells_unless_between_lines(part: int) -> None:
    text = FLOWFILE[: len(FLOWFILE) * part // 100].rstrip("\n")
    damaged(text)


def test_a_huge_file_is_damage_at_once() -> None:
    data = FLOWFILE.encode() + b"x" * 60_000_000
    started = time.process_time()
    assert "larger than 50 MB" in damaged(data).reason
    assert time.process_time() - started < 1


def test_bytes_that_are_not_utf_8_are_damage() -> None:
    assert "UTF-8" in damaged(FLOWFILE.replace("Title", "Titel é").encode("latin-1")).reason


def test_windows_line_ends_and_a_byte_order_mark_are_read() -> None:
    assert loaded(b"\xef\xbb\xbf" + FLOWFILE.replace("\n", "\r\n").encode()) == loaded(FLOWFILE)


def test_a_changed_line_is_one_line_of_difference() -> None:
    notebook = rich()
    before = codec.writes(notebook).splitlines()
    notebook["cells"][4]["source"] = "a = 1\n\n\nb = 3"
    after = codec.writes(notebook).splitlines()
    assert sum(a != b for a, b in zip(before, after, strict=True)) == 1


@pytest.mark.parametrize("bad", [{"nbformat": 3}, {"nbformat": 4, "cells": [{"cell_type": "x"}]}])
def test_what_is_no_notebook_is_refused(bad: dict[str, Any]) -> None:
    with pytest.raises(Invalid):
        codec.writes(bad)
