"""Scoring rows by the million: what one output row is, how an input is cut into partitions, and who works on them."""
