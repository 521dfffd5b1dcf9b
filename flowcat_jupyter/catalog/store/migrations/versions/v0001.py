"""The first schema."""

from __future__ import annotations

from datetime import UTC, datetime

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision: str | None = None
branch_labels: str | None = None
depends_on: str | None = None

ID = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
KEY = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")
INSTANT = sa.DateTime(timezone=True)


def upgrade() -> None:
    """Create every table and the root that catalogs hang on."""
    for create in _CREATE.values():
        create()
    _plant_root()


def downgrade() -> None:
    """Remove everything."""
    for name in reversed(_CREATE):
        op.drop_table(name)


def _create_securables() -> None:
    op.create_table(
        "securables",
        sa.Column("id", ID, autoincrement=True, nullable=False),
        sa.Column("uuid", sa.String(length=36), nullable=False),
        sa.Column("kind", sa.String(length=16), nullable=False),
        sa.Column("space", sa.String(length=16), nullable=False),
        sa.Column("parent_id", ID, nullable=True),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("name_key", KEY, nullable=False),
        sa.Column("owner", sa.Text(), nullable=False),
        sa.Column("state", sa.String(length=16), server_default="active", nullable=False),
        sa.Column("description", sa.Text(), nullable=True),
        sa.Column("created_at", INSTANT, nullable=False),
        sa.Column("created_by", sa.Text(), nullable=False),
        sa.Column("updated_at", INSTANT, nullable=False),
        sa.Column("updated_by", sa.Text(), nullable=False),
        sa.Column("revision", sa.Integer(), server_default="1", nullable=False),
        sa.CheckConstraint("(id = 1) = (kind = 'root')", name=op.f("ck_securables_one_root")),
        sa.CheckConstraint(
            "(parent_id IS NULL) = (kind = 'root')",
            name=op.f("ck_securables_only_root_has_no_parent"),
        ),
        sa.CheckConstraint("state IN ('active', 'creating')", name=op.f("ck_securables_state")),
        sa.ForeignKeyConstraint(
            ["parent_id"],
            ["securables.id"],
            name=op.f("fk_securables_parent_id_securables"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_securables")),
        sa.UniqueConstraint(
            "parent_id", "space", "name_key", name=op.f("uq_securables_parent_id_space_name_key")
        ),
        sa.UniqueConstraint("uuid", name=op.f("uq_securables_uuid")),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_securables_name_key", "securables", ["name_key"], unique=False)
    op.create_index("ix_securables_owner", "securables", ["owner"], unique=False)


def _create_namespaces() -> None:
    op.create_table(
        "namespaces",
        sa.Column("securable_id", ID, autoincrement=False, nullable=False),
        sa.Column("level", sa.Integer(), nullable=False),
        sa.Column("storage_uri", sa.Text(), nullable=True),
        sa.Column("connection_id", ID, nullable=True),
        sa.CheckConstraint(
            "level = 0 OR storage_uri IS NULL", name=op.f("ck_namespaces_storage_is_the_catalogs")
        ),
        sa.CheckConstraint("level IN (0, 1)", name=op.f("ck_namespaces_level")),
        sa.ForeignKeyConstraint(
            ["securable_id"],
            ["securables.id"],
            name=op.f("fk_namespaces_securable_id_securables"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("securable_id", name=op.f("pk_namespaces")),
    )


def _create_tables() -> None:
    op.create_table(
        "tables",
        sa.Column("securable_id", ID, autoincrement=False, nullable=False),
        sa.Column("table_type", sa.String(length=16), nullable=False),
        sa.Column("format", sa.String(length=32), nullable=False),
        sa.Column("location", sa.Text(), nullable=False),
        sa.Column("columns", sa.JSON(), nullable=False),
        sa.Column("column_keys", sa.Text(), nullable=False),
        sa.Column("partition_columns", sa.JSON(), nullable=False),
        sa.Column("row_count", sa.BigInteger(), nullable=True),
        sa.Column("size_bytes", sa.BigInteger(), nullable=True),
        sa.Column("delta_version", sa.BigInteger(), nullable=True),
        sa.Column("data_files_version", sa.BigInteger(), nullable=True),
        sa.Column("data_version", sa.BigInteger(), server_default="0", nullable=False),
        sa.Column("broken", sa.Text(), nullable=True),
        sa.CheckConstraint(
            "table_type IN ('managed', 'external')", name=op.f("ck_tables_table_type")
        ),
        sa.ForeignKeyConstraint(
            ["securable_id"],
            ["securables.id"],
            name=op.f("fk_tables_securable_id_securables"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("securable_id", name=op.f("pk_tables")),
    )


def _create_groups() -> None:
    op.create_table(
        "groups",
        sa.Column("id", ID, autoincrement=True, nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("name_key", KEY, nullable=False),
        sa.Column("created_at", INSTANT, nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_groups")),
        sa.UniqueConstraint("name_key", name=op.f("uq_groups_name_key")),
        sqlite_autoincrement=True,
    )


def _create_memberships() -> None:
    op.create_table(
        "memberships",
        sa.Column("group_id", ID, nullable=False),
        sa.Column("member", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["group_id"],
            ["groups.id"],
            name=op.f("fk_memberships_group_id_groups"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("group_id", "member", name=op.f("pk_memberships")),
    )
    op.create_index("ix_memberships_member", "memberships", ["member"], unique=False)


def _create_grants() -> None:
    op.create_table(
        "grants",
        sa.Column("id", ID, autoincrement=True, nullable=False),
        sa.Column("securable_id", ID, nullable=False),
        sa.Column("group_id", ID, nullable=False),
        sa.Column("level", sa.String(length=16), nullable=False),
        sa.Column("granted_by", sa.Text(), nullable=False),
        sa.Column("granted_at", INSTANT, nullable=False),
        sa.CheckConstraint("level IN ('browse', 'use', 'manage')", name=op.f("ck_grants_level")),
        sa.ForeignKeyConstraint(
            ["group_id"], ["groups.id"], name=op.f("fk_grants_group_id_groups"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["securable_id"],
            ["securables.id"],
            name=op.f("fk_grants_securable_id_securables"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_grants")),
        sa.UniqueConstraint(
            "securable_id", "group_id", name=op.f("uq_grants_securable_id_group_id")
        ),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_grants_group_id", "grants", ["group_id"], unique=False)


def _create_runs() -> None:
    op.create_table(
        "runs",
        sa.Column("id", ID, autoincrement=True, nullable=False),
        sa.Column("kind", sa.String(length=32), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("state", sa.String(length=16), nullable=False),
        sa.Column("owner", sa.Text(), nullable=False),
        sa.Column("progress", sa.JSON(none_as_null=True), nullable=True),
        sa.Column("attempt", sa.Integer(), server_default="1", nullable=False),
        sa.Column("lease_holder", sa.String(length=64), nullable=True),
        sa.Column("lease_until", INSTANT, nullable=True),
        sa.Column("fence", sa.Integer(), server_default="0", nullable=False),
        sa.Column(
            "cancel_requested", sa.Boolean(), server_default=sa.text("false"), nullable=False
        ),
        sa.Column("origin", sa.JSON(), nullable=False),
        sa.Column("payload", sa.JSON(), nullable=False),
        sa.Column("result", sa.JSON(none_as_null=True), nullable=True),
        sa.Column("error", sa.JSON(none_as_null=True), nullable=True),
        sa.Column("due_at", INSTANT, nullable=False),
        sa.Column("created_at", INSTANT, nullable=False),
        sa.Column("started_at", INSTANT, nullable=True),
        sa.Column("ended_at", INSTANT, nullable=True),
        sa.CheckConstraint(
            "state IN ('queued', 'running', 'succeeded', 'failed', 'timed_out', 'cancelled', "
            "'lost')",
            name=op.f("ck_runs_state"),
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_runs")),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_runs_owner", "runs", ["owner"], unique=False)
    op.create_index("ix_runs_state_due_at", "runs", ["state", "due_at"], unique=False)


def _create_write_tickets() -> None:
    op.create_table(
        "write_tickets",
        sa.Column("id", sa.String(length=36), nullable=False),
        sa.Column("actor", sa.Text(), nullable=False),
        sa.Column("table_id", ID, nullable=False),
        sa.Column("creates", sa.Boolean(), nullable=False),
        sa.Column("mode", sa.String(length=16), nullable=False),
        sa.Column("location", sa.Text(), nullable=False),
        sa.Column("base_version", sa.BigInteger(), nullable=True),
        sa.Column("spec", sa.JSON(), nullable=False),
        sa.Column("run_id", ID, nullable=True),
        sa.Column("state", sa.String(length=16), nullable=False),
        sa.Column("created_at", INSTANT, nullable=False),
        sa.Column("expires_at", INSTANT, nullable=False),
        sa.CheckConstraint(
            "state IN ('open', 'committed', 'cancelled', 'expired')",
            name=op.f("ck_write_tickets_state"),
        ),
        sa.ForeignKeyConstraint(
            ["run_id"], ["runs.id"], name=op.f("fk_write_tickets_run_id_runs"), ondelete="SET NULL"
        ),
        sa.ForeignKeyConstraint(
            ["table_id"],
            ["securables.id"],
            name=op.f("fk_write_tickets_table_id_securables"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_write_tickets")),
    )
    op.create_index(
        "ix_write_tickets_state_expires_at", "write_tickets", ["state", "expires_at"], unique=False
    )
    op.create_index("ix_write_tickets_table_id", "write_tickets", ["table_id"], unique=False)


def _create_dropped_tables() -> None:
    op.create_table(
        "dropped_tables",
        sa.Column("id", ID, autoincrement=True, nullable=False),
        sa.Column("old_uuid", sa.String(length=36), nullable=False),
        sa.Column("parent_id", ID, nullable=False),
        sa.Column("path", sa.JSON(), nullable=False),
        sa.Column("owner", sa.Text(), nullable=False),
        sa.Column("location", sa.Text(), nullable=False),
        sa.Column("snapshot", sa.JSON(), nullable=False),
        sa.Column("dropped_at", INSTANT, nullable=False),
        sa.Column("dropped_by", sa.Text(), nullable=False),
        sa.Column("purge_at", INSTANT, nullable=True),
        sa.Column("purge_run_id", ID, nullable=True),
        sa.ForeignKeyConstraint(
            ["purge_run_id"],
            ["runs.id"],
            name=op.f("fk_dropped_tables_purge_run_id_runs"),
            ondelete="SET NULL",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_dropped_tables")),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_dropped_tables_parent_id", "dropped_tables", ["parent_id"], unique=False)


def _create_settings() -> None:
    op.create_table(
        "settings",
        sa.Column("key", sa.String(length=64), nullable=False),
        sa.Column("value", sa.JSON(), nullable=False),
        sa.PrimaryKeyConstraint("key", name=op.f("pk_settings")),
    )


def _create_changes() -> None:
    op.create_table(
        "changes",
        sa.Column("seq", ID, autoincrement=True, nullable=False),
        sa.Column("kind", sa.String(length=32), nullable=False),
        sa.Column("object_id", ID, nullable=False),
        sa.Column("object_uuid", sa.String(length=36), nullable=False),
        sa.Column("object_kind", sa.String(length=16), nullable=False),
        sa.Column("parent_id", ID, nullable=True),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("at", INSTANT, nullable=False),
        sa.Column("audience", sa.JSON(none_as_null=True), nullable=True),
        sa.PrimaryKeyConstraint("seq", name=op.f("pk_changes")),
        sqlite_autoincrement=True,
    )


def _plant_root() -> None:
    root = sa.table(
        "securables",
        *(sa.column(name) for name in ("uuid", "kind", "space", "name", "name_key")),
        *(sa.column(name) for name in ("owner", "created_by", "updated_by")),
        sa.column("created_at", INSTANT),
        sa.column("updated_at", INSTANT),
    )
    now = datetime.now(UTC)
    op.execute(
        root.insert().values(
            uuid="00000000-0000-0000-0000-000000000000",
            kind="root",
            space="root",
            name="",
            name_key="",
            owner="",
            created_by="",
            updated_by="",
            created_at=now,
            updated_at=now,
        )
    )


_CREATE = {
    "securables": _create_securables,
    "namespaces": _create_namespaces,
    "tables": _create_tables,
    "groups": _create_groups,
    "memberships": _create_memberships,
    "grants": _create_grants,
    "runs": _create_runs,
    "write_tickets": _create_write_tickets,
    "dropped_tables": _create_dropped_tables,
    "settings": _create_settings,
    "changes": _create_changes,
}
