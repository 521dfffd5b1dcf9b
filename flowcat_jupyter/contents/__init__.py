"""What Jupyter sees as files."""
