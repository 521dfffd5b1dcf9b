"""Process entries: each builds its part of the product and hands control to it."""
