"""The OpenAPI file, the browser's types and the HTTP page say what the handlers do."""

from __future__ import annotations

import inspect
import re
from pathlib import Path

from flowcat_jupyter.handlers.routes import ROUTES
from scripts import openapi
from scripts.api_routes import OPERATIONS

ROOT = Path(__file__).resolve().parents[2]
READS = re.compile(
    r"""self\.(?:number|optional_number|flag|get_query_arguments?)\(\s*"(\w+)\"""", re.VERBOSE
)


def test_the_files_are_what_the_models_make() -> None:
    stale = [path.name for path, text in openapi.files().items() if path.read_text() != text]
    assert stale == [], "run: make openapi"


def test_every_verb_is_described_and_nothing_else() -> None:
    assert {(verb, path) for verb, path, _ in openapi.routes()} == set(OPERATIONS)


def arguments(handler: type, method: object) -> set[str]:
    """The query arguments that a method reads, itself or by what its own file's base has."""
    source = inspect.getsource(method)  # type: ignore[arg-type]
    found = set(READS.findall(source))
    for name in re.findall(r"self\.(\w+)\(", source):
        helper = getattr(handler, name)
        if helper.__module__ == handler.__module__:
            found |= arguments(handler, inspect.unwrap(helper))
    return found


def test_every_query_argument_that_is_read_is_described_and_nothing_else() -> None:
    handlers = {
        method: handler
        for _, handler in ROUTES
        for method in map(inspect.unwrap, vars(handler).values())
        if inspect.isfunction(method)
    }
    read = {
        (verb, path): sorted(arguments(handlers[method], method))
        for verb, path, method in openapi.routes()
    }
    described = {
        key: sorted(query.name for query in operation.query)
        for key, operation in OPERATIONS.items()
    }
    assert described == read


def test_the_status_is_the_one_the_handler_sends() -> None:
    for verb, path, method in openapi.routes():
        sent = re.findall(r"(?:, |set_status\()(20[1-4])\)", inspect.getsource(method))
        assert OPERATIONS[verb, path].status == int(sent[0] if sent else 200), (verb, path)


def test_a_verb_that_takes_rows_offers_arrow_and_the_place_of_a_whole_result() -> None:
    for verb, path, method in openapi.routes():
        source = inspect.getsource(method)
        sends = re.search(r"self\.(send_arrow|send_rows|send_page|page)\(", source)
        assert OPERATIONS[verb, path].rows == bool(sends), path
        assert OPERATIONS[verb, path].place == ("self.send_rows(" in source), path


def test_every_route_is_on_the_page() -> None:
    page = (ROOT / "docs/reference/http.md").read_text()
    for verb, path, _ in openapi.routes():
        line = rf"^\| `{verb.upper()}` \| `{re.escape(path)}` \|"
        assert re.search(line, page, re.MULTILINE), (verb, path)
