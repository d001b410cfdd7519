"""The first tables, and the triggers that keep the audit trail as it is."""

from typing import Final

from alembic import op
from sqlalchemy import (
    JSON,
    BigInteger,
    Boolean,
    Column,
    DateTime,
    Double,
    ForeignKeyConstraint,
    Integer,
    PrimaryKeyConstraint,
    String,
    Text,
    UniqueConstraint,
)

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

_ID: Final = String(32)
_NAME: Final = String(200)
_MOMENT: Final = DateTime(timezone=True)
_NO_DIGEST: Final = "0" * 64

# An entry must be the next one: without that, INSERT OR REPLACE would change entries and no other trigger would fire.
_SQLITE_TRIGGERS: Final = (
    """
    CREATE TRIGGER audit_entries_unchanged BEFORE UPDATE ON audit_entries
    BEGIN SELECT RAISE(ABORT, 'audit entries are never changed'); END
    """,
    """
    CREATE TRIGGER audit_entries_kept BEFORE DELETE ON audit_entries
    BEGIN SELECT RAISE(ABORT, 'audit entries are never removed'); END
    """,
    f"""
    CREATE TRIGGER audit_entries_in_order BEFORE INSERT ON audit_entries
    WHEN NEW.number IS NOT (SELECT COALESCE(MAX(number), 0) + 1 FROM audit_entries)
    OR NEW.previous IS NOT COALESCE(
        (SELECT digest FROM audit_entries ORDER BY number DESC LIMIT 1), '{_NO_DIGEST}'
    )
    BEGIN SELECT RAISE(ABORT, 'an audit entry follows the last one'); END
    """,
)
_POSTGRESQL_TRIGGERS: Final = (
    """
    CREATE FUNCTION audit_entries_refuse() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
        RAISE EXCEPTION 'audit entries are never changed or removed' USING ERRCODE = 'restrict_violation';
    END $$
    """,
    """
    CREATE TRIGGER audit_entries_kept BEFORE UPDATE OR DELETE OR TRUNCATE ON audit_entries
    FOR EACH STATEMENT EXECUTE FUNCTION audit_entries_refuse()
    """,
    f"""
    CREATE FUNCTION audit_entries_follow() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
        IF NEW.number <> (SELECT COALESCE(MAX(number), 0) + 1 FROM audit_entries)
        OR NEW.previous <> COALESCE(
            (SELECT digest FROM audit_entries ORDER BY number DESC LIMIT 1), '{_NO_DIGEST}'
        ) THEN
            RAISE EXCEPTION 'an audit entry follows the last one' USING ERRCODE = 'restrict_violation';
        END IF;
        RETURN NEW;
    END $$
    """,
    """
    CREATE TRIGGER audit_entries_in_order BEFORE INSERT ON audit_entries
    FOR EACH ROW EXECUTE FUNCTION audit_entries_follow()
    """,
)


def upgrade() -> None:
    """Make all tables."""
    _make_keys_and_corpora()
    _make_calibrations()
    _make_checks()
    _make_reviews_and_feedback()
    _make_idempotent_requests()
    _make_audit_entries()


def downgrade() -> None:
    """Remove all tables."""
    for table in (
        "audit_entries", "idempotent_requests", "feedback", "reviews", "checks", "calibrations", "corpora", "api_keys",
    ):  # fmt: skip
        op.drop_table(table)
    if op.get_bind().dialect.name == "postgresql":
        op.execute("DROP FUNCTION audit_entries_refuse()")
        op.execute("DROP FUNCTION audit_entries_follow()")


def _make_keys_and_corpora() -> None:
    op.create_table(
        "api_keys",
        Column("id", _ID, nullable=False),
        Column("name", _NAME, nullable=False),
        Column("secret_digest", String(64), nullable=False),
        Column("scopes", JSON, nullable=False),
        Column("rate_per_minute", Integer),
        Column("created_at", _MOMENT, nullable=False),
        Column("expires_at", _MOMENT),
        Column("revoked_at", _MOMENT),
        Column("replaced_by", _ID),
        PrimaryKeyConstraint("id", name="pk_api_keys"),
    )
    op.create_table(
        "corpora",
        Column("id", _ID, nullable=False),
        Column("name", _NAME, nullable=False),
        Column("created_at", _MOMENT, nullable=False),
        Column("changed_at", _MOMENT, nullable=False),
        Column("fingerprint", _NAME, nullable=False),
        Column("embedder", _NAME, nullable=False),
        Column("n_documents", Integer, nullable=False),
        Column("n_chunks", Integer, nullable=False),
        Column("n_merged", Integer, nullable=False),
        Column("n_conflicts", Integer, nullable=False),
        PrimaryKeyConstraint("id", name="pk_corpora"),
        UniqueConstraint("name", name="uq_corpora_name"),
    )


