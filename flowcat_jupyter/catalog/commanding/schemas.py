"""DESCRIBE of a schema or a catalog."""

from __future__ import annotations

from flowcat_jupyter.catalog.commanding.details import time_text
from flowcat_jupyter.catalog.commanding.rows import Rows, texts
from flowcat_jupyter.catalog.commanding.scene import Scene
from flowcat_jupyter.catalog.planning.describing import Describe
from flowcat_jupyter.catalog.store.rows import Node
from flowcat_jupyter.shared.errors import NotFound
from flowcat_jupyter.shared.names import TableName


def describe_schema(scene: Scene, statement: Describe) -> Rows:
    """A schema's facts.

    :raises NotFound: the caller sees no such schema.
    """
    schema = scene.schema_node(statement.name)
    facts = [("Catalog Name", schema.path[0]), ("Namespace Name", schema.name)]
    return _facts(schema, facts, statement, scene)


def describe_catalog(scene: Scene, statement: Describe) -> Rows:
    """A catalog's facts.

    :raises NotFound: the caller sees no such catalog.
    """
    if len(statement.name) > 1:
        raise NotFound("catalog", TableName(statement.name).sql)
    catalog = scene.unit.securables.catalog(statement.name[0])
    return _facts(catalog, [("Catalog Name", catalog.name)], statement, scene)


def _facts(node: Node, named: list[tuple[str, str]], statement: Describe, scene: Scene) -> Rows:
    facts = [*named, ("Comment", node.description or ""), ("Owner", node.owner)]
    if statement.extended:
        facts += [
            ("Properties", ""),
            ("Created Time", time_text(node.created_at, scene.zone)),
            ("Created By", node.created_by),
        ]
    return Rows(texts("info_name", "info_value", nullable="info_value"), tuple(facts))
