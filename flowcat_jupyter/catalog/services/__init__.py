"""One file per domain; services are strangers to each other."""
