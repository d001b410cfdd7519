"""A report for machines (json), for a terminal (terminal) and for a browser or notebook (html)."""
