"""Views and functions, and what a table is beyond its Delta log."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision: str | None = "0005"
branch_labels: str | None = None
depends_on: str | None = None


def upgrade() -> None:
    """Add them."""
    for name in ("options", "properties", "constraints"):
        op.add_column("tables", sa.Column(name, sa.JSON(), nullable=False, server_default="{}"))
    op.add_column("tables", sa.Column("pointer", sa.Text()))
    op.create_table(
        "views",
        _securable(),
        sa.Column("text", sa.Text(), nullable=False),
        *_written(),
        sa.Column("columns", sa.JSON(), nullable=False),
        sa.Column("properties", sa.JSON(), server_default="{}", nullable=False),
    )
    op.create_table(
        "functions",
        _securable(),
        sa.Column("parameters", sa.JSON(), nullable=False),
        sa.Column("returns", sa.Text()),
        sa.Column("body", sa.Text(), nullable=False),
        *_written(),
        sa.Column("deterministic", sa.Boolean(), server_default=sa.true(), nullable=False),
    )


def downgrade() -> None:
    """Remove them, with all views and functions."""
    op.execute("DELETE FROM securables WHERE kind IN ('view', 'function')")
    op.drop_table("functions")
    op.drop_table("views")
    for name in ("pointer", "constraints", "properties", "options"):
        op.drop_column("tables", name)


def _securable() -> sa.Column[int]:
    big = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
    owner = sa.ForeignKey("securables.id", ondelete="CASCADE")
    return sa.Column("securable_id", big, owner, primary_key=True, autoincrement=False)


def _written() -> tuple[sa.Column[str], ...]:
    return (
        sa.Column("dialect", sa.String(32), nullable=False),
        sa.Column("catalog", sa.Text(), nullable=False),
        sa.Column("schema", sa.Text(), nullable=False),
    )
