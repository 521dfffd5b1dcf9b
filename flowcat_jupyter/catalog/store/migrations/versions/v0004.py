"""What people say of tables, who changed it, and the words it is found by."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision: str | None = "0003"
branch_labels: str | None = None
depends_on: str | None = None

ID = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
KEY = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")
INSTANT = sa.DateTime(timezone=True)


def upgrade() -> None:
    """Add columns and tables; whoever runs the migrations fills the words in."""
    for column in (
        sa.Column("column_comments", sa.JSON(), server_default="{}", nullable=False),
        sa.Column("tags", sa.JSON(), server_default="[]", nullable=False),
        sa.Column("file_count", sa.BigInteger(), nullable=True),
        sa.Column("written_at", INSTANT, nullable=True),
    ):
        op.add_column("tables", column)
    op.add_column("changes", sa.Column("by", sa.Text(), nullable=True))
    op.add_column("changes", sa.Column("detail", sa.JSON(none_as_null=True), nullable=True))
    op.create_index("ix_changes_object_id_seq", "changes", ["object_id", "seq"], unique=False)
    _create_words()
    _create_tails()
    _create_entries()


def downgrade() -> None:
    """Remove them."""
    for table in ("search_entries", "search_tails", "search_words"):
        op.drop_table(table)
    op.drop_index("ix_changes_object_id_seq", table_name="changes")
    for column in ("detail", "by"):
        op.drop_column("changes", column)
    for column in ("written_at", "file_count", "tags", "column_comments"):
        op.drop_column("tables", column)


def _create_words() -> None:
    op.create_table(
        "search_words",
        sa.Column("id", ID, autoincrement=True, nullable=False),
        sa.Column("word", KEY, nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_search_words")),
        sa.UniqueConstraint("word", name=op.f("uq_search_words_word")),
        sqlite_autoincrement=True,
    )


def _create_tails() -> None:
    op.create_table(
        "search_tails",
        sa.Column("tail", KEY, nullable=False),
        sa.Column("word_id", ID, autoincrement=False, nullable=False),
        sa.ForeignKeyConstraint(
            ["word_id"],
            ["search_words.id"],
            name=op.f("fk_search_tails_word_id_search_words"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("tail", "word_id", name=op.f("pk_search_tails")),
    )
    op.create_index("ix_search_tails_word_id", "search_tails", ["word_id"], unique=False)


def _create_entries() -> None:
    op.create_table(
        "search_entries",
        sa.Column("securable_id", ID, autoincrement=False, nullable=False),
        sa.Column("word_id", ID, autoincrement=False, nullable=False),
        sa.Column("field", sa.Integer(), autoincrement=False, nullable=False),
        sa.ForeignKeyConstraint(
            ["securable_id"],
            ["securables.id"],
            name=op.f("fk_search_entries_securable_id_securables"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["word_id"],
            ["search_words.id"],
            name=op.f("fk_search_entries_word_id_search_words"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("securable_id", "word_id", "field", name=op.f("pk_search_entries")),
    )
    op.create_index(
        "ix_search_entries_word_id",
        "search_entries",
        ["word_id", "securable_id", "field"],
        unique=False,
    )
