"""Judging while the answer arrives: in the end the report of the whole, on the way each sentence once."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from threadpoolctl import threadpool_limits

import made_detectors as made
from made_embedder import WordEmbedder
from made_geometry import made_model
from ragcortex.detectors.detector import Detector
from ragcortex.detectors.geometric import GeometricDetector
from ragcortex.detectors.incremental import IncrementalCheck, Progress
from ragcortex.detectors.internal import InternalDetector
from ragcortex.detectors.retrieving import RetrievingDetector
from ragcortex.detectors.sentence_judgement import SentenceJudgement
from ragcortex.errors import InputError, ModelError, ReadingError
from ragcortex.example import Example
from ragcortex.geometry.corpus import Corpus
from ragcortex.geometry.embedders.embedder import Embeddings
from ragcortex.readers._hf import decoder_layers
from ragcortex.readers.reader import Reader, ReaderOptions
from same_reports import assert_same_reports

QUESTION = "What is known of the lighthouse?"
REFERENCES = [
    "The lighthouse at Cape Arden was built in 1874. It stands 41 metres above the sea.",
    "Visitors may climb the tower in summer. Dogs are not allowed inside.",
]
ANSWER = (
    "The lighthouse at Cape Arden was built in 1974. It stands 41 metres above the sea. "
    "Its keeper collects foreign stamps. Visitors may climb the tower in winter.\n\nI hope that helps! "
    "Dogs are allowed."
)
PIECES = (
    "The lighthouse was built in 1974. ", "It stands 41 metres above the sea. ", "Dogs are not allowed. ", " ", "\n",
    "\n\n", "灯台は1974年に建てられた。", "世界", "👩‍👩‍👧‍👦 ", "e\u0301te\u0301. ", "שלום עולם. ", "مرحبا. ", "नमस्ते। ",
    "<|im_end|>", "Dr. Holt", "5.9 %", "“Yes.” ", "1. ", "I hope that helps! ", "U.S. ",
)  # fmt: skip
TEXTS = st.lists(st.one_of(st.sampled_from(PIECES), st.text(max_size=3)), max_size=9).map("".join)
KINDS: dict[str, Callable[[Reader], Detector]] = {
    "internal": made.internal,
    "attention and likelihoods": made.attentive,
    "geometry": lambda _: made.geometric(),
    "both": lambda reader: made.fused(made.internal(reader)),
    "cascade": lambda reader: made.fused(made.internal(reader), cascade=True),
    "both, strict": lambda reader: made.fused(made.internal(reader), strict=True),
    "both, with attention": lambda reader: made.fused(made.attentive(reader)),
    "geometry against a corpus": lambda _: made.geometric(corpus=corpus()),
    "both against a corpus": lambda reader: made.fused(made.internal(reader), made.geometric(corpus=corpus())),
    "retrieving": lambda reader: RetrievingDetector(made.internal(reader), corpus()),
}


@cache
def corpus() -> Corpus:
    return Corpus.in_memory(Example.of(None, REFERENCES, "").references, WordEmbedder())


@pytest.fixture(scope="module", autouse=True)
def one_thread() -> Iterator[None]:
    """Run tiny models on one thread: they are no faster on more, and other tests are left room."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    with threadpool_limits(1):
        yield
    torch.set_num_threads(before)


@pytest.fixture(scope="module")
def reader(tiny_reader_folder: Path) -> Reader:
    return Reader.load(str(tiny_reader_folder))


@pytest.fixture(scope="module", params=sorted(KINDS))
def detector(request: pytest.FixtureRequest, reader: Reader) -> Detector:
    return KINDS[request.param](reader)


def references_of(detector: Detector) -> list[str]:
    own = detector.geometric if hasattr(detector, "geometric") else detector
    return [] if getattr(own, "corpus", None) is not None else REFERENCES


def started(detector: Detector, **options: Any) -> IncrementalCheck:
    """Return a check that judges each sentence at its end."""
    return IncrementalCheck(detector, QUESTION, references_of(detector), **({"tokens_at_once": 1} | options))


def offline(detector: Detector, answer: str) -> Any:
    return detector.check(QUESTION, references_of(detector), answer)


def fed(check: IncrementalCheck, text: str, size: int) -> list[Progress]:
    return [check.add(text[start : start + size]) for start in range(0, len(text), size)]


def sentences_of(steps: Sequence[Progress]) -> list[SentenceJudgement]:
    return [one for step in steps for one in step.sentences]


