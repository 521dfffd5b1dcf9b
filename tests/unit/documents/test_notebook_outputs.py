"""Outputs stay beside the notebook, bounded, and only with the code that gave them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from flowcat_jupyter.documents import outputs

STREAM = {"output_type": "stream", "name": "stdout", "text": "hi\n"}


def notebook(*outs: Any, source: str = "print()", count: int | None = 1) -> dict[str, Any]:
    cell: dict[str, Any] = {
        "id": "a",
        "cell_type": "code",
        "metadata": {},
        "source": source,
        "outputs": list(outs),
        "execution_count": count,
    }
    note = {"id": "m", "cell_type": "markdown", "metadata": {}, "source": "x"}
    return {"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": [note, cell]}


def bare(source: str = "print()") -> dict[str, Any]:
    return notebook(source=source, count=None)


def test_outputs_counts_and_widget_state_come_back() -> None:
    full = notebook(STREAM)
    full["metadata"]["widgets"] = {"application/vnd.jupyter.widget-state+json": {}}
    text = outputs.dumps(full)
    assert text
    assert outputs.restore(bare(), text) == full


def test_a_notebook_without_outputs_keeps_nothing() -> None:
    assert outputs.dumps(bare()) is None


def test_outputs_of_other_code_are_left_out() -> None:
    text = outputs.dumps(notebook(STREAM))
    assert text
    assert outputs.restore(bare("print(2)"), text) == bare("print(2)")


def test_outputs_too_large_are_replaced_by_a_note_and_the_small_ones_kept() -> None:
    big = notebook({**STREAM, "text": "x" * 5000})
    big["cells"].append({**notebook(STREAM)["cells"][1], "id": "b"})
    text = outputs.dumps(big, max_bytes=2000)
    assert text
    assert len(text) < 3000
    cells = json.loads(text)["cells"]
    assert "too large" in cells["a"]["outputs"][0]["text"]
    assert cells["b"]["outputs"] == [STREAM]


@pytest.mark.parametrize(
    "text", ["", "{", "[]", "[" * 100_000, '{"outputs_format": 2}', '{"outputs_format": 1}',
             '{"outputs_format": 1, "cells": {"a": 5}, "widgets": 5}',
             '{"outputs_format": 1, "cells": []}'],
)  # fmt: skip
def test_a_malformed_side_car_is_as_none(text: str) -> None:
    assert outputs.restore(bare(), text) == bare()


@pytest.mark.parametrize(
    "bad", [5, {}, {"output_type": "x"}, {"output_type": "stream", "name": 1, "text": "x"},
            {"output_type": "error", "ename": "x", "evalue": "y", "traceback": "z"},
            {"output_type": "display_data", "data": [], "metadata": {}}],
)  # fmt: skip
def test_a_malformed_output_is_left_out_and_the_others_are_not(bad: Any) -> None:
    text = outputs.dumps(notebook(STREAM, bad))
    assert text
    assert outputs.restore(bare(), text)["cells"][1]["outputs"] == [STREAM]


def test_the_folder_ignores_itself_and_goes_with_its_last_file(tmp_path: Path) -> None:
    first, second = tmp_path / "a.notebook.yaml", tmp_path / "b.notebook.yaml"
    outputs.store(first, outputs.dumps(notebook(STREAM)))
    outputs.store(second, outputs.dumps(notebook(STREAM)))
    assert (tmp_path / ".flowcat" / ".gitignore").read_text() == "*\n"
    assert outputs.load(first, bare()) == notebook(STREAM)
    outputs.store(first, None)
    assert outputs.load(first, bare()) == bare()
    outputs.remove(second)
    assert list(tmp_path.iterdir()) == []


def test_outputs_move_with_their_file(tmp_path: Path) -> None:
    old, new = tmp_path / "a.notebook.yaml", tmp_path / "in" / "b.notebook.yaml"
    new.parent.mkdir()
    outputs.store(old, outputs.dumps(notebook(STREAM)))
    outputs.move(old, new)
    assert outputs.load(new, bare()) == notebook(STREAM)
    assert not (tmp_path / ".flowcat").exists()


@pytest.mark.parametrize("link", [".flowcat", ".flowcat/outputs"])
def test_a_link_in_a_cloned_folder_is_not_followed(tmp_path: Path, link: str) -> None:
    outside, inside = tmp_path / "outside", tmp_path / "inside"
    outside.mkdir()
    place = inside / link
    place.parent.mkdir(parents=True)
    place.symlink_to(outside)
    file = inside / "a.notebook.yaml"
    outputs.store(file, outputs.dumps(notebook(STREAM)))
    outputs.remove(file)
    assert list(outside.iterdir()) == []
    assert outputs.load(file, bare()) == bare()
