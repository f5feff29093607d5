"""matplotlib looks here for a backend."""
