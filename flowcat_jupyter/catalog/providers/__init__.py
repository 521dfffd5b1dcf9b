"""Where catalogs come from: the database, a session's memory, the system's own tables, others."""
