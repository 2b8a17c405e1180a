"""Runs the migrations on the connection the store hands over (``config.attributes["connection"]``)."""

from alembic import context

from scorer.store.schema import Base

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=Base.metadata,
    # SQLite cannot alter most things about a table: Alembic then copies it.
    render_as_batch=True,
)
with context.begin_transaction():
    context.run_migrations()
