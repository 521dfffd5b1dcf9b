"""Notebooks as YAML open, run, save and travel in Jupyter as ipynb files do."""

from __future__ import annotations

import hashlib
import json
from typing import Any

import pytest

from flowcat_jupyter.documents import yaml

SYNC = "jupyter_server.services.contents.largefilemanager.LargeFileManager"
ASYNC = "jupyter_server.services.contents.largefilemanager.AsyncLargeFileManager"
JUPYTEXT = "jupytext.AsyncTextFileContentsManager"

TEXT = """\
notebook_format: 1
notebook_uuid: 6f0c6f5e-0b52-4a0c-9a39-2f0c1d3f6a10
name: weekly report
description: null
default_kernel_id: echo
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
- id: c3d4
  type: python
  metadata: {}
  source: |-
    x = 1
    y = 2
"""
PATH = "reports/weekly.notebook.yaml"
HTML = {
    "output_type": "display_data",
    "data": {"text/html": "<img src=x onerror=alert(1)>"},
    "metadata": {},
}

pytestmark = [
    pytest.mark.filterwarnings("ignore:The synchronous ContentsManager:DeprecationWarning"),
    # How jupytext's extension names its hook.
    pytest.mark.filterwarnings("ignore:A `_load_jupyter_server_extension`:DeprecationWarning"),
]


@pytest.fixture(
    params=["default", "sync", "async on the command line", "jupytext", "jupytext below"]
)
def way(request: Any) -> str:
    """How the server is configured."""
    return str(request.param)


@pytest.fixture
def extensions(way: str) -> dict[str, bool]:
    return {"jupyterlab_jupytext": True} if way == "jupytext" else {}


@pytest.fixture
def jp_argv(way: str) -> list[str]:
    chosen = {"sync": SYNC, "async on the command line": ASYNC, "jupytext below": JUPYTEXT}
    return [f"--ServerApp.contents_manager_class={chosen[way]}"] if way in chosen else []


def test_opens_as_a_notebook_and_as_text_when_asked(server: Any, put: Any, way: str) -> None:
    put(PATH, TEXT)
    model = server.get(PATH)
    assert (model["type"], model["format"], model["writable"]) == ("notebook", "json", True)
    assert model["mimetype"] is None
    cells = model["content"]["cells"]
    assert cells[0]["source"].splitlines()[0] == "%%catalog_sql --max-rows 100"
    assert [cell["id"] for cell in cells] == ["a1b2", "c3d4"]
    assert model["content"]["metadata"]["kernelspec"]["name"] == "echo"
    text = server.get(PATH, type="file", format="text")
    assert text["content"] == TEXT
    listing = server.get("reports")["content"]
    assert [(item["name"], item["type"]) for item in listing] == [
        ("weekly.notebook.yaml", "notebook")
    ]


def test_saving_unchanged_leaves_bytes_and_time(server: Any, put: Any) -> None:
    file = put(PATH, TEXT)
    before = file.stat().st_mtime_ns
    content = server.get(PATH)["content"]
    assert server.save(PATH, content).code == 200
    assert file.read_text("utf-8") == TEXT
    assert file.stat().st_mtime_ns == before


def test_one_changed_line_is_one_line_of_difference(server: Any, put: Any) -> None:
    file = put(PATH, TEXT)
    content = server.get(PATH)["content"]
    content["cells"][1]["source"] = "x = 1\ny = 3"
    assert server.save(PATH, content).code == 200
    assert file.read_text("utf-8") == TEXT.replace("y = 2", "y = 3")
    read = server.get(PATH)["content"]["cells"]
    assert [cell["source"] for cell in read] == [cell["source"] for cell in content["cells"]]


def test_the_hash_is_that_of_the_yaml_and_shows_a_change_from_outside(
    server: Any, put: Any
) -> None:
    file = put(PATH, TEXT)
    expected = hashlib.sha256(TEXT.encode()).hexdigest()
    for content in (0, 1):
        model = server.get(PATH, hash=1, content=content)
        assert (model["hash"], model["hash_algorithm"]) == (expected, "sha256")
    file.write_text(TEXT.replace("y = 2", "y = 9"), "utf-8")
    assert server.get(PATH, hash=1, content=0)["hash"] != expected


