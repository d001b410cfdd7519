"""U4: the same string twice in one answer, right at one place and wrong at the other, is judged at each place."""

import pytest

from made_detectors import geometric
from ragcortex.report import Report

TOWER = "The tower of Arden is 41 metres high. The bridge of Lyle is 52 metres long."
TURM = "Der Turm ist 41 Meter hoch. Die Brücke wiegt 52 Tonnen. Die Fähre misst 30 Meter."
FEES = "The museum charges 12 euros for adults. The museum charges 5 euros for children."


def check(reference: str, answer: str) -> Report:
    return geometric().check(None, [reference], answer)


@pytest.mark.parametrize(
    ("reference", "right", "wrong", "repeated"),
    [
        (TOWER, "The tower of Arden is 41 metres high.", "The bridge of Lyle is 41 metres long.", "41"),
        (TURM, "Der Turm ist 41 Meter hoch.", "Die Fähre misst 41 Meter.", "41"),
        (FEES, "The museum charges 12 euros for adults.", "The museum charges 12 euros for children.", "12"),
    ],
)
@pytest.mark.parametrize("wrong_first", [False, True])
def test_only_the_wrong_occurrence_is_marked(
    reference: str, right: str, wrong: str, repeated: str, wrong_first: bool
) -> None:
    answer = f"{wrong} {right}" if wrong_first else f"{right} {wrong}"
    report = check(reference, answer)
    place = answer.index(wrong) + wrong.index(repeated)
    other = answer.index(right) + right.index(repeated)
    assert any(span.start <= place < span.end for span in report.spans)
    assert not any(span.start <= other < span.end for span in report.spans)
    states = {sentence.text: sentence.state for sentence in report.sentences}
    assert (states[right], states[wrong]) == ("supported", "contradicted")


@pytest.mark.parametrize("times", [2, 3, 5])
def test_a_wrong_string_is_marked_wherever_it_stands(times: int) -> None:
    answer = " ".join(["The tower of Arden is 43 metres high."] * times)
    report = check(TOWER, answer)
    starts = [start for start in range(len(answer)) if answer.startswith("43", start)]
    assert [span.start for span in report.spans] == starts
    assert {span.text for span in report.spans} == {"43"}


def test_a_right_string_is_marked_nowhere() -> None:
    assert check(TOWER, " ".join(["The tower of Arden is 41 metres high."] * 3)).spans == ()
