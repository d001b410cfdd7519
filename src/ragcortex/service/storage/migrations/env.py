"""What alembic runs for each migration: on the connection it was given, in the transaction that is open there."""

from alembic import context

from ragcortex.service.storage.tables import Base

context.configure(connection=context.config.attributes["connection"], target_metadata=Base.metadata)
with context.begin_transaction():
    context.run_migrations()