def test_a_client_that_never_read_back_keeps_uuid_and_name(server: Any) -> None:
    bare = {"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": []}
    assert server.save("new.notebook.yaml", bare).code == 201
    first = server.file("new.notebook.yaml").read_text("utf-8")
    assert "name: new\n" in first
    cell = {"id": "a", "cell_type": "markdown", "metadata": {}, "source": "# hello"}
    assert server.save("new.notebook.yaml", {**bare, "cells": [cell]}).code == 200
    second = server.file("new.notebook.yaml").read_text("utf-8")
    assert second.splitlines()[:5] == first.splitlines()[:5]
    assert "# hello" in second


def test_a_new_notebook_gets_our_suffix(server: Any) -> None:
    server.file("in").mkdir()
    for expected in ("Untitled.notebook.yaml", "Untitled1.notebook.yaml"):
        reply = server.contents("POST", "in", {"type": "notebook", "ext": ".notebook.yaml"})
        assert reply.code == 201, reply.body
        assert (reply.json["name"], reply.json["type"]) == (expected, "notebook")
    assert server.get(f"in/{expected}")["content"]["cells"] == []
    plain = server.contents("POST", "in", {"type": "notebook"})
    assert plain.json["name"].endswith(".ipynb")


def test_a_rename_keeps_text_checkpoint_and_outputs(server: Any, put: Any) -> None:
    put(PATH, TEXT)
    content = server.get(PATH)["content"]
    content["cells"][1]["outputs"] = [HTML]
    server.save(PATH, content)
    moved = "other/monthly.notebook.yaml"
    server.file("other").mkdir()
    assert server.contents("PATCH", PATH, {"path": moved}).code == 200
    assert server.file(moved).read_text("utf-8") == TEXT
    assert server.get(moved)["content"]["cells"][1]["outputs"] == [HTML]
    assert len(server.contents("GET", f"{moved}/checkpoints").json) == 1
    assert not server.file("reports/.flowcat").exists()


def test_a_copy_has_a_uuid_and_cell_ids_of_its_own(server: Any, put: Any) -> None:
    put(PATH, TEXT)
    content = server.get(PATH)["content"]
    content["cells"][1]["outputs"] = [HTML]
    server.save(PATH, content)
    reply = server.contents("POST", "reports", {"copy_from": PATH})
    assert reply.code == 201, reply.body
    assert reply.json["path"] == "reports/weekly-Copy1.notebook.yaml"
    copy = server.get(reply.json["path"])["content"]
    assert copy["metadata"]["flowcat"]["notebook_uuid"] != TEXT[35:71]
    assert not {cell["id"] for cell in copy["cells"]} & {"a1b2", "c3d4"}
    assert [c["source"] for c in copy["cells"]] == [c["source"] for c in content["cells"]]
    assert copy["cells"][1]["outputs"] == [HTML]
    again = server.contents("POST", "reports", {"copy_from": reply.json["path"]})
    assert again.json["name"] == "weekly-Copy2.notebook.yaml"
    assert server.file(PATH).read_text("utf-8") == TEXT


def test_the_notebooks_of_a_copied_folder_are_new_ones_too(server: Any, put: Any) -> None:
    put(PATH, TEXT)
    put("reports/deep/torn.notebook.yaml", TEXT[:99])
    content = server.get(PATH)["content"]
    content["cells"][1]["outputs"] = [HTML]
    server.save(PATH, content)
    server.file("to").mkdir()
    assert server.contents("POST", "to", {"copy_from": "reports"}).code == 201
    copy = server.get("to/reports/weekly.notebook.yaml")["content"]
    assert not {cell["id"] for cell in copy["cells"]} & {"a1b2", "c3d4"}
    assert copy["cells"][1]["outputs"] == [HTML]
    assert server.file(PATH).read_text("utf-8") == TEXT
    assert server.file("to/reports/deep/torn.notebook.yaml").read_text("utf-8") == TEXT[:99]


def test_saved_under_a_second_name_it_is_another_notebook(server: Any, put: Any) -> None:
    put(PATH, TEXT)
    content = server.get(PATH)["content"]
    assert server.save("second.notebook.yaml", content).code == 201
    line = server.file("second.notebook.yaml").read_text("utf-8").splitlines()[1]
    assert line.startswith("notebook_uuid: ")
    assert line not in TEXT
    assert server.save("second.notebook.yaml", content).code == 200
    assert line in server.file("second.notebook.yaml").read_text("utf-8")


def test_deleting_takes_checkpoint_and_outputs_along(server: Any, put: Any) -> None:
    put(PATH, TEXT)
    content = server.get(PATH)["content"]
    content["cells"][1]["outputs"] = [HTML]
    server.save(PATH, content)
    assert server.file("reports/.flowcat/.gitignore").read_text() == "*\n"
    assert server.contents("DELETE", PATH).code == 204
    assert not server.file("reports/.flowcat").exists()
    assert server.contents("GET", PATH).code == 404
    assert server.contents("DELETE", "reports").code == 204


