"""A subject of one sentence with what another sentence says of something else."""

import pytest

from ragcortex.geometry.facts.extract import fact_sheet
from ragcortex.geometry.facts.finding import PlacedSheet
from ragcortex.geometry.statements import statements
from ragcortex.geometry.stitching import stitched_finding


def placed(text, reference=None):
    return [PlacedSheet(fact_sheet(text[start:end], "en"), start, reference) for start, end in statements(text)]


@pytest.mark.parametrize(
    ("reference", "answer", "wanted"),
    [
        (
            "Books are lent for four weeks, and films for two. Reference works are not lent out.",
            "Reference works are lent for four weeks.",
            "lent for four weeks",
        ),
        (
            "Unopened items may be returned within 30 days for a full refund. Opened electronics are refunded at 85%.",
            "Opened electronics may be returned within 30 days for a full refund.",
            "full refund",
        ),
        (
            "Policy: unopened items may be returned in 30 days for a full refund. Opened goods are refunded at 85%.",
            "Opened goods may be returned in 30 days for a full refund.",
            "full refund",
        ),
        (
            "Solo customers receive support by e-mail only; team customers also receive telephone support.",
            "Solo customers receive telephone support.",
            "telephone support",
        ),
    ],
)
def test_references_that_set_two_subjects_apart_contradict_a_statement_that_mixes_them(reference, answer, wanted):
    (claim,) = placed(answer)
    finding = stitched_finding(claim, placed(reference, 0))
    assert finding is not None
    assert finding.relation == "contradicted"
    assert wanted in finding.text
    assert reference[finding.evidence.start : finding.evidence.end] == finding.evidence.text
    assert answer.split()[0].casefold() in finding.evidence.text.casefold()


@pytest.mark.parametrize(
    ("reference", "answer"),
    [
        (
            "The north gate is made of carved oak. The old bell tower was struck by lightning and rebuilt.",
            "The north gate was struck by lightning and rebuilt.",
        ),
        # Both begin with a subject and go on alike, but the shorter one only says less.
        (
            "Move the strike plate. The latch and the plate are aligned with screws.",
            "Moving the strike plate aligns the latch with screws.",
        ),
    ],
)
def test_what_is_only_pieced_together_is_said_to_be(reference, answer):
    (claim,) = placed(answer)
    finding = stitched_finding(claim, placed(reference, 0))
    assert finding is None or finding.relation == "pieced"


@pytest.mark.parametrize(
    ("reference", "answer"),
    [
        (
            "The north gate is made of carved oak and was rebuilt. The tower fell.",
            "The north gate was made of carved oak.",
        ),
        ("The north gate is old. It was struck by lightning.", "The north gate burns."),
        ("The mill is old.", "The mill stands near the river under tall poplars."),
    ],
)
def test_a_statement_of_one_sentence_is_not_stitched(reference, answer):
    (claim,) = placed(answer)
    assert stitched_finding(claim, placed(reference, 0)) is None


MARSH = "The marsh harrier breeds in reed beds. It lays four eggs in May. Young birds leave after six weeks."
OWL = "The barn owl nests in old towers and feeds mainly on voles and shrews. It is active at night."
ALBUM = "Still Water is the third album by the band. It was released on 9 May 1997. The band recorded it at home."
OTHER = "The follow-up Salt Road appeared in 2001. It was recorded by Emil Vance in Dublin."


def of_references(references):
    return [place for index, text in enumerate(references) for place in placed(text, index)]


@pytest.mark.parametrize(
    ("references", "answer", "wanted", "relation"),
    [
        (
            [MARSH, OWL],
            "The marsh harrier breeds in reed beds and feeds mainly on voles and shrews.",
            "feeds",
            "pieced",
        ),
        (
            [ALBUM, OTHER],
            "Still Water was released on 9 May 1997 and was recorded by Emil Vance in Dublin.",
            "Emil Vance",
            "contradicted",
        ),
    ],
)
def test_a_second_predicate_of_another_subject_is_found(references, answer, wanted, relation):
    (claim,) = placed(answer)
    finding = stitched_finding(claim, of_references(references))
    assert finding is not None
    assert finding.relation == relation
    assert wanted in finding.text
    assert not finding.text.startswith(("The", "Still"))


@pytest.mark.parametrize(
    ("references", "answer"),
    [
        # The passage goes on about the same animals, or says it of them as well.
        ([MARSH, "Most pairs return each year. They feed mainly on voles and shrews."],
         "The marsh harrier breeds in reed beds and feeds mainly on voles and shrews."),
        ([MARSH + " It feeds mainly on voles and shrews.", OWL],
         "The marsh harrier breeds in reed beds and feeds mainly on voles and shrews."),
        ([MARSH, OWL], "The marsh harrier breeds in reed beds and the barn owl feeds mainly on voles and shrews."),
        ([MARSH, OWL], "The barn owl nests in old towers and feeds mainly on voles and shrews."),
    ],
)  # fmt: skip
def test_a_second_predicate_of_the_same_subject_is_none(references, answer):
    for claim in placed(answer):
        assert stitched_finding(claim, of_references(references)) is None


def test_without_evidence_nothing_is_stitched():
    (claim,) = placed("The north gate was struck by lightning and rebuilt.")
    assert stitched_finding(claim, []) is None
