"""A notebook that is renamed between ``.ipynb`` and ``.notebook.yaml`` is converted, whole."""

from __future__ import annotations

import copy
import hashlib
import json
import stat
from pathlib import Path
from typing import Any

import pytest

from flowcat_jupyter.contents import kinds, renaming
from flowcat_jupyter.documents import notebook as codec
from flowcat_jupyter.documents import outputs

SYNC = "jupyter_server.services.contents.largefilemanager.LargeFileManager"
JUPYTEXT = "jupytext.AsyncTextFileContentsManager"
OLD, NEW = "in/delays.ipynb", "in/delays.notebook.yaml"
PNG = {"output_type": "display_data", "metadata": {"image/png": {"width": 3}},
       "data": {"image/png": "iVBORw0KGgo=\n", "text/plain": "<Figure>"}}  # fmt: skip
STREAM = {"output_type": "stream", "name": "stdout", "text": "a\nb\n"}
NOTEBOOK: dict[str, Any] = {
    "nbformat": 4,
    "nbformat_minor": 5,
    "metadata": {
        "kernelspec": {"name": "echo", "display_name": "Echo", "language": "python"},
        "language_info": {"name": "python"},
        "authors": [{"name": "Ä"}],
    },
    "cells": [
        {"id": "text", "cell_type": "markdown", "metadata": {"tags": ["top"]},
         "source": "# Delays ![a](attachment:a.png)",
         "attachments": {"a.png": {"image/png": "iVBORw0KGgo="}}},
        {"id": "sql", "cell_type": "code", "metadata": {}, "execution_count": 3,
         "source": "%%catalog_sql worst --max-rows 5\nSELECT 1", "outputs": [STREAM]},
        {"id": "py", "cell_type": "code", "metadata": {"collapsed": True}, "execution_count": 4,
         "source": "x = 1\n\ty = '\ud800\x85'", "outputs": [PNG, STREAM]},
        {"id": "raw", "cell_type": "raw", "metadata": {}, "source": " \n"},
    ],
}  # fmt: skip

pytestmark = [
    pytest.mark.filterwarnings("ignore:The synchronous ContentsManager:DeprecationWarning"),
]


@pytest.fixture(params=["default", "sync", "jupytext below"])
def way(request: Any) -> str:
    """How the server is configured."""
    return str(request.param)


@pytest.fixture
def jp_argv(way: str) -> list[str]:
    chosen = {"sync": SYNC, "jupytext below": JUPYTEXT}
    return [f"--ServerApp.contents_manager_class={chosen[way]}"] if way in chosen else []


@pytest.fixture
def notebook(server: Any) -> dict[str, Any]:
    """What ``OLD`` holds."""
    server.file("in").mkdir()
    made = copy.deepcopy(NOTEBOOK)
    # Jupyter itself does not save a lone surrogate; our own tests of the codec have it.
    made["cells"][2]["source"] = "x = 1\n\ty = '\x85'"
    assert server.save(OLD, made).code == 201
    return made


def plain(notebook: Any) -> Any:
    """A notebook as it is compared: without the mark of trust, and what names the file."""
    made = json.loads(json.dumps(notebook))
    for cell in made["cells"]:
        cell["metadata"].pop("trusted", None)
    made["metadata"].pop("flowcat", None)
    return made


def listed(server: Any, folder: str = "in") -> list[str]:
    return sorted(item.name for item in server.file(folder).iterdir() if item.is_file())


def rename(server: Any, old: str, new: str) -> Any:
    return server.contents("PATCH", old, {"path": new})


def test_there_and_back_nothing_is_lost(server: Any, notebook: Any) -> None:
    before = plain(server.get(OLD)["content"])
    reply = rename(server, OLD, NEW)
    assert reply.code == 200, reply.body
    assert (reply.json["path"], reply.json["type"], reply.json["writable"]) == (
        NEW, "notebook", True)  # fmt: skip
    assert listed(server) == ["delays.notebook.yaml"]
    text = server.file(NEW).read_text("utf-8")
    assert text.startswith("notebook_format: 1\nnotebook_uuid: ")
    assert "name: delays\n" in text
    assert "type: sql\n" in text
    assert "iVBORw0KGgo=\\n" not in text
    assert outputs.sidecar(server.file(NEW)).is_file()
    assert plain(server.get(NEW)["content"]) == before
    uuid = server.get(NEW)["content"]["metadata"]["flowcat"]["notebook_uuid"]

    reply = rename(server, NEW, "in/again.ipynb")
    assert reply.code == 200, reply.body
    assert listed(server) == ["again.ipynb"]
    assert not server.file("in/.flowcat").exists()
    assert plain(server.get("in/again.ipynb")["content"]) == before
    assert rename(server, "in/again.ipynb", NEW).code == 200
    assert server.get(NEW)["content"]["metadata"]["flowcat"]["notebook_uuid"] == uuid


