"""The reference evaluator: what a plan and its change mean, in plain Python over bags of rows."""
