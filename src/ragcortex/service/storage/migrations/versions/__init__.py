"""One file a revision, written by hand; what a revision did is never changed afterwards."""