@contextmanager
def counted(reader: Reader) -> Iterator[list[int]]:
    """Note how long the row of each pass is while the block runs."""
    taken: list[int] = []
    layer = decoder_layers(reader.loaded.model)[0]
    handle = layer.register_forward_hook(lambda _module, args, _output: taken.append(args[0].shape[1]))
    try:
        yield taken
    finally:
        handle.remove()


@given(text=TEXTS, data=st.data())
@settings(
    max_examples=20, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture]
)
def test_the_report_is_that_of_the_whole_however_the_answer_comes(
    detector: Detector, text: str, data: st.DataObject
) -> None:
    cuts = data.draw(st.lists(st.integers(0, len(text)), max_size=8).map(sorted))
    check = started(
        detector, tokens_at_once=data.draw(st.sampled_from([1, 5, 40])), read_again=data.draw(st.booleans())
    )
    steps = [check.add(text[start:end]) for start, end in zip([0, *cuts], [*cuts, len(text)], strict=True)]
    steps += [check.end()] if data.draw(st.booleans()) else []
    assert check.text == text
    assert_same_reports(check.finish(), offline(detector, text))
    reached = 0
    for number, one in enumerate(sentences_of(steps)):
        assert one.number == number
        assert one.start >= reached
        assert text[one.start : one.end] == one.text
        assert all(one.start < token.end and token.start < one.end for token in one.tokens)
        assert all(text[token.start : token.end] == token.text for token in one.tokens)
        assert all(text[span.start : span.end] == span.text for span in one.spans)
        assert one.is_unsupported <= bool(one.spans)
        reached = one.end


@pytest.mark.parametrize("size", [1, 4, 17, 1000])
def test_every_sentence_is_judged_once(detector: Detector, size: int) -> None:
    check = started(detector)
    steps = fed(check, ANSWER, size)
    found = sentences_of([*steps, check.end()])
    assert [one.text for one in found] == [sentence.text for sentence in offline(detector, ANSWER).sentences]
    assert check.add("").sentences == check.end().sentences == ()


@pytest.mark.parametrize("kind", ["internal", "geometry", "both", "cascade"])
def test_what_is_said_of_a_sentence_is_what_the_answer_up_to_it_would_get(kind: str, reader: Reader) -> None:
    detector = KINDS[kind](reader)
    check = started(detector)
    found = sentences_of([*fed(check, ANSWER, 3), check.end()])
    for one in found:
        so_far = offline(detector, ANSWER[: one.end])
        expected = so_far.sentences[-1]
        assert (one.state, one.text) == (expected.state, expected.text)
        assert one.score == (None if expected.score is None else pytest.approx(expected.score, abs=1e-4))
        inside = [token for token in so_far.tokens if token.end > one.start]
        assert [(token.start, token.end) for token in one.tokens] == [(token.start, token.end) for token in inside]
        np.testing.assert_allclose([t.score for t in one.tokens], [t.score for t in inside], atol=1e-4)
        spans = [span for span in so_far.spans if span.end > one.start]
        assert [(span.start, span.end, span.reasons) for span in one.spans] == [
            (span.start, span.end, span.reasons) for span in spans
        ]


@pytest.mark.parametrize("kind", ["internal", "both"])
def test_every_token_is_read_once(kind: str, reader: Reader) -> None:
    text = ANSWER.replace("\n\n", " ")
    check = started(KINDS[kind](reader))
    with counted(reader) as taken:
        steps = fed(check, text, 3)
        check.finish()
    plan = reader.plan(Example.of(QUESTION, REFERENCES, text))
    assert len(taken) > 4
    assert sum(taken) == len(plan.windows[0].ids) + len(plan.without.ids) + 2 * len(plan.tokens)
    assert steps[-1].n_tokens <= len(plan.tokens)
    assert steps[-1].reads == "incremental"
    assert [note for step in steps for note in step.notes] == []


def test_the_source_may_be_read_before_the_answer_begins(detector: Detector, reader: Reader) -> None:
    check = started(detector)
    check.prepare()
    fed(check, ANSWER, 11)
    assert_same_reports(check.finish(), offline(detector, ANSWER))


