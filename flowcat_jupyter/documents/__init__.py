"""Codecs of the files people keep: pure functions between text and values."""
