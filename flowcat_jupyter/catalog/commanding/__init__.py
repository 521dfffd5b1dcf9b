"""SHOW, DESCRIBE and SET: rows made from what the catalog and a session know."""
