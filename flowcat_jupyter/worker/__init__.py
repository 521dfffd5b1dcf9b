"""Worker processes: where tables are read, queried and written."""
