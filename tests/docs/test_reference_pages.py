"""The reference pages name everything there is, and nothing that is not."""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterator
from typing import Any

import pytest

from flowcat_jupyter.cli.parser import build_parser
from flowcat_jupyter.formats.files_options import KNOWN
from flowcat_jupyter.handlers.base import STATUS
from flowcat_jupyter.kernel.arguments import USAGE
from flowcat_jupyter.kernel.context import FlowfileContext
from flowcat_jupyter.kernel.refs import TableRef
from flowcat_jupyter.shared import errors
from flowcat_jupyter.shared.settings import OPTIONS, load
from scripts import sql_reference, system_reference
from tests.support.pages import ALL_PAGES, ROOT

REFERENCE = ROOT / "docs/reference"


def page(name: str) -> str:
    return (REFERENCE / name).read_text()


def commands() -> Iterator[tuple[str, Any]]:
    for action in build_parser()._actions:
        if isinstance(action, argparse._SubParsersAction):
            yield from action.choices.items()


def test_every_command_has_a_section_and_every_section_a_command() -> None:
    titles = re.findall(r"^## flowcat (\w+)$", page("cli.md"), re.MULTILINE)
    assert sorted(titles) == sorted(name for name, _ in commands())


@pytest.mark.parametrize(
    ("name", "parser"), [pytest.param(*found, id=found[0]) for found in commands()]
)
def test_every_option_is_in_the_section_of_its_command(name: str, parser: Any) -> None:
    section = page("cli.md").partition(f"\n## flowcat {name}\n")[2].partition("\n## ")[0]
    described = set(re.findall(r"^\| `(--[\w-]+)` \|", section, re.MULTILINE))
    common = {"--help", "--json"}
    taken = {max(a.option_strings, key=len) for a in parser._actions if a.option_strings}
    assert described == taken - common
    positional = [action.dest for action in parser._actions if not action.option_strings]
    assert [word for word in positional if f"`{word}`" not in section] == []


def test_every_setting_is_on_the_page_with_its_variable_and_default() -> None:
    rows = re.findall(
        r"^\| `(\w+)` \| `(FLOWCAT_\w+)` \| (.*?) \| (.*) \|$", page("configuration.md"), re.M
    )
    assert [(name, env, text) for name, env, _, text in rows] == [
        (option.name, option.env, option.help) for option in OPTIONS
    ]
    for (name, _, default, _), option in zip(rows, OPTIONS, strict=True):
        if isinstance(option.default, (int, float)) and option.type != "bytes":
            assert float(default.replace(",", "")) == option.default, name


def test_the_example_of_a_configuration_file_is_one(tmp_path: Any) -> None:
    text = re.findall(r"```python\n(.*?)```", page("configuration.md"), re.DOTALL)[0]
    file = tmp_path / "jupyter_flowcat_config.py"
    file.write_text(text)
    assert load(env={}, file=file).max_rows == 500


def test_the_functions_are_those_that_run() -> None:
    text = page("sql.md")
    assert sql_reference.page(text) == text, "run: make openapi"


def test_the_settings_and_system_tables_are_those_there_are() -> None:
    for path, text in system_reference.pages().items():
        assert path.read_text(encoding="utf-8") == text, "run: make openapi"


def test_every_error_is_on_the_page_with_its_status() -> None:
    rows = re.findall(r"^\| `(\w+)` \| (\d+) \|", page("errors.md"), re.MULTILINE)
    assert {code: int(status) for code, status in rows} == STATUS
    assert set(STATUS) == set(errors._KINDS)


@pytest.mark.parametrize("owner", [FlowfileContext, TableRef])
def test_every_public_part_of_the_kernel_s_objects_is_on_the_page(owner: type) -> None:
    public = [name for name in vars(owner) if not name.startswith("_")]
    text = page("kernel.md")
    assert [name for name in public if not re.search(rf"`(?:\w+\.)?{name}\b", text)] == []


def test_every_argument_of_the_magic_is_on_the_page() -> None:
    text = page("kernel.md")
    usage = text.split("```text\n")[1].split("```")[0]
    assert " ".join(usage.split()) == USAGE


def test_every_option_of_an_import_is_on_the_page_with_its_formats() -> None:
    rows = re.findall(r"^\| `(\w+)` \| ([\w, ]+) \|", page("formats.md"), re.MULTILINE)
    described = {name: set(formats.split(", ")) for name, formats in rows if name not in KNOWN}
    for lake in ("delta", "iceberg"):
        described.pop(lake, None)
    taken = {option: {f for f in KNOWN if option in KNOWN[f]} for f in KNOWN for option in KNOWN[f]}
    assert described == taken


@pytest.mark.parametrize("path", ALL_PAGES, ids=lambda path: path.name)
def test_every_link_leads_somewhere(path: Any) -> None:
    links = re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", path.read_text())
    assert [link for link in links if not (path.parent / link).exists()] == []