def test_a_checkpoint_brings_the_text_back(server: Any, put: Any) -> None:
    put(PATH, TEXT)
    content = server.get(PATH)["content"]
    made = server.contents("POST", f"{PATH}/checkpoints")
    assert made.code == 201
    content["cells"][1]["source"] = "gone"
    server.save(PATH, content)
    back = server.contents("POST", f"{PATH}/checkpoints/{made.json['id']}")
    assert back.code == 204
    assert server.file(PATH).read_text("utf-8") == TEXT


def test_outputs_survive_beside_the_file_and_are_cleared_with_the_cells(
    server: Any, put: Any
) -> None:
    put(PATH, TEXT)
    content = server.get(PATH)["content"]
    content["cells"][1].update(outputs=[HTML], execution_count=7)
    server.save(PATH, content)
    assert server.file(PATH).read_text("utf-8") == TEXT
    cell = server.get(PATH)["content"]["cells"][1]
    assert (cell["outputs"], cell["execution_count"]) == ([HTML], 7)
    content["cells"][1].update(outputs=[], execution_count=None)
    server.save(PATH, content)
    assert not server.file("reports/.flowcat").exists()


def test_outputs_are_not_shown_beside_code_that_did_not_give_them(server: Any, put: Any) -> None:
    file = put(PATH, TEXT)
    content = server.get(PATH)["content"]
    content["cells"][1].update(outputs=[HTML], execution_count=7)
    server.save(PATH, content)
    file.write_text(TEXT.replace("y = 2", "y = 9"), "utf-8")
    assert server.get(PATH)["content"]["cells"][1]["outputs"] == []


def test_trust_survives_our_own_save_and_no_one_elses_edit(server: Any, put: Any) -> None:
    file = put(PATH, TEXT)
    content = server.get(PATH)["content"]
    content["cells"][1]["outputs"] = [HTML]
    server.save(PATH, content)
    assert server.get(PATH)["content"]["cells"][1]["metadata"]["trusted"] is False
    for cell in content["cells"]:
        cell["metadata"]["trusted"] = True
    server.save(PATH, content)
    assert server.get(PATH)["content"]["cells"][1]["metadata"]["trusted"] is True
    file.write_text(TEXT.replace("carrier,", "origin,"), "utf-8")
    assert server.get(PATH)["content"]["cells"][1]["metadata"]["trusted"] is False
    assert server.contents("POST", f"{PATH}/trust").code == 201
    assert server.get(PATH)["content"]["cells"][1]["metadata"]["trusted"] is True


def test_exports_and_downloads(server: Any, put: Any) -> None:
    put(PATH, TEXT)
    page = server.call("GET", f"nbconvert/html/{PATH}", download="true")
    assert page.code == 200, page.body
    assert b"nyc" in page.body
    assert "weekly.notebook.html" in page.headers["Content-Disposition"]
    script = server.call("GET", f"nbconvert/notebook/{PATH}")
    assert [cell["id"] for cell in json.loads(script.body)["cells"]] == ["a1b2", "c3d4"]
    download = server.call("GET", f"files/{PATH}", download=1)
    assert download.body.decode() == TEXT


ODD = [
    "a\x85b\nc",
    "\u2028\u2029",
    "\x1b[31m\x7f",
    "\ufeffx",
    "a\0b",
    "\r\na\r",
    "\ud800",
    "\t x \n",
]


def test_every_character_comes_back_as_it_was(server: Any) -> None:
    cells: list[dict[str, Any]] = [
        {"id": f"c{i}", "cell_type": "code", "metadata": {}, "source": text, "outputs": [],
         "execution_count": None} for i, text in enumerate(ODD)
    ]  # fmt: skip
    notebook = {"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": cells}
    assert server.save("odd.notebook.yaml", notebook).code == 201
    read = server.get("odd.notebook.yaml")["content"]["cells"]
    assert [cell["source"] for cell in read] == ODD
    first = server.file("odd.notebook.yaml").read_bytes()
    server.save("odd.notebook.yaml", server.get("odd.notebook.yaml")["content"])
    assert server.file("odd.notebook.yaml").read_bytes() == first


