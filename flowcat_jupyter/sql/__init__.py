"""SQL as text and as trees: reading, typing and lowering it. Imports no frames."""
