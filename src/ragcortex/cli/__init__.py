"""The command line: one file a command group; heavy imports happen inside the commands."""
