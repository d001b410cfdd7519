"""Self-checks of `ragcortex doctor --self-test`: what is computed fast is computed slowly as well, on this machine."""
