"""The figures that are taken when they are asked for: how many answers wait, and how far scores have drifted."""

from sqlalchemy.orm import Session

from ragcortex.service import calibrations, dashboard
from ragcortex.service.drift import Drift, drift
from ragcortex.service.state import Service

_RECENT = 1000


def take_figures(service: Service) -> None:
    """Set the gauges of the service's metrics to what they are now.

    Raises:
        StoreError: the database does not answer.
    """
    for lane, n in service.judges.n_waiting().items():
        service.metrics.set_queue(lane, n)
    found = service.database.run(lambda session: drifts(session, service))
    for witness, one in found.items():
        service.metrics.set_drift(witness, one)


def drifts(session: Session, service: Service) -> dict[str, Drift | None]:
    """Return how far each witness's newest queued scores lie from the reviewed ones, which thresholds rest on.

    Only what the policy queues is reviewed, so only that is compared; None where there are too few of either.
    """
    found: dict[str, Drift | None] = {}
    for witness, fingerprint in service.fingerprints().items():
        reviewed = [one.score for one in calibrations.reviewed_scores(session, fingerprint)]
        found[witness] = drift(reviewed, dashboard.recent_scores(session, fingerprint, limit=_RECENT, queued=True))
    return found
