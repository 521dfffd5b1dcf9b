"""Alembic's environment; the connection comes from `catalog.store.migrate`."""

from __future__ import annotations

from alembic import context

from flowcat_jupyter.shared.schema import metadata

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=metadata,
    # SQLite can roll back DDL; Alembic does not assume so.
    transactional_ddl=True,
    render_as_batch=True,
)
context.run_migrations()
