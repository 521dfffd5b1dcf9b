"""HTTP: parse, call, reply."""
