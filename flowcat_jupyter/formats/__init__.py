"""How tables and files are read and written, one module per format."""
