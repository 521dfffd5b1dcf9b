"""ipynb files become YAML and come back the same, outputs included."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import nbformat
import pytest

from flowcat_jupyter.documents.convert import convert
from flowcat_jupyter.shared.errors import AlreadyExists, Invalid, NotFound, Unavailable

v4: Any = nbformat.v4


def ipynb(path: Path) -> Path:
    cells = [
        v4.new_markdown_cell("# T\n", attachments={"a.png": {"image/png": "aGk="}}),
        v4.new_code_cell(
            "print(1)\n\n",
            execution_count=4,
            outputs=[v4.new_output("stream", name="stdout", text="1\n")],
            metadata={"tags": ["x"]},
        ),
        v4.new_code_cell("%%catalog_sql out\nSELECT 1"),
        v4.new_raw_cell("r", metadata={"raw_mimetype": "text/html"}),
    ]
    spec = {"name": "python3", "display_name": "Python 3", "language": "python"}
    made = v4.new_notebook(cells=cells, metadata={"kernelspec": spec})
    library: Any = nbformat
    path.write_text(library.writes(made), "utf-8")
    return path


def test_cells_without_ids_keep_their_outputs(tmp_path: Path) -> None:
    source, target, back = (tmp_path / n for n in ("a.ipynb", "b.notebook.yaml", "c.ipynb"))
    old = json.loads(ipynb(source).read_text("utf-8"))
    for cell in old["cells"]:
        del cell["id"]
    source.write_text(json.dumps({**old, "nbformat_minor": 4}), "utf-8")
    convert(source, target)
    convert(target, back)
    after = json.loads(back.read_text("utf-8"))["cells"]
    assert [c.get("outputs") for c in after] == [c.get("outputs") for c in old["cells"]]


def test_there_and_back_is_the_same_notebook(tmp_path: Path) -> None:
    first, middle, last = (tmp_path / n for n in ("a.ipynb", "b.notebook.yaml", "c.ipynb"))
    assert convert(ipynb(first), middle) == ()
    assert "type: sql" in middle.read_text("utf-8")
    assert "name: b\n" in middle.read_text("utf-8")
    assert (tmp_path / ".flowcat" / "outputs" / "b.notebook.yaml.json").is_file()
    convert(middle, last)
    before, after = (json.loads(path.read_text("utf-8")) for path in (first, last))
    assert after["cells"] == before["cells"]
    assert after["metadata"]["kernelspec"] == before["metadata"]["kernelspec"]
    again = tmp_path / "d.notebook.yaml"
    convert(last, again)
    assert again.read_bytes() == middle.read_bytes()


def test_a_file_that_is_there_is_kept_unless_forced(tmp_path: Path) -> None:
    source, target = ipynb(tmp_path / "a.ipynb"), tmp_path / "a.notebook.yaml"
    target.write_text("mine", "utf-8")
    with pytest.raises(AlreadyExists):
        convert(source, target)
    assert target.read_text("utf-8") == "mine"
    convert(source, target, force=True)
    assert target.read_text("utf-8").startswith("notebook_format: 1\n")


def test_an_old_notebook_is_brought_up_to_date(tmp_path: Path) -> None:
    old = tmp_path / "old.ipynb"
    sheet = {"cells": [{"cell_type": "code", "input": "1", "language": "python", "metadata": {},
                        "outputs": [], "collapsed": False}]}  # fmt: skip
    body = {"nbformat": 3, "nbformat_minor": 0, "metadata": {"name": ""}, "worksheets": [sheet]}
    old.write_text(json.dumps(body), "utf-8")
    convert(old, tmp_path / "new.notebook.yaml")
    assert "source: '1'" in (tmp_path / "new.notebook.yaml").read_text("utf-8")


def test_what_cannot_be_converted_says_why(tmp_path: Path) -> None:
    good, bad = tmp_path / "x.notebook.yaml", tmp_path / "bad.ipynb"
    bad.write_text("{", "utf-8")
    with pytest.raises(Invalid, match="not a Jupyter notebook"):
        convert(bad, good)
    with pytest.raises(NotFound):
        convert(tmp_path / "none.ipynb", good)
    with pytest.raises(Invalid, match="by its name"):
        convert(bad, tmp_path / "x.yaml")
    torn = tmp_path / "torn.notebook.yaml"
    torn.write_text("notebook_format: 1\ncells:\n", "utf-8")
    with pytest.raises(Invalid, match=r"torn\.notebook\.yaml"):
        convert(torn, tmp_path / "y.ipynb")
    with pytest.raises(Unavailable):
        convert(ipynb(tmp_path / "a.ipynb"), tmp_path / "nowhere" / "x.notebook.yaml")
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "a.ipynb",
        "bad.ipynb",
        "torn.notebook.yaml",
    ]
