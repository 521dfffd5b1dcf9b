"""Engines that run lowered queries; each is registered by name and imported at first use."""
