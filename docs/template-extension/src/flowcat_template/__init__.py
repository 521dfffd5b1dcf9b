"""A data source for Flowcat to begin from."""