def test_a_cascade_reads_from_where_it_has_to(reader: Reader) -> None:
    decided = made.fused(made.internal(reader), cascade=True)
    decided.model = replace(decided.model, cascade=replace(decided.model.cascade, low=1.0, high=1.0))
    with counted(reader) as taken:
        check = started(decided)
        fed(check, ANSWER, 5)
        report = check.finish()
    assert taken == []
    assert [note.code for note in report.notes] == ["decided_by_geometry"]
    assert (decided.n_judged, decided.n_read) == (1, 0), "what is judged on the way does not count"
    undecided = made.fused(made.internal(reader), cascade=True)
    undecided.model = replace(undecided.model, cascade=replace(undecided.model.cascade, low=0.0, high=1.0))
    with counted(reader) as taken:
        check = started(undecided)
        fed(check, ANSWER, 5)
        check.finish()
    plan = reader.plan(Example.of(QUESTION, REFERENCES, ANSWER))
    assert sum(taken) == len(plan.windows[0].ids) + len(plan.without.ids) + 2 * len(plan.tokens)
    assert (undecided.n_judged, undecided.n_read) == (1, 1)


def test_detectors_that_read_more_wait_for_the_end_and_say_so(reader: Reader) -> None:
    check = started(made.attentive(reader))
    with counted(reader) as taken:
        steps = fed(check, ANSWER, 5)
    assert taken == []
    assert {step.reads for step in steps} == {"at_end"}
    (note,) = [note for step in steps for note in step.notes]
    assert (note.code, note.text) == (
        "read_at_end",
        "The reader reads the answer only when it has ended, since the detector reads more than hidden states, which "
        "takes the whole answer at once.",
    )
    assert {(one.state, one.score) for one in sentences_of(steps)} == {(None, None)}


def test_or_they_read_anew_at_each_sentence_end(reader: Reader) -> None:
    detector = made.attentive(reader)
    check = started(detector, read_again=True)
    steps = fed(check, ANSWER, 5)
    assert {step.reads for step in steps} == {"again"}
    assert [note.code for step in steps for note in step.notes] == ["read_again"]
    for one in sentences_of(steps):
        expected = offline(detector, ANSWER[: one.end]).sentences[-1]
        assert one.score == (None if expected.score is None else pytest.approx(expected.score, abs=1e-4))


def test_the_geometric_witness_judges_where_the_reader_has_to_wait(reader: Reader) -> None:
    check = started(made.fused(made.attentive(reader)))
    steps = fed(check, ANSWER, 5)
    alone = started(made.geometric())
    assert sentences_of(steps) == sentences_of(fed(alone, ANSWER, 5))
    assert [note.code for step in steps for note in step.notes] == ["read_at_end"]
    assert [step.reads for step in fed(started(made.geometric()), "It is.", 9)] == ["never"]


def test_references_in_windows_and_answers_in_pieces_are_read_at_the_end(tiny_reader_folder: Path) -> None:
    small = Reader.load(str(tiny_reader_folder), options=ReaderOptions(window=300))
    for detector in (made.internal(small), made.fused(made.internal(small))):
        long = [text * 8 for text in REFERENCES]
        check = IncrementalCheck(detector, QUESTION, long, tokens_at_once=1)
        steps = fed(check, ANSWER, 9)
        assert {step.reads for step in steps} == {"at_end"}
        assert "fill the reader's window of 300 before" in steps[0].notes[0].text
        assert_same_reports(check.finish(), detector.check(QUESTION, long, ANSWER))
        answer = ANSWER * 4
        check = IncrementalCheck(detector, QUESTION, REFERENCES, tokens_at_once=1)
        steps = fed(check, answer, 9)
        assert next(step.reads for step in steps) == "incremental"
        assert steps[-1].reads == "at_end"
        assert steps[-1].n_tokens == 0
        assert [note.code for step in steps for note in step.notes] == ["read_at_end"]
        assert_same_reports(check.finish(), detector.check(QUESTION, REFERENCES, answer))


def test_long_answers_cost_the_same_at_each_sentence(reader: Reader) -> None:
    """A look goes back 2,400 characters at most; what it says still counts characters of the answer."""
    parts = [f"Sentence {number} says that {REFERENCES[number % 2]}" for number in range(60)]
    answer = " ".join(parts)
    assert len(answer) > 5_000
    embedder = WordEmbedder()
    detector = made.fused(made.internal(reader), GeometricDetector(made_model(), embedder))
    roomy = IncrementalCheck(detector, QUESTION, REFERENCES, tokens_at_once=1)
    seen: list[int] = []
    for step in fed(roomy, answer[:3000], 40):
        assert all(answer[one.start : one.end] == one.text for one in step.sentences)
        assert all(answer[token.start : token.end] == token.text for one in step.sentences for token in one.tokens)
        seen.append(embedder.n_embedded)
    costs = np.diff(seen)
    assert costs.max() <= 12, "the sentences of 600 characters and what is new"


