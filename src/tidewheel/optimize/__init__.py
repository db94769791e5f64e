"""The memo of plans and their forms, and the choice among the ways that rules offer."""
