"""The internal witness on answers without references: passages looked up in a corpus, one by one and in groups."""

import re
from pathlib import Path

import pytest
from test_internal_detector import gain_bundle

from made_embedder import WordEmbedder
from ragcortex.detectors.internal import InternalDetector
from ragcortex.detectors.retrieving import RetrievingDetector
from ragcortex.errors import InputError
from ragcortex.example import Example, Reference
from ragcortex.geometry.corpus import Corpus
from ragcortex.geometry.retrieval import references_for
from ragcortex.readers.reader import Reader, ReaderOptions

TEXTS = (
    "The lighthouse at Cape Arden was built in 1874.",
    "The mill at Port Lyle grinds wheat and barley.",
    "The bakery opens at six and sells rye bread.",
    "Night trains to Lund leave from platform four.",
)
ANSWERS = ("The lighthouse was built in 1902.", "The bakery sells rye bread.", "Trains leave from platform four.")


@pytest.fixture(scope="module")
def corpus() -> Corpus:
    return Corpus.in_memory(tuple(map(Reference, TEXTS)), WordEmbedder())


@pytest.fixture(scope="module")
def plain(tiny_reader_folder: Path) -> InternalDetector:
    return InternalDetector(gain_bundle(), Reader.load(str(tiny_reader_folder), options=ReaderOptions(group_size=2)))


@pytest.fixture(scope="module")
def retrieving(plain: InternalDetector, corpus: Corpus) -> RetrievingDetector:
    return RetrievingDetector(plain, corpus, k=2)


def asked(answer: str, number: int = 0) -> Example:
    return Example(None, (), answer, id=str(number))


def test_the_report_is_that_on_the_passages_found_with_a_note(
    retrieving: RetrievingDetector, plain: InternalDetector, corpus: Corpus
) -> None:
    report = retrieving.check_example(asked(ANSWERS[0]))
    found = references_for(corpus, None, ANSWERS[0], k=2)
    expected = plain.check(None, found, ANSWERS[0])
    assert report.tokens == expected.tokens
    assert report.verdict == expected.verdict
    assert [note.code for note in report.notes] == ["references_from_corpus"]
    assert report.notes[0].text == (
        "Checked against the 2 passages of the corpus that are nearest to the question and the answer."
    )


def test_one_passage_is_said_in_the_singular(plain: InternalDetector) -> None:
    lone = Corpus.in_memory((Reference(TEXTS[0]),), WordEmbedder())
    report = RetrievingDetector(plain, lone).check_example(asked(ANSWERS[0]))
    assert report.notes[0].text == (
        "Checked against the passage of the corpus that is nearest to the question and the answer."
    )


def test_a_blank_answer_needs_no_passages(retrieving: RetrievingDetector) -> None:
    report = retrieving.check_example(asked("  "))
    assert (report.verdict, [note.code for note in report.notes]) == ("no_claim", ["blank_answer"])


def test_references_of_its_own_are_refused(retrieving: RetrievingDetector) -> None:
    message = "references: must be empty where a corpus is checked against; give one or the other"
    with pytest.raises(InputError, match=f"^{re.escape(message)}$"):
        retrieving.check_example(Example.of(None, TEXTS, ANSWERS[0]))


@pytest.mark.parametrize(
    "kinds", ["", "g", "b", "bb", "gbg", "bggb", "gggbbg", "bbggg", "gwgbw", "wwbg"], ids=lambda kinds: kinds or "none"
)
def test_many_answers_keep_their_order_and_bad_ones_their_place(retrieving: RetrievingDetector, kinds: str) -> None:
    """g: an answer; w: a blank one; b: one that brings references, which is refused. Groups hold two answers."""
    refused = Example.of(None, TEXTS, ANSWERS[0])
    texts = [" " if kind == "w" else ANSWERS[number % 3] for number, kind in enumerate(kinds)]
    examples = [
        refused if kind == "b" else asked(text, number)
        for number, (kind, text) in enumerate(zip(kinds, texts, strict=True))
    ]
    outcomes = list(retrieving.check_many(iter(examples)))
    assert [outcome.example for outcome in outcomes] == examples
    for kind, example, outcome in zip(kinds, examples, outcomes, strict=True):
        if kind == "b":
            assert isinstance(outcome.error, InputError)
            assert outcome.report is None
        else:
            alone = retrieving.check_example(example)
            assert outcome.report is not None
            assert (outcome.report.verdict, outcome.report.notes) == (alone.verdict, alone.notes)
            scores = [token.score for token in outcome.report.tokens]
            assert scores == pytest.approx([token.score for token in alone.tokens], abs=1e-4)


def test_answers_are_read_in_groups(retrieving: RetrievingDetector, monkeypatch: pytest.MonkeyPatch) -> None:
    sizes = []
    own = InternalDetector._read

    def counted(self: InternalDetector, examples: list[Example]) -> object:
        sizes.append(len(examples))
        return own(self, examples)

    monkeypatch.setattr(InternalDetector, "_read", counted)
    assert len(list(retrieving.check_many([asked(answer) for answer in ANSWERS], progress=True))) == 3
    assert sizes == [2, 1]
