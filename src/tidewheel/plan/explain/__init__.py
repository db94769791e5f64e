"""A view explained, as data."""
