"""Where people already work: a guard for each framework, checks in tests, and exporters; each loads only its own."""
