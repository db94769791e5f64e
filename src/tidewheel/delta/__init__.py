"""How a change of the inputs becomes a change of the result: delta rules, domains, and what to keep for them."""
