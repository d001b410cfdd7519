"""What the service keeps: tables, sessions that survive a lost connection, and migrations."""
