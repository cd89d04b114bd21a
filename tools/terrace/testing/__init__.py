"""`terrace test`, `terrace stress`, and what they run."""
