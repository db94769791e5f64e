"""Tables that keep changing, as rounds of ingests by seed, and what every view must hold after each round."""