def test_much_text_at_once_is_looked_at_in_parts(reader: Reader) -> None:
    answer = " ".join(f"Sentence {number} says that {REFERENCES[number % 2]}" for number in range(40))
    check = started(made.geometric())
    found = check.add(answer).sentences
    assert [one.text for one in found] == [one.text for one in offline(made.geometric(), answer).sentences][:-1]
    assert all(one.state is not None for one in found)


def test_nothing_to_check(detector: Detector) -> None:
    for answer in ("", " \n "):
        check = started(detector)
        assert check.add(answer).sentences == ()
        assert_same_reports(check.finish(), offline(detector, answer))


@pytest.mark.parametrize("references", [[], ["", " "]])
@pytest.mark.parametrize("kind", ["internal", "geometry", "both", "cascade"])
def test_without_references_sentences_cannot_be_verified(kind: str, references: list[str], reader: Reader) -> None:
    detector = KINDS[kind](reader)
    check = IncrementalCheck(detector, QUESTION, references, tokens_at_once=1)
    steps = [*fed(check, ANSWER, 5), check.end()]
    assert {one.state for one in sentences_of(steps)} == {"not_verifiable"}
    assert_same_reports(check.finish(), detector.check(QUESTION, references, ANSWER))


def test_a_sentence_may_be_put_in_anothers_place(detector: Detector) -> None:
    check = started(detector)
    first = check.add("It was built in 1974. It is tall. It st").sentences
    assert [one.text for one in first] == ["It was built in 1974.", "It is tall."]
    new = check.replace(first[0], " It was built in 1874. ")
    assert new is not None
    assert (new.number, new.start, new.text) == (0, 0, "It was built in 1874.")
    again = check.add("").sentences
    assert [(one.number, one.text) for one in again] == [(1, "It is tall.")]
    assert check.replace(again[0], " ") is None
    more = check.add("ands by the sea. And so on")
    assert [(one.number, one.text) for one in more.sentences] == [(1, "It stands by the sea.")]
    assert check.text == "It was built in 1874. It stands by the sea. And so on"
    assert_same_reports(check.finish(), offline(detector, check.text))


def test_an_answer_may_be_cut(detector: Detector) -> None:
    check = started(detector)
    fed(check, ANSWER, 7)
    check.cut(48)
    assert check.text == ANSWER[:48]
    assert_same_reports(check.finish(), offline(detector, ANSWER[:48]))


def test_misuse_is_refused(reader: Reader) -> None:
    check = started(made.geometric())
    with pytest.raises(InputError, match="text: must be a string, got bytes"):
        check.add(b"bytes")  # type: ignore[arg-type]
    with pytest.raises(InputError, match="text: has a lone surrogate at character 0"):
        check.add("\ud83d")
    (sentence,) = check.add("It is. And it ").sentences
    with pytest.raises(InputError, match=r"end: must be a character of the answer, 0\.\.14, got 99"):
        check.cut(99)
    check.cut(3)
    with pytest.raises(InputError, match=r"sentence: does not stand at 0\.\.6 of the answer any more"):
        check.replace(sentence, "It was.")
    report = check.finish()
    assert check.finish() is report
    for call in (lambda: check.add("x"), check.end, lambda: check.cut(0), lambda: check.replace(sentence, "x")):
        with pytest.raises(InputError, match="text: cannot be added or changed, since the check is finished"):
            call()
    with pytest.raises(InputError, match="references: must be a list of passages, got str"):
        IncrementalCheck(made.geometric(), None, "text")
    with pytest.raises(InputError, match="tokens_at_once: must be a whole number from 1 on, got 0"):
        started(made.internal(reader), tokens_at_once=0)


def test_an_identifier_is_carried_through() -> None:
    check = started(made.geometric(), id="row 7")
    check.add(ANSWER)
    assert (check.finish().id, check.finish().question) == ("row 7", QUESTION)


def test_a_question_that_fills_the_window_is_the_readers_to_report(reader: Reader) -> None:
    question = "Why? " * 3000
    check = IncrementalCheck(made.internal(reader), question, REFERENCES)
    assert check.add(ANSWER).reads == "at_end"
    with pytest.raises(InputError, match="question: takes"):
        check.finish()
    both = made.fused(made.internal(reader))
    check = IncrementalCheck(both, question, REFERENCES)
    check.add(ANSWER)
    assert_same_reports(check.finish(), both.check(question, REFERENCES, ANSWER))


class Failing(WordEmbedder):
    """An embedder that works until it is told to fail."""

    fails = False

    def embed(self, texts: Sequence[str]) -> Embeddings:
        if self.fails:
            raise ModelError("the endpoint does not answer")
        return super().embed(texts)


