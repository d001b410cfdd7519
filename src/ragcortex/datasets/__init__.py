"""Data sets: official formats and made-up hallucinations in, Examples out."""
