"""Statements that change something, carried out: one file per family."""