def test_who_has_it_open_saves_on_without_a_conflict(server: Any, notebook: Any) -> None:
    opened = server.get(OLD, hash=1)
    for old, new in ((OLD, NEW), (NEW, OLD)):
        model = rename(server, old, new).json
        data = server.file(new).read_bytes()
        assert model["hash"] == hashlib.sha256(data).hexdigest() != opened["hash"]
        now = server.get(new, content=0, hash=1)
        assert (now["hash"], now["last_modified"]) == (model["hash"], model["last_modified"])
        notebook["cells"][2]["source"] += "\nz = 1"
        assert server.save(new, notebook).code == 200
        assert server.get(new)["content"]["cells"][2]["outputs"]


def test_the_checkpoint_follows_and_brings_the_notebook_back(server: Any, notebook: Any) -> None:
    made = server.contents("POST", f"{OLD}/checkpoints").json
    notebook["cells"][2]["source"] = "changed"
    server.save(OLD, notebook)
    for old, new in ((OLD, NEW), (NEW, OLD)):
        uuid = server.get(old)["content"]["metadata"].get("flowcat", {}).get("notebook_uuid")
        rename(server, old, new)
        [found] = server.contents("GET", f"{new}/checkpoints").json
        assert found == made
        now = server.get(new)["content"]["metadata"]["flowcat"]["notebook_uuid"]
        assert now == (uuid or now)
        assert server.contents("POST", f"{new}/checkpoints/{made['id']}").code == 204
        back = server.get(new)
        assert back["writable"] is True
        assert back["content"]["cells"][2]["source"].startswith("x = 1")
        assert back["content"]["metadata"]["flowcat"]["notebook_uuid"] == now
        assert back["content"]["cells"][1]["outputs"] == [STREAM]


def test_trust_goes_along_and_is_not_gained(server: Any, notebook: Any) -> None:
    def trusted(path: str) -> bool:
        return bool(server.get(path)["content"]["cells"][2]["metadata"]["trusted"])

    rename(server, OLD, NEW)
    assert not trusted(NEW)
    assert server.contents("POST", f"{NEW}/trust").code == 201
    for old, new in ((NEW, OLD), (OLD, NEW)):
        rename(server, old, new)
        assert trusted(new)


BAD = {
    "torn.ipynb": '{"cells": [',
    "empty.ipynb": "",
    "list.ipynb": "[1]",
    "words.ipynb": "notes: of mine\n",
    "invalid.ipynb": json.dumps({**NOTEBOOK, "cells": [{"cell_type": "code", "source": 5}]}),
    "future.ipynb": json.dumps({**NOTEBOOK, "nbformat": 9}),
    "torn.notebook.yaml": "notebook_format: 1\ncells:\n- id: a\n",
    "merge.notebook.yaml": "notebook_format: 1\n<<<<<<< HEAD\ncells: []\n",
}


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("name", BAD)
def test_what_is_no_valid_notebook_is_refused_and_left(server: Any, put: Any, name: str) -> None:
    file = put(f"in/{name}", BAD[name])
    other = "in/x.notebook.yaml" if name.endswith(".ipynb") else "in/x.ipynb"
    reply = rename(server, f"in/{name}", other)
    assert reply.code == 400, reply.body
    assert reply.json["message"].startswith(f"{name} was not renamed, because it could not be")
    assert listed(server) == [name]
    assert file.read_text("utf-8") == BAD[name]


def test_a_name_that_is_taken_missing_or_hidden_is_refused(server: Any, notebook: Any) -> None:
    taken = {"type": "file", "format": "text", "content": "mine\n"}
    server.contents("PUT", NEW, taken)
    server.file("in/link.notebook.yaml").symlink_to("nowhere")
    data = server.file(OLD).read_bytes()
    for new, code in {NEW: 409, "in/link.notebook.yaml": 409, "no/x.notebook.yaml": 404,
                      "in/.x.notebook.yaml": 400, "../x.notebook.yaml": 404}.items():  # fmt: skip
        assert rename(server, OLD, new).code == code, new
    assert server.file(OLD).read_bytes() == data
    assert server.file(NEW).read_text() == "mine\n"
    assert not server.file("in/.flowcat").exists()
    assert rename(server, "in/gone.ipynb", "in/x.notebook.yaml").code == 404


