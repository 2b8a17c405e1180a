"""The first tables."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Apply."""
    _matches()
    _photos()
    _sheets()
    op.create_table(
        "settings",
        sa.Column("name", sa.String(32), nullable=False, primary_key=True),
        sa.Column("value", sa.Text(), nullable=False),
    )


def _matches() -> None:
    op.create_table(
        "matches",
        sa.Column("id", sa.Integer(), nullable=False, primary_key=True),
        sa.Column("edit_key", sa.String(32), nullable=False, unique=True),
        sa.Column("view_key", sa.String(32), nullable=False, unique=True),
        sa.Column("created", sa.BigInteger(), nullable=False),
        sa.Column("changed", sa.BigInteger(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
    )
    op.create_table(
        "events",
        sa.Column("id", sa.Integer(), nullable=False, primary_key=True),
        sa.Column("match_id", sa.Integer(), sa.ForeignKey("matches.id"), nullable=False),
        sa.Column("seq", sa.Integer(), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.Column("kind", sa.String(32), nullable=False),
        sa.Column("payload", sa.JSON(), nullable=False),
        sa.Column("token", sa.String(64)),
        sa.Column("status", sa.String(8), nullable=False),
        sa.UniqueConstraint("match_id", "seq"),
        sa.UniqueConstraint("match_id", "token"),
    )


def _photos() -> None:
    op.create_table(
        "photos",
        sa.Column("digest", sa.String(64), nullable=False, primary_key=True),
        sa.Column("view", sa.String(64), nullable=False),
        sa.Column("width", sa.Integer(), nullable=False),
        sa.Column("height", sa.Integer(), nullable=False),
        sa.Column("reduced", sa.Boolean(), nullable=False),
    )
    op.create_table(
        "match_photos",
        sa.Column("match_id", sa.Integer(), sa.ForeignKey("matches.id"), nullable=False, primary_key=True),
        sa.Column("digest", sa.String(64), sa.ForeignKey("photos.digest"), nullable=False, primary_key=True),
    )


def _sheets() -> None:
    op.create_table(
        "readings",
        sa.Column("digest", sa.String(64), nullable=False, primary_key=True),
        sa.Column("body", sa.Text(), nullable=False),
    )
    op.create_table(
        "sheets",
        sa.Column("id", sa.Integer(), nullable=False, primary_key=True),
        sa.Column("match_id", sa.Integer(), sa.ForeignKey("matches.id"), nullable=False),
        sa.Column("key", sa.String(32), nullable=False, unique=True),
        sa.Column("created", sa.BigInteger(), nullable=False),
        sa.Column("changed", sa.BigInteger(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("status", sa.String(12), nullable=False),
        sa.Column("stage", sa.String(200), nullable=False),
        sa.Column("fraction", sa.Integer(), nullable=False),
        sa.Column("photos", sa.JSON(), nullable=False),
        sa.Column("reading", sa.String(64), sa.ForeignKey("readings.digest")),
        sa.Column("corrections", sa.JSON(), nullable=False),
        sa.Column("withdrawn", sa.JSON(), nullable=False),
        sa.Column("event_seq", sa.Integer()),
        sa.Column("replaces", sa.String(32)),
    )
    op.create_index("sheets_of_match", "sheets", ["match_id"])
