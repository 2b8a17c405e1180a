"""Alembic migrations of the companion's database."""
