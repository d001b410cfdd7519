"""Comparing one sentence with references in a line, for the tests of the comparison of facts."""

from ragcortex.geometry.facts.compare import compare
from ragcortex.geometry.facts.extract import fact_sheet
from ragcortex.geometry.facts.finding import Finding, PlacedSheet
from ragcortex.geometry.statements import statements


def placed(text, reference=None, language=None):
    """Return the statements of a text with their facts and places."""
    return [PlacedSheet(fact_sheet(text[start:end], language), start, reference) for start, end in statements(text)]


def found(language, references, answer, question=""):
    """Return what the statements of an answer find against the references."""
    references = [references] if isinstance(references, str) else references
    evidence = [place for index, text in enumerate(references) for place in placed(text, index, language)]
    given = placed(question, None, language)
    return [one for claim in placed(answer, None, language) for one in compare(claim, evidence, given)]


def is_binding(finding: Finding) -> bool:
    """Return whether a finding marks the answer as hallucinated by itself."""
    return finding.relation == "contradicted" or (finding.relation == "absent" and finding.reason != "entity")


def touched(language, references, answer, wanted, *, question="", reasons=None):
    """Return whether a binding finding (with one of the reasons) touches the wanted words."""
    start = answer.index(wanted)
    return any(
        is_binding(one)
        and one.start < start + len(wanted)
        and start < one.end
        and (not reasons or one.reason in reasons)
        for one in found(language, references, answer, question)
    )
