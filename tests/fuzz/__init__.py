"""Random plans over random tables, run by every evaluator we have; see `generate`, `compare`, `shrink`."""
