"""The methods that are compared, one family a file; `registry` knows them by name."""
