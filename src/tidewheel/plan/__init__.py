"""One refresh as data: what is defined, looked at, possible, what it costs, and what is chosen. Starts no engine."""