def test_outputs_too_large_to_keep_are_not_dropped(
    server: Any, notebook: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(outputs.dumps, "__kwdefaults__", {"max_bytes": 320})
    reply = rename(server, OLD, NEW)
    assert reply.code == 400
    assert "The outputs of cell 3 would be lost" in reply.json["message"]
    assert listed(server) == ["delays.ipynb"]


def test_outputs_that_have_no_place_are_not_dropped(server: Any, notebook: Any, put: Any) -> None:
    server.file("elsewhere").mkdir()
    server.file("in/.flowcat").symlink_to(server.file("elsewhere"))
    data = server.file(OLD).read_bytes()
    reply = rename(server, OLD, NEW)
    assert reply.code == 403
    assert "link" in reply.json["message"]
    assert server.file(OLD).read_bytes() == data
    assert not server.file(NEW).exists()


@pytest.mark.parametrize("step", ["replace_whole", "unlink"])
def test_a_failure_on_the_way_leaves_the_old_one_alone(
    server: Any, notebook: Any, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    data = server.file(OLD).read_bytes()

    def fail(*_args: Any, **_options: Any) -> None:
        raise PermissionError(13, "Permission denied", str(server.file(NEW)))

    with monkeypatch.context() as patch:
        if step == "unlink":
            unlink = Path.unlink

            def torn(place: Path, missing_ok: bool = False) -> None:
                if place != server.file(OLD):
                    unlink(place, missing_ok)
                    return
                # A crash here leaves both, each whole.
                assert isinstance(codec.reads(server.file(NEW).read_bytes()), codec.Loaded)
                assert outputs.sidecar(server.file(NEW)).is_file()
                fail()

            patch.setattr(Path, "unlink", torn)
        else:
            patch.setattr(renaming, step, fail)
        assert rename(server, OLD, NEW).code == 403
    assert server.file(OLD).read_bytes() == data
    assert listed(server) == ["delays.ipynb"]
    assert not server.file("in/.flowcat").exists()
    assert rename(server, OLD, NEW).code == 200


def test_a_save_while_it_is_converted_is_not_lost(
    server: Any, notebook: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = kinds.made
    later = copy.deepcopy(notebook)
    later["cells"][2]["source"] = "saved meanwhile"
    saves = [json.dumps(later)]

    def slowly(source: Path, target: Path, data: bytes) -> Any:
        found = made(source, target, data)
        if saves:
            source.write_text(saves.pop(), "utf-8")
        return found

    monkeypatch.setattr(kinds, "made", slowly)
    assert rename(server, OLD, NEW).code == 200
    assert server.get(NEW)["content"]["cells"][2]["source"] == "saved meanwhile"


def test_permissions_are_those_of_the_old_file(server: Any, notebook: Any) -> None:
    server.file(OLD).chmod(0o600)
    rename(server, OLD, NEW)
    assert stat.S_IMODE(server.file(NEW).stat().st_mode) == 0o600


def test_a_browser_that_writes_over_a_file_goes_by_a_name_of_no_kind(
    server: Any, notebook: Any, put: Any
) -> None:
    before = plain(server.get(OLD)["content"])
    aside = f"{NEW}.5f0c"
    for old, new in ((OLD, NEW), (NEW, "in/x.ipynb"), ("in/x.ipynb", NEW),
                     (NEW, "in/y.notebook.yaml")):  # fmt: skip
        put(new, "old")
        aside = f"{new}.5f0c"
        assert rename(server, old, aside).code == 200
        assert server.contents("DELETE", new).code == 204
        assert rename(server, aside, new).code == 200
        assert plain(server.get(new)["content"]) == before
        assert listed(server) == [new.partition("/")[2]]
    assert server.contents("DELETE", "in/y.notebook.yaml").code == 204
    assert not server.file("in/.flowcat").exists()


def test_other_files_are_renamed_as_they_are(server: Any, put: Any) -> None:
    put("in/notes.txt", "hello")
    put("in/a.notebook.yaml", "torn: [\n")
    put("in/d.ipynb/inside.txt", "hello")
    for old, new in (("notes.txt", "n.notebook.yaml"), ("n.notebook.yaml", "n.txt"),
                     ("a.notebook.yaml", "a.yaml"), ("a.yaml", "b.notebook.yaml"),
                     ("d.ipynb", "d.notebook.yaml")):  # fmt: skip
        assert rename(server, f"in/{old}", f"in/{new}").code == 200, old
    assert server.file("in/n.txt").read_text() == "hello"
    assert server.file("in/b.notebook.yaml").read_text() == "torn: [\n"
    assert server.file("in/d.notebook.yaml/inside.txt").read_text() == "hello"


@pytest.mark.parametrize("chunked", [False, True])
def test_an_ipynb_uploaded_under_our_name_opens_and_is_yaml_once_saved(
    server: Any, chunked: bool
) -> None:
    text = json.dumps(NOTEBOOK)
    model = {"type": "file", "format": "text"}
    if chunked:
        for chunk, part in ((1, text[:300]), (2, text[300:600]), (-1, text[600:])):
            sent = {**model, "content": part, "chunk": chunk}
            assert server.contents("PUT", "up.notebook.yaml", sent).code in (200, 201)
    else:
        assert server.contents("PUT", "up.notebook.yaml", {**model, "content": text}).code == 201
    opened = server.get("up.notebook.yaml")
    assert opened["writable"] is True
    assert plain(opened["content"]) == plain(NOTEBOOK)
    assert server.file("up.notebook.yaml").read_text() == text
    assert server.save("up.notebook.yaml", opened["content"]).code == 200
    assert isinstance(codec.reads(server.file("up.notebook.yaml").read_bytes()), codec.Loaded)
    assert plain(server.get("up.notebook.yaml")["content"]) == plain(NOTEBOOK)


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_an_invalid_ipynb_under_our_name_is_for_reading_only(server: Any, put: Any) -> None:
    text = BAD["invalid.ipynb"]
    file = put("bad.notebook.yaml", text)
    opened = server.get("bad.notebook.yaml")
    assert opened["writable"] is False
    assert "no valid Jupyter notebook" in opened["message"]
    assert server.save("bad.notebook.yaml", NOTEBOOK).code == 409
    assert file.read_text() == text


def test_a_copy_under_a_name_of_the_other_kind_is_a_notebook_of_its_own(
    server: Any, notebook: Any
) -> None:
    rename(server, OLD, NEW)
    rename(server, NEW, OLD)
    uuid = server.get(OLD)["content"]["metadata"]["flowcat"]["notebook_uuid"]
    reply = server.contents("POST", "in/copy.notebook.yaml", {"copy_from": OLD})
    assert reply.code == 201, reply.body
    made = server.get("in/copy.notebook.yaml")["content"]
    assert made["metadata"]["flowcat"]["notebook_uuid"] != uuid
    assert [c.get("outputs") for c in made["cells"]] == [
        c.get("outputs") for c in server.get(OLD)["content"]["cells"]
    ]
    back = server.contents("POST", "in/copy.ipynb", {"copy_from": "in/copy.notebook.yaml"})
    assert back.code == 201
    assert plain(server.get("in/copy.ipynb")["content"]) == plain(made)


@pytest.mark.filterwarnings("ignore::FutureWarning")
def test_cells_without_ids_of_their_own_keep_their_outputs(server: Any, put: Any) -> None:
    old = copy.deepcopy({**NOTEBOOK, "nbformat_minor": 4})
    for cell in old["cells"]:
        del cell["id"]
    twice = copy.deepcopy(NOTEBOOK)
    twice["cells"][2]["id"] = "sql"
    for name, notebook in (("old", old), ("twice", twice)):
        put(f"in/{name}.ipynb", json.dumps(notebook))
        reply = rename(server, f"in/{name}.ipynb", f"in/{name}.notebook.yaml")
        assert reply.code == 200, reply.body
        read = server.get(f"in/{name}.notebook.yaml")["content"]["cells"]
        for key in ("source", "outputs", "execution_count"):
            assert [c.get(key) for c in read] == [c.get(key) for c in NOTEBOOK["cells"]]


def test_a_notebook_model_of_any_age_is_put_under_our_name(server: Any) -> None:
    cells = [{key: value for key, value in cell.items() if key != "id"} for cell in
             NOTEBOOK["cells"]]  # fmt: skip
    assert (
        server.save("p.notebook.yaml", {**NOTEBOOK, "nbformat_minor": 2, "cells": cells}).code
        == 201
    )
    read = server.get("p.notebook.yaml")["content"]
    assert [cell["source"] for cell in read["cells"]] == [cell["source"] for cell in cells]
    assert read["cells"][2]["outputs"] == NOTEBOOK["cells"][2]["outputs"]
