"""Evaluation: metrics, trivial controls, splits by source, intervals and tables."""
