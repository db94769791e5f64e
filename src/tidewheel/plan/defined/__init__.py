"""What views are: bound to the algebra, sound or not, and what is stored to maintain them."""
