"""The browser's types, from the OpenAPI document."""

from __future__ import annotations

from typing import Any

Schema = dict[str, Any]

WIDTH = 80
HEADER = """\
/**
 * Made by `make openapi` from the server's models: do not edit.
 * Times are ISO 8601 strings; types are Spark DDL strings.
 */

/** Any value JSON can carry. */
export type Cell =
  string | number | boolean | null | Cell[] | { [key: string]: Cell };
"""
_PLAIN = {"integer": "number", "number": "number", "string": "string", "boolean": "boolean"}


def typescript(document: Schema) -> str:
    """Every component of ``document`` as exported TypeScript, spelled as prettier would."""
    schemas: dict[str, Schema] = document["components"]["schemas"]
    return "\n".join([HEADER, *(_declaration(name, schema) for name, schema in schemas.items())])


def _declaration(name: str, schema: Schema) -> str:
    if "enum" in schema:
        return _union(f"export type {name} =", _type(schema), "  ")
    required = set(schema.get("required", ()))
    fields = [
        _field(key, value, optional=key not in required)
        for key, value in schema["properties"].items()
    ]
    return f"{_comment(schema, '')}export interface {name} {{\n{''.join(fields)}}}\n"


def _field(name: str, schema: Schema, *, optional: bool) -> str:
    mark = "?" if optional else ""
    return _comment(schema, "  ") + _union(f"  {name}{mark}:", _type(schema), "    ")


def _union(head: str, type_: str, indent: str) -> str:
    line = f"{head} {type_};"
    if len(line) <= WIDTH:
        return f"{line}\n"
    if len(below := f"{indent}{type_};") <= WIDTH:
        return f"{head}\n{below}\n"
    parts = "".join(f"\n{indent}| {part}" for part in type_.split(" | "))
    return f"{head}{parts};\n"


def _comment(schema: Schema, indent: str) -> str:
    text = schema.get("description")
    return f"{indent}/** {' '.join(text.split())} */\n" if text else ""


def _type(schema: Schema) -> str:
    if "$ref" in schema:
        return str(schema["$ref"]).rpartition("/")[2]
    if "anyOf" in schema:
        return " | ".join(_type(part) for part in schema["anyOf"])
    if "enum" in schema:
        return " | ".join(f"'{value}'" for value in schema["enum"])
    kind = schema.get("type")
    if kind == "array":
        item = _type(schema["items"])
        return f"({item})[]" if " | " in item else f"{item}[]"
    if kind == "object":
        values = schema["additionalProperties"]
        return f"Record<string, {_type(values if isinstance(values, dict) else {})}>"
    if kind == "null":
        return "null"
    return _PLAIN[kind] if kind else "Cell"
