"""One view built in a run: in full, or from what changed."""
