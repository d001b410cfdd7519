"""The history of the tables; `storage.migrating` runs it, and no file of the user's is needed for that."""
