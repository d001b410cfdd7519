"""What detectors say of an answer that still grows; one file a kind of detector."""
