"""The benchmark: every method on every data set, by one protocol, into one folder of results."""
