"""`python -m ragcortex` is the command `ragcortex`."""

from ragcortex.cli.__main__ import main

main()
