"""Detectors: recipes, the bundles that ship, and the object that checks answers."""
