"""The tables of the metadata database, SQLite and PostgreSQL alike.

Every grantable thing is a row of `securables`; what belongs to it references that row with
``ON DELETE CASCADE``, so no delete can leave a grant behind. Ids are never used twice
(AUTOINCREMENT on SQLite too). Times are instants: aware in, aware (UTC) out.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from sqlalchemy import (
    JSON,
    BigInteger,
    Boolean,
    CheckConstraint,
    Column,
    DateTime,
    Dialect,
    ForeignKey,
    Index,
    Integer,
    MetaData,
    String,
    Table,
    Text,
    TypeDecorator,
    UniqueConstraint,
    text,
)

ROOT_ID = 1
"""The securable that catalogs hang on: a NULL parent would escape their names' uniqueness."""

metadata = MetaData(
    naming_convention={
        "ix": "ix_%(column_0_N_label)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "ck": "ck_%(table_name)s_%(constraint_name)s",
        "fk": "fk_%(table_name)s_%(column_0_N_name)s_%(referred_table_name)s",
        "pk": "pk_%(table_name)s",
    }
)


class UtcDateTime(TypeDecorator[datetime]):
    """An instant. SQLite keeps it as UTC text that sorts, PostgreSQL as ``timestamptz``."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        """The instant in UTC; a naive time is refused, for nobody knows what it means."""
        if value is None:
            return None
        if value.tzinfo is None:
            raise ValueError("a time without a zone cannot be stored")
        moment = value.astimezone(UTC)
        return moment.replace(tzinfo=None) if dialect.name == "sqlite" else moment

    def process_result_value(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        """The instant, aware, in UTC."""
        if value is None:
            return None
        return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)


Big = BigInteger().with_variant(Integer(), "sqlite")
# Bytewise order on both databases, so that a page's cursor means the same on each.
Key = Text().with_variant(Text(collation="C"), "postgresql")


def _id() -> Column[int]:
    return Column("id", Big, primary_key=True, autoincrement=True)


def _owned(name: str = "securable_id", **options: Any) -> Column[int]:
    return Column(name, Big, ForeignKey("securables.id", ondelete="CASCADE"), **options)


securables = Table(
    "securables",
    metadata,
    _id(),
    Column("uuid", String(36), nullable=False, unique=True),
    Column("kind", String(16), nullable=False),
    # The name space a name is unique in: tables and views share "relation".
    Column("space", String(16), nullable=False),
    _owned("parent_id", nullable=True),
    Column("name", Text, nullable=False),
    Column("name_key", Key, nullable=False),
    Column("owner", Text, nullable=False),
    Column("state", String(16), nullable=False, server_default="active"),
    Column("description", Text),
    Column("created_at", UtcDateTime, nullable=False),
    Column("created_by", Text, nullable=False),
    Column("updated_at", UtcDateTime, nullable=False),
    Column("updated_by", Text, nullable=False),
    Column("revision", Integer, nullable=False, server_default="1"),
    UniqueConstraint("parent_id", "space", "name_key"),
    CheckConstraint("(parent_id IS NULL) = (kind = 'root')", name="only_root_has_no_parent"),
    CheckConstraint("(id = 1) = (kind = 'root')", name="one_root"),
    CheckConstraint("state IN ('active', 'creating')", name="state"),
    Index("ix_securables_name_key", "name_key"),
    Index("ix_securables_owner", "owner"),
    sqlite_autoincrement=True,
)

namespaces = Table(
    "namespaces",
    metadata,
    _owned(primary_key=True, autoincrement=False),
    Column("level", Integer, nullable=False),
    Column("storage_uri", Text),
    Column("connection_id", Big),
    CheckConstraint("level IN (0, 1)", name="level"),
    CheckConstraint("level = 0 OR storage_uri IS NULL", name="storage_is_the_catalogs"),
)

tables = Table(
    "tables",
    metadata,
    _owned(primary_key=True, autoincrement=False),
    Column("table_type", String(16), nullable=False),
    Column("format", String(32), nullable=False),
    Column("location", Text, nullable=False),
    Column("columns", JSON, nullable=False),
    Column("partition_columns", JSON, nullable=False),
    Column("row_count", BigInteger),
    Column("size_bytes", BigInteger),
    Column("delta_version", BigInteger),
    Column("data_files_version", BigInteger),
    Column("data_version", BigInteger, nullable=False, server_default="0"),
    Column("broken", Text),
    # What people say of columns, by folded name; it goes before what the table's log says.
    Column("column_comments", JSON, nullable=False, server_default="{}"),
    Column("tags", JSON, nullable=False, server_default="[]"),
    Column("file_count", BigInteger),
    Column("written_at", UtcDateTime),
    # How files are read, as the statement that made the table said it.
    Column("options", JSON, nullable=False, server_default="{}"),
    # What the table's log says of it: properties, and conditions that every row meets.
    Column("properties", JSON, nullable=False, server_default="{}"),
    Column("constraints", JSON, nullable=False, server_default="{}"),
    # The metadata file that says what an Iceberg table is; moving it is the table's commit.
    Column("pointer", Text),
    CheckConstraint("table_type IN ('managed', 'external')", name="table_type"),
)

views = Table(
    "views",
    metadata,
    _owned(primary_key=True, autoincrement=False),
    # The query as it was written, and where its names of fewer parts are looked for.
    Column("text", Text, nullable=False),
    Column("dialect", String(32), nullable=False),
    Column("catalog", Text, nullable=False),
    Column("schema", Text, nullable=False),
    Column("columns", JSON, nullable=False),
    Column("properties", JSON, nullable=False, server_default="{}"),
)

functions = Table(
    "functions",
    metadata,
    _owned(primary_key=True, autoincrement=False),
    Column("parameters", JSON, nullable=False),
    Column("returns", Text),
    # The expression or query that it stands for, and where names in it are looked for.
    Column("body", Text, nullable=False),
    Column("dialect", String(32), nullable=False),
    Column("catalog", Text, nullable=False),
    Column("schema", Text, nullable=False),
    Column("deterministic", Boolean, nullable=False, server_default=text("true")),
)

groups = Table(
    "groups",
    metadata,
    _id(),
    Column("name", Text, nullable=False),
    Column("name_key", Key, nullable=False, unique=True),
    Column("created_at", UtcDateTime, nullable=False),
    sqlite_autoincrement=True,
)

memberships = Table(
    "memberships",
    metadata,
    Column("group_id", Big, ForeignKey("groups.id", ondelete="CASCADE"), primary_key=True),
    Column("member", Text, primary_key=True),
    Index("ix_memberships_member", "member"),
)

grants = Table(
    "grants",
    metadata,
    _id(),
    _owned(nullable=False),
    Column("group_id", Big, ForeignKey("groups.id", ondelete="CASCADE"), nullable=False),
    Column("level", String(16), nullable=False),
    Column("granted_by", Text, nullable=False),
    Column("granted_at", UtcDateTime, nullable=False),
    UniqueConstraint("securable_id", "group_id"),
    CheckConstraint("level IN ('browse', 'use', 'manage')", name="level"),
    Index("ix_grants_group_id", "group_id"),
    sqlite_autoincrement=True,
)

settings = Table(
    "settings",
    metadata,
    Column("key", String(64), primary_key=True),
    Column("value", JSON, nullable=False),
)

runs = Table(
    "runs",
    metadata,
    _id(),
    Column("kind", String(32), nullable=False),
    Column("title", Text, nullable=False),
    Column("state", String(16), nullable=False),
    Column("owner", Text, nullable=False),
    Column("progress", JSON(none_as_null=True)),
    Column("attempt", Integer, nullable=False, server_default="1"),
    Column("lease_holder", String(64)),
    Column("lease_until", UtcDateTime),
    # Rises with every claim: a holder that lost its lease can no longer write.
    Column("fence", Integer, nullable=False, server_default="0"),
    Column("cancel_requested", Boolean, nullable=False, server_default=text("false")),
    Column("origin", JSON, nullable=False),
    Column("payload", JSON, nullable=False),
    Column("result", JSON(none_as_null=True)),
    Column("error", JSON(none_as_null=True)),
    Column("due_at", UtcDateTime, nullable=False),
    Column("created_at", UtcDateTime, nullable=False),
    Column("started_at", UtcDateTime),
    Column("ended_at", UtcDateTime),
    CheckConstraint(
        "state IN ('queued', 'running', 'succeeded', 'failed', 'timed_out', 'cancelled', 'lost')",
        name="state",
    ),
    Index("ix_runs_state_due_at", "state", "due_at"),
    Index("ix_runs_owner", "owner"),
    sqlite_autoincrement=True,
)

run_rejects = Table(
    "run_rejects",
    metadata,
    Column(
        "run_id",
        Big,
        ForeignKey("runs.id", ondelete="CASCADE"),
        primary_key=True,
        autoincrement=False,
    ),
    # The file of rejected lines; noted before the run begins, so that a crash leaves no orphan.
    Column("location", Text, nullable=False),
    # None until the run has ended.
    Column("row_count", BigInteger),
    Column("expires_at", UtcDateTime, nullable=False),
    Index("ix_run_rejects_expires_at", "expires_at"),
)

import_memories = Table(
    "import_memories",
    metadata,
    Column("actor", Text, primary_key=True),
    # A digest of `source`, whose paths may be longer than an index can hold.
    Column("source_key", String(64), primary_key=True),
    Column("source", Text, nullable=False),
    Column("format", String(32)),
    Column("options", JSON, nullable=False),
    Column("types", JSON, nullable=False),
    Column("updated_at", UtcDateTime, nullable=False),
)

saved_queries = Table(
    "saved_queries",
    metadata,
    _id(),
    Column("actor", Text, nullable=False),
    Column("name", Text, nullable=False),
    Column("name_key", Key, nullable=False),
    Column("text", Text, nullable=False),
    Column("catalog", Text),
    Column("schema", Text),
    Column("dialect", String(32)),
    Column("chart", JSON(none_as_null=True)),
    Column("created_at", UtcDateTime, nullable=False),
    Column("updated_at", UtcDateTime, nullable=False),
    UniqueConstraint("actor", "name_key"),
    sqlite_autoincrement=True,
)

write_tickets = Table(
    "write_tickets",
    metadata,
    Column("id", String(36), primary_key=True),
    Column("actor", Text, nullable=False),
    _owned("table_id", nullable=False),
    Column("creates", Boolean, nullable=False),
    Column("mode", String(16), nullable=False),
    Column("location", Text, nullable=False),
    Column("base_version", BigInteger),
    Column("spec", JSON, nullable=False),
    Column("run_id", Big, ForeignKey("runs.id", ondelete="SET NULL")),
    Column("state", String(16), nullable=False),
    Column("created_at", UtcDateTime, nullable=False),
    Column("expires_at", UtcDateTime, nullable=False),
    CheckConstraint("state IN ('open', 'committed', 'cancelled', 'expired')", name="state"),
    Index("ix_write_tickets_table_id", "table_id"),
    Index("ix_write_tickets_state_expires_at", "state", "expires_at"),
)

dropped_tables = Table(
    "dropped_tables",
    metadata,
    _id(),
    Column("old_uuid", String(36), nullable=False),
    # Where it hung; the schema may be gone by the time it is wanted back.
    Column("parent_id", Big, nullable=False),
    Column("path", JSON, nullable=False),
    Column("owner", Text, nullable=False),
    Column("location", Text, nullable=False),
    Column("snapshot", JSON, nullable=False),
    Column("dropped_at", UtcDateTime, nullable=False),
    Column("dropped_by", Text, nullable=False),
    Column("purge_at", UtcDateTime),
    Column("purge_run_id", Big, ForeignKey("runs.id", ondelete="SET NULL")),
    Index("ix_dropped_tables_parent_id", "parent_id"),
    sqlite_autoincrement=True,
)

changes = Table(
    "changes",
    metadata,
    Column("seq", Big, primary_key=True, autoincrement=True),
    Column("kind", String(32), nullable=False),
    Column("object_id", Big, nullable=False),
    Column("object_uuid", String(36), nullable=False),
    Column("object_kind", String(16), nullable=False),
    Column("parent_id", Big),
    Column("name", Text, nullable=False),
    Column("at", UtcDateTime, nullable=False),
    # Who could see what is gone: {"users": [...], "groups": [ids]}. Absent while it lives.
    Column("audience", JSON(none_as_null=True)),
    Column("by", Text),
    # What of the object changed, never what it was: that may be hidden from who sees it now.
    Column("detail", JSON(none_as_null=True)),
    Index("ix_changes_object_id_seq", "object_id", "seq"),
    sqlite_autoincrement=True,
)

search_words = Table(
    "search_words",
    metadata,
    _id(),
    Column("word", Key, nullable=False, unique=True),
    sqlite_autoincrement=True,
)

# Every tail of a word of three letters and more: what a word holds is what one begins with.
search_tails = Table(
    "search_tails",
    metadata,
    Column("tail", Key, primary_key=True),
    Column(
        "word_id",
        Big,
        ForeignKey("search_words.id", ondelete="CASCADE"),
        primary_key=True,
        autoincrement=False,
    ),
    Index("ix_search_tails_word_id", "word_id"),
)

search_entries = Table(
    "search_entries",
    metadata,
    _owned(primary_key=True, autoincrement=False),
    Column(
        "word_id",
        Big,
        ForeignKey("search_words.id", ondelete="CASCADE"),
        primary_key=True,
        autoincrement=False,
    ),
    # Where the word stands: see `catalog.store.search_words`.
    Column("field", Integer, primary_key=True, autoincrement=False),
    Index("ix_search_entries_word_id", "word_id", "securable_id", "field"),
)
