"""The kernel side: what notebooks see of the catalog."""
