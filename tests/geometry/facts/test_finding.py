"""Findings check themselves; a placed sheet knows where its words stand in the whole text."""

import pytest
from comparing import placed

from ragcortex.errors import InputError
from ragcortex.geometry.facts.extract import fact_sheet
from ragcortex.geometry.facts.finding import Finding, PlacedSheet, span_of
from ragcortex.report_parts import Evidence

EVIDENCE = Evidence(0, 4, 7, "330")


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"reason": "colour"}, "reason: must be one of"),
        ({"relation": "wrong"}, "relation: must be one of contradicted, absent, pieced, got 'wrong'"),
        ({"evidence": None}, "evidence: must be given for contradicted"),
        ({"relation": "absent"}, "evidence: must be null for absent"),
        ({"end": 9}, "text"),
    ],
)
def test_a_finding_checks_its_fields(changed, message):
    fields = {"reason": "number", "relation": "contradicted", "start": 3, "end": 6, "text": "430", "evidence": EVIDENCE}
    with pytest.raises(InputError) as caught:
        Finding(**(fields | changed))
    assert message in str(caught.value)


def test_offsets_count_the_whole_text():
    text = "The hall is old. It is 330 metres long."
    second = placed(text, 2, "en")[1]
    (fact,) = second.facts(("quantity",))
    evidence = second.evidence(*span_of(fact))
    assert (evidence.reference, text[evidence.start : evidence.end]) == (2, "330 metres")
    (claim,) = placed("It is 430 metres long.", None, "en")
    finding = claim.found("number", (6, 9), second, span_of(fact))
    assert (finding.text, finding.relation, finding.evidence) == ("430", "contradicted", evidence)
    assert claim.found("number", (6, 9)).relation == "absent"
    assert claim.found("stitched", (6, 9), second).relation == "pieced"


def test_a_sentence_of_the_answer_is_no_evidence():
    (claim,) = placed("It is 430 metres long.", None, "en")
    with pytest.raises(InputError) as caught:
        claim.evidence(0, 2)
    assert str(caught.value) == "reference: only a sentence of a reference is evidence"


def test_words_around_a_fact_leave_out_what_stands_everywhere():
    (place,) = placed("The old castle in Marbury had 84,000 paying visitors that same year.", 0, "en")
    (fact,) = place.facts(("number",))
    around = place.around(fact)
    assert (around.before, around.after) == ("marburi", "pay")
    assert "year" not in around.near


def test_facts_of_several_kinds_come_by_position():
    (place,) = placed("On 3 May 2020 Ruth Almond sold 40 chairs.", 0, "en")
    assert [fact.kind for fact in place.facts(("number", "name", "date"))] == ["date", "name", "number"]
    assert place.facts(("time",)) == ()


@pytest.mark.parametrize(
    ("text", "goes_on"),
    [("It was opened in 1980.", True), ("Elle est gratuite.", True), ("该馆免票。", True), ("Italy won.", False)],
)
def test_a_pronoun_goes_on_about_the_subject_before(text, goes_on):
    assert PlacedSheet(fact_sheet(text), 0, 0).goes_on is goes_on


def test_the_subject_is_the_first_name_or_the_first_two_words():
    assert placed("Veltrin Acetate is a clear liquid.", 0, "en")[0].subject == {"veltrin", "acet"}
    assert placed("The old hall is a fine building.", 0, "en")[0].subject == {"old", "hall"}


def test_overlap_is_the_share_of_the_own_words():
    first, second = placed("The old mill burns.", 0, "en")[0], placed("The mill burns down slowly.", 1, "en")[0]
    assert first.overlap(second) == pytest.approx(2 / 3)
    assert placed("It is so.", 0, "en")[0].overlap(second) == 0.0
