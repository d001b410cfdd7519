"""Signals: pure functions from a reading to arrays with one row a token."""
