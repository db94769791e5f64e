"""Mutants: the delta rules changed in small ways, one at a time; the tests must notice each. See `mutate`, `run`."""
