"""Relations that vary over time: their versions and forms, and a reference evaluator that defines "correct"."""