DAMAGE = {
    "conflict": TEXT.replace("- id: c3d4", "<<<<<<< HEAD\n- id: c3d4"),
    "torn": TEXT[: len(TEXT) * 6 // 10],
    "duplicate key": TEXT + "  source: twice\n",
    "newer": TEXT.replace("notebook_format: 1", "notebook_format: 9"),
    "alias bomb": "a: &a [x, x]\nb: &b [*a, *a]\nc: [*b, *b]\n",
    "not UTF-8": "surrogate",
}


@pytest.mark.parametrize("kind", DAMAGE)
def test_a_damaged_file_opens_for_reading_and_is_never_written_over(
    server: Any, put: Any, kind: str
) -> None:
    file = put(PATH, DAMAGE[kind])
    if kind == "not UTF-8":
        file.write_bytes(TEXT.encode().replace(b"weekly", b"w\xe9ekly"))
    data = file.read_bytes()
    model = server.get(PATH)
    assert (model["type"], model["writable"]) == ("notebook", False)
    assert model["message"]
    cells = model["content"]["cells"]
    assert [cell["cell_type"] for cell in cells] == ["raw", "raw"]
    assert model["message"] in cells[0]["source"]
    for content in (model["content"], {**model["content"], "cells": [], "metadata": {}}):
        refused = server.save(PATH, content)
        assert refused.code == 409
        assert "damaged" in refused.json["message"]
    assert server.save("elsewhere.notebook.yaml", model["content"]).code == 409
    assert file.read_bytes() == data
    copy = server.contents("POST", "reports", {"copy_from": PATH})
    assert copy.code == 201, copy.body
    assert server.file(copy.json["path"]).read_bytes() == data
    repair = {"type": "file", "format": "text", "content": TEXT}
    assert server.contents("PUT", PATH, repair).code == 200
    assert server.get(PATH)["writable"] is True


def test_what_could_not_be_read_back_is_not_saved(
    server: Any, put: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(PATH, TEXT)
    content = server.get(PATH)["content"]
    content["cells"][1]["source"] = "x" * 1000
    monkeypatch.setattr(yaml, "MAX_BYTES", 1000)
    refused = server.save(PATH, content)
    assert refused.code == 400
    assert "larger than" in refused.json["message"]
    assert server.file(PATH).read_text("utf-8") == TEXT


def test_a_write_cut_short_is_undone_from_the_spare_copy(server: Any, put: Any) -> None:
    put(PATH, TEXT[:100])
    put("reports/.~weekly.notebook.yaml", TEXT)
    model = server.get(PATH)
    assert model["writable"] is True
    assert server.file(PATH).read_text("utf-8") == TEXT
    assert server.file(f"{PATH}.invalid").read_text("utf-8") == TEXT[:100]


def test_what_is_no_notebook_is_refused(server: Any, put: Any) -> None:
    put(PATH, TEXT)
    wrong: list[Any] = [{"cells": 5}, {"nbformat": 3, "cells": [], "metadata": {}}, None, []]
    for content in wrong:
        assert server.save(PATH, content).code == 400
    assert server.file(PATH).read_text("utf-8") == TEXT


def test_other_files_are_as_they_were(server: Any, put: Any) -> None:
    put("plain.yaml", "a: 1\n")
    put("x.notebook.yaml/inside.txt", "hello")
    assert server.get("plain.yaml")["type"] == "file"
    assert server.get("x.notebook.yaml")["type"] == "directory"
    bare = {"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": []}
    assert server.save("old.ipynb", bare).code == 201
    assert json.loads(server.file("old.ipynb").read_text())["nbformat"] == 4
    copied = server.contents("POST", "", {"copy_from": "plain.yaml"})
    assert copied.json["name"] == "plain-Copy1.yaml"


def test_nothing_outside_the_folder_or_hidden_is_reached(server: Any, put: Any) -> None:
    put(".secret/x.notebook.yaml", TEXT)
    for path in ("../x.notebook.yaml", ".secret/x.notebook.yaml", "a\0.notebook.yaml"):
        assert server.contents("GET", path).code in (400, 404)
        bare = {"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": []}
        assert server.save(path, bare).code in (400, 403, 404)
    assert not server.root.parent.joinpath("x.notebook.yaml").exists()


def test_the_class_is_wrapped_once(server: Any) -> None:
    classes = type(server.app.contents_manager).__mro__
    assert [c.__name__ for c in classes].count("FlowcatAsyncLargeFileManager") <= 1
    assert sum("serves_notebooks_as_yaml" in vars(c) for c in classes) == 1
    assert "serves_notebooks_as_yaml" in vars(classes[0])
