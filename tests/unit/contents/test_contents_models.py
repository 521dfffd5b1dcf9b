"""What is shown for a damaged file, and what may be saved over what."""

from __future__ import annotations

import pytest
from tornado.web import HTTPError

from flowcat_jupyter.contents import models
from flowcat_jupyter.documents.notebook import Damaged


def test_a_huge_damaged_file_is_shown_in_part() -> None:
    shown = models.placeholder(Damaged("Too large.", "Open it as text.", "x" * 3_000_000))
    assert len(shown["cells"][1]["source"]) == models.SHOWN
    assert models.damage(shown) == "Too large."


@pytest.mark.parametrize("path", [".notebook.yaml", "in/.notebook.yaml", "x.yaml", "x.ipynb"])
def test_only_a_named_file_with_the_suffix_is_a_notebook(path: str) -> None:
    assert not models.is_ours(path)


def test_a_first_save_makes_a_uuid_and_later_ones_keep_the_files() -> None:
    bare = models.empty()
    first = models.prepared(bare, "in/report.notebook.yaml", None)
    text, _ = models.encoded(first, "report")
    assert first["metadata"]["flowcat"]["name"] == "report"
    for sent in (bare, models.prepared(bare, "other.notebook.yaml", None)):
        later = models.prepared(sent, "in/report.notebook.yaml", text)
        kept = later["metadata"]["flowcat"]["notebook_uuid"]
        assert kept == first["metadata"]["flowcat"]["notebook_uuid"]


def test_a_damaged_file_is_not_saved_over() -> None:
    with pytest.raises(HTTPError) as caught:
        models.prepared(models.empty(), "a.notebook.yaml", b"notebook_format: 7\n")
    assert caught.value.status_code == 409
    assert "notebook_format is 7" in str(caught.value)


def test_text_the_notary_cannot_sign_is_known() -> None:
    cell = {"cell_type": "raw", "source": "\ud800"}
    assert not models.is_signable({**models.empty(), "cells": [cell]})
    assert models.is_signable(models.empty())
