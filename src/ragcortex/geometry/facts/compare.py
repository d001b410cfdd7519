"""The facts of a claim against the sentences of the references: what is contradicted, what is in none of them."""

from collections.abc import Iterable, Sequence

from ragcortex.geometry.facts.compare_amounts import amount_findings
from ragcortex.geometry.facts.compare_conditions import condition_findings
from ragcortex.geometry.facts.compare_dates import date_findings
from ragcortex.geometry.facts.compare_names import name_findings
from ragcortex.geometry.facts.compare_polarity import polarity_findings
from ragcortex.geometry.facts.compare_relations import confirmed
from ragcortex.geometry.facts.compare_roles import role_findings
from ragcortex.geometry.facts.compare_short import short_findings
from ragcortex.geometry.facts.context import Context
from ragcortex.geometry.facts.finding import Finding, PlacedSheet


def compare(
    claim: PlacedSheet, evidence: Sequence[PlacedSheet], given: Sequence[PlacedSheet] = ()
) -> tuple[Finding, ...]:
    """Return what the facts of one sentence of the answer find, by position.

    Facts are compared in normal form (`facts.fact`), so another way to write a number or a date is no finding, nor is
    a range or a total that follows from the references. Of findings at overlapping places the contradicted ones stay.

    Args:
        claim: a sentence of the answer.
        evidence: sentences of the references, those that may bear on the claim.
        given: sentences of the question; their facts are known, but they prove nothing.
    """
    context = Context(tuple(evidence))
    found = [
        *amount_findings(claim, context, given),
        *date_findings(claim, context, given),
        *name_findings(claim, context, given),
        *_unsettled(claim, context, polarity_findings(claim, context)),
        *condition_findings(claim, context),
        *role_findings(claim, context),
        *short_findings(claim, context, given),
    ]
    kept: list[Finding] = []
    for one in sorted(found, key=lambda one: (one.relation != "contradicted", one.start, one.end)):
        if all(one.end <= other.start or other.end <= one.start for other in kept):
            kept.append(one)
    return tuple(sorted(kept, key=lambda one: one.start))


def _unsettled(claim: PlacedSheet, context: Context, findings: Iterable[Finding]) -> list[Finding]:
    """Return findings without opposites that say the same of exchanged participants: «A bought it from B», «B sold»."""
    found = list(findings)
    settled = confirmed(claim, context) if found else ()
    return [one for one in found if not any(one.start <= verb < one.end for verb in settled)]
