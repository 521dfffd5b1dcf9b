"""What an import leaves: rejected lines of its run, and what is remembered of its source."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision: str | None = "0001"
branch_labels: str | None = None
depends_on: str | None = None

ID = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
INSTANT = sa.DateTime(timezone=True)


def upgrade() -> None:
    """Add both tables."""
    op.create_table(
        "run_rejects",
        sa.Column("run_id", ID, autoincrement=False, nullable=False),
        sa.Column("location", sa.Text(), nullable=False),
        sa.Column("row_count", sa.BigInteger(), nullable=True),
        sa.Column("expires_at", INSTANT, nullable=False),
        sa.ForeignKeyConstraint(
            ["run_id"],
            ["runs.id"],
            name=op.f("fk_run_rejects_run_id_runs"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("run_id", name=op.f("pk_run_rejects")),
    )
    op.create_index("ix_run_rejects_expires_at", "run_rejects", ["expires_at"], unique=False)
    op.create_table(
        "import_memories",
        sa.Column("actor", sa.Text(), nullable=False),
        sa.Column("source_key", sa.String(length=64), nullable=False),
        sa.Column("source", sa.Text(), nullable=False),
        sa.Column("format", sa.String(length=32), nullable=True),
        sa.Column("options", sa.JSON(), nullable=False),
        sa.Column("types", sa.JSON(), nullable=False),
        sa.Column("updated_at", INSTANT, nullable=False),
        sa.PrimaryKeyConstraint("actor", "source_key", name=op.f("pk_import_memories")),
    )


def downgrade() -> None:
    """Remove both tables."""
    op.drop_table("import_memories")
    op.drop_index("ix_run_rejects_expires_at", table_name="run_rejects")
    op.drop_table("run_rejects")
