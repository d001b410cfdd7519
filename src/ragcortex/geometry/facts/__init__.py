"""Exact facts of a text (amounts, dates, names, negation …) in one normal form, and their comparison."""
