"""The running service: its settings, database and detectors, and what a check is from request to database row."""

import datetime
import hashlib
import json
import logging
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from sqlalchemy.orm import Session
from starlette.concurrency import run_in_threadpool
from starlette.requests import HTTPConnection

from ragcortex.errors import InputError, StoreError
from ragcortex.example import Example
from ragcortex.report import Report
from ragcortex.service import calibrations
from ragcortex.service.checks import JudgedCheck, delete_text, new_id, store_check
from ragcortex.service.corpora import Corpora
from ragcortex.service.judges import Judges
from ragcortex.service.keys import Caller
from ragcortex.service.limits import RateLimits
from ragcortex.service.metrics import Metrics
from ragcortex.service.schemas import CheckIn
from ragcortex.service.settings import ServiceSettings
from ragcortex.service.storage.database import Database
from ragcortex.service.storage.tables import Check
from ragcortex.service.tracing import Tracing
from ragcortex.service.triage import Policy, triage

if TYPE_CHECKING:
    from ragcortex.geometry.corpus import Corpus

_log = logging.getLogger("ragcortex.service")


@dataclass(frozen=True, slots=True)
class Judged:
    """An answer that was judged and is not kept yet."""

    id: str
    at: datetime.datetime
    example: Example
    report: Report
    witness: str
    policy: Policy
    corpus_id: str | None
    seconds: float


