"""Canonical YAML reads what it wrote, and refuses what can hurt."""

from __future__ import annotations

import time
from typing import Any

import pytest
import yaml as pyyaml
from hypothesis import given, settings
from hypothesis import strategies as st

from flowcat_jupyter.documents import yaml
from flowcat_jupyter.shared.errors import Invalid, LimitExceeded

ODD = (
    "\n\n\n\t  #:-?|>'\"\\%@`[]{},&*!abé🙂\x85\u2028\u2029\x7f\x1b\0\r\ufeff\ud800\udc00\u200b\xa0"
)
texts = st.one_of(
    st.text(st.sampled_from(ODD), max_size=40),
    st.text(st.characters(codec=None), max_size=40),
    st.lists(st.sampled_from(["", " ", "  x", "\t", "x ", "# y", "- z", "---", "..."])).map(
        "\n".join
    ),
    st.sampled_from(["yes", "on", "012", "0x1f", "1_000", "1:30", "2024-01-01", "~", "null", "=",
                     "<<", "1e3", ".inf", "-", "", "true", "12", "1.5", "y", "N", "...", "---"]),
)  # fmt: skip
values = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False), texts),
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(texts, inner, max_size=4)),
    max_leaves=12,
)


@settings(max_examples=300, deadline=None)
@given(texts)
def test_every_text_reads_back_as_it_was(text: str) -> None:
    for document in ({"source": text}, {"cells": [{"source": text}, [[text]], text]}):
        written = yaml.dumps(document)
        assert yaml.loads(written) == document
        assert yaml.dumps(yaml.loads(written)) == written


@settings(max_examples=300, deadline=None)
@given(st.dictionaries(texts, values, max_size=4))
def test_every_value_reads_back_with_its_type(document: Any) -> None:
    written = yaml.dumps(document)
    read = yaml.loads(written)
    assert repr(read) == repr(document)
    assert yaml.dumps(read) == written


@settings(max_examples=150, deadline=None)
@given(st.dictionaries(texts, values, max_size=4))
def test_the_python_parser_reads_the_same_as_libyaml(document: Any) -> None:
    written = yaml.dumps(document)
    slow = yaml._Builder(yaml._events(written, pyyaml.SafeLoader), lambda _path, _word: False)
    assert repr(slow.document()) == repr(document)


@settings(max_examples=300, deadline=None)
@given(st.dictionaries(texts, st.one_of(texts, st.booleans(), st.integers()), max_size=4))
def test_a_yaml_1_1_reader_understands_what_is_written(document: Any) -> None:
    assert pyyaml.load(yaml.dumps(document), Loader=pyyaml.SafeLoader) == document


@pytest.mark.parametrize(
    "text", ["x = 1 \ny = 2", "def f():\n\treturn 1", "all:\n\tcc -o x", "  indented\nback",
             "\tfirst\n", "a\n\n\nb", "\n\na", "a\n   \nb", "a\n\n", "# comment\n---\n..."],
)  # fmt: skip
def test_text_of_several_lines_is_a_literal_block_whatever_it_holds(text: str) -> None:
    written = yaml.dumps({"source": text})
    assert written.startswith("source: |")
    assert yaml.loads(written) == {"source": text}


@pytest.mark.parametrize("char", ["\x85", "\u2028", "\u2029", "\0", "\x1b", "\r", "\ufeff", "\x7f"])
def test_a_character_no_block_can_carry_forces_one_escaped_line(char: str) -> None:
    written = yaml.dumps({"source": f"a{char}b\nc"})
    assert written.count("\n") == 1
    assert written.startswith('source: "a\\')
    assert yaml.loads(written) == {"source": f"a{char}b\nc"}


def test_one_changed_line_is_one_line_of_difference() -> None:
    lines = [f"x{i} = {i} " for i in range(30)]
    before = yaml.dumps({"source": "\n".join(lines)}).splitlines()
    lines[7] = "\ty = 7"
    after = yaml.dumps({"source": "\n".join(lines)}).splitlines()
    assert sum(a != b for a, b in zip(before, after, strict=True)) == 1


@pytest.mark.parametrize("word", ["yes", "on", "off", "012", "0x1F", "1_000", "2024-01-01", "1:30"])
def test_plain_words_are_text_as_written(word: str) -> None:
    assert yaml.loads(f"source: {word}\n") == {"source": word}


def test_a_textual_place_takes_numbers_and_booleans_as_text() -> None:
    read = yaml.loads(
        "a: 12\nb: 12\nc: true\n", textual=lambda path, _word: path in {("a",), ("c",)}
    )
    assert read == {"a": "12", "b": 12, "c": "true"}


BOMB = "a0: &a0 [x,x]\n" + "".join(f"a{i}: &a{i} [*a{i - 1},*a{i - 1}]\n" for i in range(1, 10))
REFUSED = {
    "anchor": "a: &x 1\n",
    "alias bomb": BOMB,
    "alias": "a: *x\n",
    "merge key": "a:\n  <<: {b: 1}\n",
    "python tag": "a: !!python/object/apply:os.system [ls]\n",
    "binary": "a: !!binary aGk=\n",
    "local tag": "a: !x 1\n",
    "bang": "a: ! 1\n",
    "duplicate": "a: 1\nb: 2\na: 3\n",
    "two documents": "a: 1\n---\nb: 2\n",
    "directive": "%YAML 1.1\n---\na: 1\n",
    "list as key": "? [a, b]\n: 1\n",
    "torn quote": "a: 'half",
    "tab": "a:\n\tb: 1\n",
    "NUL": "a: \0\n",
    "escape": "a: \x1b\n",
}


@pytest.mark.parametrize("text", REFUSED.values(), ids=REFUSED.keys())
@pytest.mark.parametrize("libyaml", [True, False])
def test_what_can_hurt_is_refused_with_its_place(text: Any, libyaml: Any, monkeypatch: Any) -> None:
    if not libyaml:
        monkeypatch.delattr(pyyaml, "CSafeLoader")
    with pytest.raises(Invalid) as caught:
        yaml.loads(text)
    assert caught.value.line
    assert caught.value.column
    assert caught.value.hint


@pytest.mark.parametrize(
    "text",
    ["a: " + "x" * 60_000_000, "[" * 10_000, "- " * 10_000, "{a: " * 10_000,
     "".join(" " * i + "a:\n" for i in range(10_000))[:20_000_000]],
    ids=["60 MB", "flow lists", "block lists", "flow mappings", "block mappings"],
)  # fmt: skip
@pytest.mark.parametrize("libyaml", [True, False])
def test_too_large_or_too_deep_is_refused_within_a_second(
    text: Any, libyaml: Any, monkeypatch: Any
) -> None:
    if not libyaml:
        monkeypatch.delattr(pyyaml, "CSafeLoader")
    started = time.process_time()
    with pytest.raises((LimitExceeded, Invalid)):
        yaml.loads(text)
    assert time.process_time() - started < 1


def test_a_hand_written_block_may_begin_with_a_tab() -> None:
    assert yaml.loads("source: |\n  \tcc -o x\n") == {"source": "\tcc -o x\n"}


def test_a_value_that_yaml_has_no_word_for_is_refused() -> None:
    with pytest.raises(Invalid, match="bytes"):
        yaml.dumps({"a": b"x"})
