"""The domain: metadata only, no HTTP and no frames."""
