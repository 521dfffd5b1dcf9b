"""Queries that people save under a name."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision: str | None = "0002"
branch_labels: str | None = None
depends_on: str | None = None

ID = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
KEY = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")
INSTANT = sa.DateTime(timezone=True)


def upgrade() -> None:
    """Add their table."""
    op.create_table(
        "saved_queries",
        sa.Column("id", ID, autoincrement=True, nullable=False),
        sa.Column("actor", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("name_key", KEY, nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("catalog", sa.Text(), nullable=True),
        sa.Column("schema", sa.Text(), nullable=True),
        sa.Column("dialect", sa.String(length=32), nullable=True),
        sa.Column("chart", sa.JSON(none_as_null=True), nullable=True),
        sa.Column("created_at", INSTANT, nullable=False),
        sa.Column("updated_at", INSTANT, nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_saved_queries")),
        sa.UniqueConstraint("actor", "name_key", name=op.f("uq_saved_queries_actor_name_key")),
        sqlite_autoincrement=True,
    )


def downgrade() -> None:
    """Remove it."""
    op.drop_table("saved_queries")