def test_without_the_encoder_the_reader_judges_alone_and_that_is_said(reader: Reader) -> None:
    embedder = Failing()
    geometry = GeometricDetector(made_model(), embedder)
    inner = made.internal(reader)
    check = started(made.fused(inner, geometry))
    first = check.add(ANSWER[:60])
    embedder.fails = True
    second = check.add(ANSWER[60:])
    assert first.notes == ()
    assert [note.code for note in second.notes] == ["witness_missing"]
    assert second.notes[0].text.startswith("The geometric witness could not look: the endpoint does not answer.")
    alone = started(inner)
    alone.add(ANSWER[:60])
    assert second.sentences == alone.add(ANSWER[60:]).sentences
    assert check.finish().notes[0].code == "witness_missing"
    strict = started(made.fused(inner, geometry, strict=True))
    with pytest.raises(ModelError):
        strict.add(ANSWER)
    embedder.fails = False
    assert_same_reports(strict.finish(), offline(made.fused(inner, geometry, strict=True), ANSWER))


def test_without_the_reader_the_geometric_witness_judges_alone_and_that_is_said(tiny_reader_folder: Path) -> None:
    broken = Reader.load(str(tiny_reader_folder))
    inner = made.internal(broken)

    def fail(*_: object) -> None:
        raise RuntimeError("no memory left")

    decoder_layers(broken.loaded.model)[1].register_forward_hook(fail)
    check = started(made.fused(inner))
    step = check.add(ANSWER)
    assert [note.code for note in step.notes] == ["witness_missing"]
    assert step.notes[0].text.startswith("The reader could not read: the reader failed behind 0 tokens")
    alone = started(made.geometric())
    assert step.sentences == alone.add(ANSWER).sentences
    assert check.finish().notes[0].code == "witness_missing"
    for strict in (inner, made.fused(inner, strict=True)):
        with pytest.raises(ReadingError):
            started(strict).add(ANSWER)


@pytest.mark.parametrize("kind", ["internal", "geometry", "both"])
def test_short_sentences_are_judged_together(kind: str, reader: Reader) -> None:
    detector = KINDS[kind](reader)
    text = "It is old. " * 40
    check = started(detector, tokens_at_once=20)
    steps = fed(check, text, 3)
    sizes = [len(step.sentences) for step in steps if step.sentences]
    assert set(sizes) == {8}, "eight sentences are the first to have eighty characters"
    rest = check.end().sentences
    assert sum(sizes) + len(rest) == 40
    assert_same_reports(check.finish(), offline(detector, text))


def test_a_long_sentence_is_read_before_it_ends(reader: Reader) -> None:
    check = started(made.internal(reader))
    steps = fed(check, "and the keeper of the tower and the sea " * 20, 10)
    assert sentences_of(steps) == []
    assert steps[-1].n_tokens > 64


def test_the_json_form(reader: Reader) -> None:
    check = started(made.fused(made.internal(reader)))
    values = check.add(ANSWER).to_dict()
    assert list(values) == ["n_chars", "n_tokens", "sentences", "reads", "notes"]
    report = check.finish().to_dict()
    sentence = values["sentences"][0]
    assert sentence["text"] == "The lighthouse at Cape Arden was built in 1974."
    assert sentence["tokens"][0].keys() == report["tokens"][0].keys()


@pytest.mark.weights
@pytest.mark.parametrize("witness", ["both", "internal", "geometry", "cascade"])
def test_shipped_detectors_say_the_same_while_it_arrives(witness: Any) -> None:
    detector = Detector.load(witness=witness)
    answers = (
        ANSWER,
        "The lighthouse at Cape Arden was built in 1874.",
        "灯台は1974年に建てられた。犬は入れない。",
        "",
    )
    for answer in answers:
        for size in (3, 40):
            check = IncrementalCheck(detector, QUESTION, REFERENCES)
            fed(check, answer, size)
            assert_same_reports(check.finish(), detector.check(QUESTION, REFERENCES, answer))


@pytest.mark.weights
def test_a_wrong_year_is_found_at_the_end_of_its_sentence() -> None:
    check = IncrementalCheck(Detector.load(), QUESTION, REFERENCES, tokens_at_once=1)
    found = sentences_of(fed(check, ANSWER[:60], 4))
    (first,) = found
    assert first.state == "contradicted"
    assert [(span.text.rstrip("."), span.reasons) for span in first.spans] == [("1974", ("date",))]
    assert isinstance(Detector.load(witness="internal"), InternalDetector)
