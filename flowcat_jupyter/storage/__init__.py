"""Where tables lie: the only code that builds a table's path."""