def _make_calibrations() -> None:
    op.create_table(
        "calibrations",
        Column("id", _ID, nullable=False),
        Column("name", _NAME, nullable=False),
        Column("created_at", _MOMENT, nullable=False),
        Column("created_by", _NAME, nullable=False),
        Column("detector_fingerprint", String(64), nullable=False),
        Column("detector", _NAME, nullable=False),
        Column("method", String(16), nullable=False),
        Column("review_threshold", Double, nullable=False),
        Column("hallucinated_threshold", Double, nullable=False),
        Column("n_answers", Integer, nullable=False),
        Column("n_hallucinated", Integer, nullable=False),
        Column("figures", JSON, nullable=False),
        Column("active", Boolean, nullable=False),
        PrimaryKeyConstraint("id", name="pk_calibrations"),
    )
    op.create_index("ix_calibrations_detector_fingerprint", "calibrations", ["detector_fingerprint"])


def _make_checks() -> None:
    op.create_table(
        "checks",
        Column("id", _ID, nullable=False),
        Column("created_at", _MOMENT, nullable=False),
        Column("actor", _NAME, nullable=False),
        Column("external_id", _NAME),
        Column("question", Text),
        Column("reference_texts", JSON),
        Column("answer", Text),
        Column("source_group", _NAME),
        Column("generator", _NAME),
        Column("task", _NAME),
        Column("corpus_id", _ID),
        Column("report", JSON),
        Column("verdict", String(16), nullable=False),
        Column("score", Double),
        Column("review_threshold", Double),
        Column("hallucinated_threshold", Double),
        Column("witness", String(16), nullable=False),
        Column("detector", _NAME, nullable=False),
        Column("detector_fingerprint", String(64), nullable=False),
        Column("calibration_id", _ID),
        Column("n_characters", Integer, nullable=False),
        Column("n_spans", Integer, nullable=False),
        Column("seconds", Double, nullable=False),
        Column("policy", _NAME, nullable=False),
        Column("action", String(8), nullable=False),
        Column("sampled", Boolean, nullable=False),
        Column("queue", String(8), nullable=False),
        Column("priority", Double, nullable=False),
        Column("claimed_by", _NAME),
        Column("claimed_until", _MOMENT),
        Column("label", Integer),
        Column("decided_at", _MOMENT),
        Column("salt", String(64)),
        Column("text_deleted_at", _MOMENT),
        PrimaryKeyConstraint("id", name="pk_checks"),
    )
    op.create_index("checks_by_time", "checks", ["created_at"])
    op.create_index("checks_by_queue", "checks", ["queue", "priority"])
    op.create_index("checks_by_caller", "checks", ["external_id"])
    op.create_index("ix_checks_generator", "checks", ["generator"])


def _make_reviews_and_feedback() -> None:
    op.create_table(
        "reviews",
        Column("id", _ID, nullable=False),
        Column("check_id", _ID, nullable=False),
        Column("reviewer", _NAME, nullable=False),
        Column("created_at", _MOMENT, nullable=False),
        Column("label", Integer, nullable=False),
        Column("spans", JSON, nullable=False),
        Column("comment", Text),
        Column("replaced", Boolean, nullable=False),
        PrimaryKeyConstraint("id", name="pk_reviews"),
        ForeignKeyConstraint(["check_id"], ["checks.id"], name="fk_reviews_check_id", ondelete="CASCADE"),
    )
    op.create_index("reviews_of_check", "reviews", ["check_id", "replaced"])
    op.create_table(
        "feedback",
        Column("id", _ID, nullable=False),
        Column("check_id", _ID, nullable=False),
        Column("actor", _NAME, nullable=False),
        Column("created_at", _MOMENT, nullable=False),
        Column("rating", String(8), nullable=False),
        Column("comment", Text),
        PrimaryKeyConstraint("id", name="pk_feedback"),
        ForeignKeyConstraint(["check_id"], ["checks.id"], name="fk_feedback_check_id", ondelete="CASCADE"),
    )
    op.create_index("ix_feedback_check_id", "feedback", ["check_id"])


def _make_idempotent_requests() -> None:
    op.create_table(
        "idempotent_requests",
        Column("actor", _NAME, nullable=False),
        Column("key", String(255), nullable=False),
        Column("request_digest", String(64), nullable=False),
        Column("created_at", _MOMENT, nullable=False),
        Column("status", Integer, nullable=False),
        Column("response", JSON, nullable=False),
        PrimaryKeyConstraint("actor", "key", name="pk_idempotent_requests"),
    )
    op.create_index("ix_idempotent_requests_created_at", "idempotent_requests", ["created_at"])


def _make_audit_entries() -> None:
    op.create_table(
        "audit_entries",
        Column("number", BigInteger, nullable=False, autoincrement=False),
        Column("body", Text, nullable=False),
        Column("previous", String(64), nullable=False),
        Column("digest", String(64), nullable=False),
        PrimaryKeyConstraint("number", name="pk_audit_entries"),
        UniqueConstraint("digest", name="uq_audit_entries_digest"),
    )
    sqlite = op.get_bind().dialect.name == "sqlite"
    for statement in _SQLITE_TRIGGERS if sqlite else _POSTGRESQL_TRIGGERS:
        op.execute(statement)
