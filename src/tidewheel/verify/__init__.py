"""Views recomputed by a path of its own, and compared with what is stored."""
