"""Columns are found by the search's words, not by a text of their own."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision: str | None = "0004"
branch_labels: str | None = None
depends_on: str | None = None


def upgrade() -> None:
    """Remove the text, which nothing reads."""
    op.drop_column("tables", "column_keys")


def downgrade() -> None:
    """Add it, empty."""
    op.add_column("tables", sa.Column("column_keys", sa.Text(), server_default="", nullable=False))
