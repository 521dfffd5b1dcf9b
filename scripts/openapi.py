"""``python -m scripts.openapi`` writes docs/reference/openapi.json and the browser's types."""

from __future__ import annotations

import inspect
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal, get_args, get_origin

from pydantic import BaseModel
from pydantic.json_schema import JsonSchemaMode, models_json_schema
from tornado.web import RequestHandler

from flowcat_jupyter.handlers import schemas
from flowcat_jupyter.handlers.base import ARROW, STATUS
from flowcat_jupyter.handlers.files import TYPES as FILE_TYPES
from flowcat_jupyter.handlers.routes import ROUTES
from flowcat_jupyter.shared.handover import RESULT_FILE
from flowcat_jupyter.shared.wire import PROTOCOL
from scripts.api_routes import OPERATIONS, Operation, Query
from scripts.api_types import Schema, typescript

ROOT = Path(__file__).resolve().parent.parent
OPENAPI = ROOT / "docs/reference/openapi.json"
TYPES = ROOT / "labextension/src/api/types.ts"
VERBS = ("get", "post", "put", "patch", "delete")
REFERENCE = "#/components/schemas/{model}"
_GROUP = re.compile(r"\([^)]*\)")


def routes() -> Iterator[tuple[str, str, Any]]:
    """Every verb, path below ``flowcat/`` and method of the handlers."""
    for pattern, handler in ROUTES:
        for verb in VERBS:
            method = getattr(handler, verb)
            if method is not getattr(RequestHandler, verb):
                method = inspect.unwrap(method)
                path = pattern
                for name in path_parameters(method):
                    path = _GROUP.sub(f"{{{name}}}", path, count=1)
                yield verb, path, method


def path_parameters(method: Any) -> list[str]:
    """The names of what a path carries, in order."""
    return [name for name in inspect.signature(method).parameters if name != "self"]


def body_model(method: Any) -> str | None:
    """The model that a method reads its body as."""
    found = re.search(r"self\.body\((\w+)\)", inspect.getsource(method))
    return found[1] if found else None


def document() -> Schema:
    """The whole interface in OpenAPI 3.1."""
    paths: dict[str, Schema] = {}
    for verb, path, method in routes():
        operation = OPERATIONS[verb, path]
        paths.setdefault(f"/{path}", {})[verb] = _operation(verb, path, method, operation)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "flowcat-jupyter",
            "version": str(PROTOCOL),
            "description": "Paths lie under {base_url}flowcat of a Jupyter server.",
        },
        "servers": [{"url": "/flowcat"}],
        "security": [{"token": []}],
        "paths": paths,
        "components": {
            "schemas": _components(),
            "securitySchemes": {
                "token": {
                    "type": "apiKey",
                    "in": "header",
                    "name": "Authorization",
                    "description": "token <the server's or a kernel's token>",
                }
            },
        },
    }


def _operation(verb: str, path: str, method: Any, operation: Operation) -> Schema:
    described: Schema = {
        "operationId": re.sub(r"\W+", "_", f"{verb}_{path.removeprefix('catalog/')}").strip("_"),
        "summary": inspect.cleandoc(method.__doc__ or ""),
        "parameters": [
            {"name": name, "in": "path", "required": True, "schema": {"type": "string"}}
            for name in path_parameters(method)
        ]
        + [_query(query) for query in operation.query],
        "responses": {
            str(operation.status): _reply(operation),
            "default": {"description": "What went wrong.", "content": _json("ErrorReply")},
        },
    }
    model = body_model(method)
    if operation.raw_body:
        described["requestBody"] = {"required": True, "content": {"application/octet-stream": {}}}
    elif model:
        described["requestBody"] = {"required": True, "content": _json(model)}
    return described


def _query(query: Query) -> Schema:
    return {
        "name": query.name,
        "in": "query",
        "required": query.required,
        "description": query.text,
        "schema": {"type": query.type},
    }


def _reply(operation: Operation) -> Schema:
    content = _json(operation.reply.__name__) if operation.reply else {}
    if operation.rows:
        content[ARROW] = {}
    if operation.place:
        content[RESULT_FILE] = {"schema": {"$ref": REFERENCE.format(model="ResultFile")}}
    if operation.file:
        content = {kind.partition(";")[0]: {} for kind in FILE_TYPES.values()}
    text = inspect.cleandoc((operation.reply and operation.reply.__doc__) or "")
    return {"description": text or ("Rows." if content else "Done."), "content": content}


def _json(model: str) -> Schema:
    return {"application/json": {"schema": {"$ref": REFERENCE.format(model=model)}}}


def _components() -> dict[str, Schema]:
    """Every model and every named choice, in the order of ``schemas``."""
    models: list[tuple[type[BaseModel], JsonSchemaMode]] = [
        (item, "validation" if issubclass(item, schemas.Request) else "serialization")
        for item in vars(schemas).values()
        if inspect.isclass(item)
        and issubclass(item, (schemas.Request, schemas.Reply))
        and item not in (schemas.Request, schemas.Reply)
    ]
    _, body = models_json_schema(models, ref_template=REFERENCE)
    choices = {
        name: {"type": "string", "enum": list(get_args(item))}
        for name, item in vars(schemas).items()
        if get_origin(item) is Literal
    }
    made = {model.__name__: _named(body["$defs"][model.__name__], choices) for model, _ in models}
    for model, _ in models:
        if issubclass(model, schemas.Reply):
            # Replies are whole; a failed request leaves away what it does not know.
            whole = model is not schemas.ErrorReply
            fields = made[model.__name__]["properties"]
            made[model.__name__]["required"] = list(fields) if whole else ["code", "message"]
    made["ErrorReply"]["properties"]["code"]["examples"] = sorted(STATUS)
    return {**choices, **made}


def _named(value: Any, choices: dict[str, Schema]) -> Any:
    """``value`` with each named choice as a reference, and without what only repeats names."""
    if isinstance(value, list):
        return [_named(item, choices) for item in value]
    if not isinstance(value, dict):
        return value
    for name, choice in choices.items():
        if value.get("enum") == choice["enum"]:
            return {"$ref": REFERENCE.format(model=name)}
    # A property may be called title; its value is then no text.
    kept = {key: item for key, item in value.items() if key != "title" or isinstance(item, dict)}
    return {key: _named(item, choices) for key, item in kept.items()}


def files() -> dict[Path, str]:
    """What the two files hold when they are up to date."""
    made = document()
    return {
        OPENAPI: json.dumps(made, indent=2, ensure_ascii=False) + "\n",
        TYPES: typescript(made),
    }


if __name__ == "__main__":
    for path, text in files().items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
