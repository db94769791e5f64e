"""Plans executed: staged, decided, applied, and learned from."""
