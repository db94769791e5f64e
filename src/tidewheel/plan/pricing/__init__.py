"""What the ways to bring a view up to date cost."""
