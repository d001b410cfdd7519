"""Calls for those who run the service: thresholds, keys, the audit trail, and whether it is well."""

import datetime
from collections.abc import Sequence
from typing import Final

from ragcortex.client.answers import Calibration, Health, Key, NewKey, Policy, Readiness
from ragcortex.client.call import Call, given, nothing, path, query, read_text, reads
from ragcortex.client.check_calls import Witness

_NOT_READY: Final = 503


def policies() -> Call[tuple[Policy, ...]]:
    """List the triage policies.

    Raises:
        ClientError: the service refuses, or does not answer.
    """
    return Call("GET", "/v1/policies", reads(tuple[Policy, ...]), repeatable=True)


def list_calibrations() -> Call[tuple[Calibration, ...]]:
    """List the calibrations, the newest first.

    Raises:
        ClientError: the service refuses, or does not answer.
    """
    return Call("GET", "/v1/calibrations", reads(tuple[Calibration, ...]), repeatable=True)


def create_calibration(
    name: str,
    *,
    witness: Witness | None = None,
    hallucinated_threshold: float | None = None,
    review_threshold: float | None = None,
    activate: bool = False,
) -> Call[Calibration]:
    """Choose thresholds on the answers that reviewers decided: the best F1, or by hand.

    Raises:
        ClientError: there are too few reviewed answers, the service refuses, or does not answer.
    """
    body = given(
        name=name,
        witness=witness,
        hallucinated_threshold=hallucinated_threshold,
        review_threshold=review_threshold,
        activate=activate,
    )
    return Call("POST", "/v1/calibrations", reads(Calibration), body=body)


def activate_calibration(calibration_id: str) -> Call[Calibration]:
    """Put thresholds in force.

    Raises:
        ClientError: there is no such calibration (404), it is stale, or the service does not answer.
    """
    return Call("POST", path("v1", "calibrations", calibration_id, "activate"), reads(Calibration), repeatable=True)


def deactivate_calibration(*, witness: Witness | None = None) -> Call[None]:
    """Go back to the detector's own thresholds.

    Raises:
        ClientError: the service refuses, or does not answer.
    """
    return Call("POST", "/v1/calibrations/deactivate", nothing, query=query(witness=witness), repeatable=True)


def list_keys() -> Call[tuple[Key, ...]]:
    """List the keys, without their secrets.

    Raises:
        ClientError: the service refuses, or does not answer.
    """
    return Call("GET", "/v1/keys", reads(tuple[Key, ...]), repeatable=True)


def create_key(
    name: str,
    scopes: Sequence[str],
    *,
    rate_per_minute: int | None = None,
    expires_at: datetime.datetime | None = None,
) -> Call[NewKey]:
    """Make a key; its secret is shown this once.

    Raises:
        ClientError: a scope is not known, the service refuses, or does not answer.
    """
    body = given(name=name, scopes=list(scopes), rate_per_minute=rate_per_minute, expires_at=expires_at)
    return Call("POST", "/v1/keys", reads(NewKey), body=body)


def revoke_key(key_id: str) -> Call[Key]:
    """Revoke a key at once.

    Raises:
        ClientError: there is no such key (404), the service refuses, or does not answer.
    """
    return Call("POST", path("v1", "keys", key_id, "revoke"), reads(Key), repeatable=True)


def rotate_key(key_id: str, *, overlap_minutes: int | None = None) -> Call[NewKey]:
    """Replace a key by a new one; the old one goes on for a while.

    Raises:
        ClientError: there is no such key (404), the service refuses, or does not answer.
    """
    place = path("v1", "keys", key_id, "rotate")
    return Call("POST", place, reads(NewKey), query=query(overlap_minutes=overlap_minutes))


def export_audit() -> Call[str]:
    """Yield the audit trail line by line, each a JSON text; `ragcortex service audit verify` checks them in a file.

    Raises:
        ClientError: the service refuses, does not answer, or stops in the middle.
    """
    return Call("GET", "/v1/audit/export", read_text, repeatable=True)


def health() -> Call[Health]:
    """Ask whether the process is alive.

    Raises:
        ClientError: it does not answer.
    """
    return Call("GET", "/healthz", reads(Health), repeatable=True)


def ready() -> Call[Readiness]:
    """Ask whether requests are served: models are loaded and the database answers.

    Raises:
        ClientError: the service does not answer.
    """
    return Call("GET", "/readyz", reads(Readiness), repeatable=True, good=(_NOT_READY,))


def metrics() -> Call[str]:
    """Return the figures of the process in Prometheus' text format.

    Raises:
        ClientError: the service refuses, or does not answer.
    """
    return Call("GET", "/metrics", read_text, repeatable=True)
