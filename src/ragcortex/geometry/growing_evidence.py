"""What the geometric witness sees in an answer that grows: each statement is looked at once."""

from dataclasses import replace

from ragcortex.geometry.corpus import Corpus
from ragcortex.geometry.evidence import GeometricEvidence
from ragcortex.geometry.statements import statements
from ragcortex.geometry.witness import WitnessOptions, examine


def examine_more(
    before: GeometricEvidence,
    answer: str,
    corpus: Corpus,
    *,
    question: str | None = None,
    options: WitnessOptions | None = None,
) -> GeometricEvidence:
    """Return what `examine` sees in an answer of whose beginning the evidence is there already.

    Statements that stand where they stood are taken over, from the first other one on all are looked at. Two things
    differ from the evidence on the whole: the similarity of the answer is that of its last statements, and a statement
    taken over was read by the language that the answer seemed to be in then; where it now seems to be in another, all
    are looked at again.

    Args:
        before: what was seen of an earlier state of the answer.
        answer: the answer as far as it is there.
        corpus, question, options: as then.

    Raises:
        InputError, ModelError, ReadingError: as `examine`.
    """
    standing = statements(answer)
    n_same = 0
    for one, (start, end) in zip(before.statements, standing, strict=False):
        if (one.start, one.end, one.text) != (start, end, answer[start:end]):
            break
        n_same += 1
    if n_same == len(standing):
        return replace(before, answer=answer, statements=before.statements[:n_same])
    new = examine(answer, corpus, question=question, options=options, since=standing[n_same][0] if n_same else 0)
    if not n_same:
        return new
    kept = before.statements[:n_same]
    if new.claims and any(one.claimless is None for one in kept) and new.language != before.language:
        return examine(answer, corpus, question=question, options=options)
    known = {(one.reference, one.start, one.sheet.text): one for one in (*before.known, *new.known)}
    last = new if new.claims else before
    return GeometricEvidence(
        answer,
        (*kept, *new.statements),
        last.similarity,
        last.language,
        tuple(known.values()),
        last.given,
    )
