"""Relations that vary over time; `reference` has the evaluator that defines "correct"."""