@dataclass(slots=True)
class Service:
    """One running service.

    Attributes:
        settings: what it was told.
        database: where everything is kept.
        judges: the detectors.
        corpora: the documents that answers can be checked against.
        policies: the triage policies by name.
        limits, metrics, tracing: of requests.
        clock: seconds that only ever grow.
        ready: whether models are loaded and warm.
    """

    settings: ServiceSettings
    database: Database
    judges: Judges
    corpora: Corpora
    policies: dict[str, Policy]
    metrics: Metrics
    tracing: Tracing
    limits: RateLimits = field(default_factory=RateLimits)
    clock: Callable[[], float] = time.monotonic
    ready: bool = False

    @property
    def keeps_text(self) -> bool:
        """Whether texts of checks are kept at all."""
        return self.settings.store_text != "none"

    def fingerprints(self) -> dict[str, str]:
        """Return the fingerprint of the detector behind each witness."""
        return {witness: self.judges.fingerprint(witness) for witness in self.judges.witnesses}

    async def check(self, values: CheckIn, caller: Caller) -> Check:
        """Return the check of one answer, judged and kept.

        Raises:
            InputError: a field is wrong; whatever else `judge` raises.
        """
        ((check, _),) = await self.keep([await self.judge(values)], caller)
        return check

    async def judge(self, values: CheckIn) -> Judged:
        """Return one answer judged, and not kept.

        Raises:
            InputError: a field is wrong, or too large.
            Busy, TimeoutError: the service is at its limit.
            RagcortexError: the detector cannot judge it.
        """
        example = self.example(values)
        witness = self.witness(values.witness)
        policy = self.policy(values.policy)
        corpus, corpus_id = await self._corpus(values)
        started, at = self.clock(), datetime.datetime.now(datetime.UTC)
        try:
            report = await self.judges.judge(example, witness, corpus=corpus, timeout=self.settings.timeout_seconds)
        except Exception as error:
            self.metrics.observe_failure(witness, error)
            raise
        seconds = self.clock() - started
        return Judged(new_id(), at, example, report, witness, policy, corpus_id, seconds)

    async def keep(
        self,
        judged: Sequence[Judged],
        caller: Caller,
        also: Callable[[Session], None] | None = None,
    ) -> list[tuple[Check, Report]]:
        """Return the checks of judged answers with their reports under the thresholds in force.

        They are kept in one transaction, together with what `also` does in it.
        """

        def work(session: Session) -> list[tuple[Check, Report]]:
            kept = [self._kept(session, one, caller) for one in judged]
            if also is not None:
                also(session)
            session.flush()
            session.expunge_all()
            return kept

        with self.tracing.span("store"):
            kept = await run_in_threadpool(self.database.run, work)
        for one, (check, _) in zip(judged, kept, strict=True):
            self.metrics.observe_check(one.witness, check.verdict, check.action, check.score, one.seconds)
        return kept

    def forget(self, check_id: str, caller: Caller) -> Check:
        """Return a check whose texts are deleted, from the database's files too; blocks.

        Raises:
            NotFoundError: there is no such check.
        """
        now = datetime.datetime.now(datetime.UTC)
        check = self.database.run(lambda session: delete_text(session, check_id, actor=caller.name, now=now))
        self.overwrite_deleted()
        return check

    def overwrite_deleted(self) -> None:
        """Take what was deleted out of the database's files; what is in use just now stays until the next time."""
        try:
            self.database.overwrite_deleted()
        except StoreError as error:
            _log.warning("%s; this is tried again within the hour", error)

    def example(self, values: CheckIn) -> Example:
        """Return what is to be judged, within the limits of size.

        Raises:
            InputError: a field is wrong or too large, or there are both references and a corpus, or neither.
        """
        if (values.references is None) == (values.corpus is None):
            raise InputError("references", "or a corpus must be given, and not both; give [] if there were none")
        references = [one.model_dump() for one in values.references or []]
        n_characters = sum(len(one["text"]) for one in references)
        limits = self.settings
        for name, n, most in (
            ("answer", len(values.answer), limits.max_answer_chars),
            ("references", n_characters, limits.max_reference_chars),
            ("question", len(values.question or ""), limits.max_reference_chars),
        ):
            if n > most:
                raise InputError(name, f"has {n:,} characters; this service takes {most:,} at most")
        row: dict[str, Any] = {"question": values.question, "references": references, "answer": values.answer}
        for name in ("id", "group", "generator", "task"):
            row[name] = getattr(values, name)
        return Example.from_row(row)

    def witness(self, asked: str | None) -> str:
        """Return the witness asked for, or the service's own.

        Raises:
            InputError: this service has not loaded it.
        """
        witness = asked or self.judges.default
        if witness not in self.judges.witnesses:
            known = ", ".join(self.judges.witnesses)
            raise InputError("witness", f"{witness!r} is not loaded by this service; it has {known}")
        return witness

    def policy(self, name: str | None) -> Policy:
        """Return a triage policy by name.

        Raises:
            InputError: there is none.
        """
        found = self.policies.get(name or self.settings.policy)
        if found is None:
            raise InputError("policy", f"must be one of {', '.join(sorted(self.policies))}, got {name!r}")
        return found

    async def _corpus(self, values: CheckIn) -> "tuple[Corpus | None, str | None]":
        name = values.corpus
        if name is None:
            return None, None
        row = await run_in_threadpool(self.database.run, lambda session: self.corpora.find(session, name))
        return await run_in_threadpool(self.corpora.open, row), row.id

    def _kept(self, session: Session, one: Judged, caller: Caller) -> tuple[Check, Report]:
        fingerprint = self.judges.fingerprint(one.witness)
        calibration = calibrations.active_for(session, fingerprint)
        report = calibrations.apply(one.report, calibration)
        judged = JudgedCheck(
            id=one.id,
            at=one.at,
            actor=caller.name,
            example=one.example,
            report=report,
            triage=triage(one.policy, report, one.id, storing_text=self.keeps_text),
            policy=one.policy.name,
            fingerprint=fingerprint,
            calibration_id=calibration.id if calibration is not None else None,
            corpus_id=one.corpus_id,
            seconds=one.seconds,
            keeps_text=self.keeps_text,
        )
        return store_check(session, judged), report


def request_digest(route: str, body: object) -> str:
    """Return what tells two requests apart: the SHA-256 of the route and the body in canonical JSON."""
    text = json.dumps([route, body], sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()


def service_of(connection: HTTPConnection) -> Service:
    """Return the service behind a request."""
    service: Service = connection.app.state.service
    return service
