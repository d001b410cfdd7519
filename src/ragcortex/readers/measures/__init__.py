"""Measures: further quantities of the pass with references, taken while the layers run."""
