"""The lowest floor: what every part of the product speaks in."""
