"""Forms of relations bound to files: which files a plan reads under which name."""
