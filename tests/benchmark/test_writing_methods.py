"""Self-consistency and prompted verification as methods: definitions, direction, what is kept, and who is asked."""

import math
import re
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from chat_server import ChatServer, said
from hypothesis import given
from hypothesis import strategies as st

from made_embedder import WordEmbedder
from ragcortex.benchmark import sample_disagreement
from ragcortex.benchmark.keyed_rows import KeyedRows
from ragcortex.benchmark.method import BenchmarkMethod, FoldData, MethodScores, Workbench, checked
from ragcortex.benchmark.methods.prompted import PromptedVerification
from ragcortex.benchmark.methods.self_consistency import SelfConsistency
from ragcortex.benchmark.sample_disagreement import embedding_scores, unigram_surprises
from ragcortex.benchmark.writers import ReaderWriter, SampleFile, Source
from ragcortex.errors import InputError, ReadingError
from ragcortex.example import Example, Reference
from ragcortex.readers.generation import Sampling
from ragcortex.readers.reader import Reader, ReaderOptions
from ragcortex.readers.reading import ReadingSpec
from ragcortex.readers.store import ReadingStore

NOTHING = FoldData(0, (), ())
PASSAGES = (Reference("The lighthouse was built in 1874."), Reference(" "), Reference("It stands 41 metres high."))
ANSWERS = (
    "The lighthouse was built in 1874. It stands 41 metres high.",
    "The lighthouse was built in 1874. Bananas grow in the museum.",
)
VARIANTS = ("unigram-max", "unigram-mean", "embedding", "prompt")


@pytest.fixture(autouse=True)
def word_embedder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sample_disagreement, "load_embedder", lambda *_, **__: WordEmbedder())


def bench_of(reader: Reader, folder: Path, examples: list[Example] | None = None, **fields: Any) -> Workbench:
    made = examples or [
        Example("When was it built?", PASSAGES, ANSWERS[0], id="0", group="a"),
        Example("How high is it?", PASSAGES, ANSWERS[1], id="1", group="b"),
        Example("When was it built?", PASSAGES, ANSWERS[1], id="2", group="a"),
    ]
    return Workbench(tuple(made), reader, ReadingStore(folder / "readings"), folder / "work", **fields)


def scores_of(method: BenchmarkMethod, bench: Workbench, indices: list[int]) -> list[MethodScores]:
    found = list(method.fit(bench, NOTHING).score(bench, indices))
    return [checked(one, method.card, len(bench.tokens(index))) for one, index in zip(found, indices, strict=True)]


def slow_unigram(sentences: list[str], samples: list[list[str]]) -> list[list[float]]:
    """Return −log p of each word, counting by hand; words are runs of letters and digits."""
    pieces = [*sentences, *(sentence for sample in samples for sentence in sample)]
    everything = [word for piece in pieces for word in re.findall(r"[a-z0-9]+", piece.lower())]
    found = []
    for sentence in sentences:
        words = re.findall(r"[a-z0-9]+", sentence.lower())
        found.append([-math.log(sum(other == word for other in everything) / len(everything)) for word in words])
    return found


SENTENCE = st.lists(st.sampled_from(["red", "Blue", "green", "1874"]), min_size=1, max_size=5).map(
    lambda words: "Now " + " ".join(words) + " there."
)


@given(st.lists(SENTENCE, min_size=1, max_size=4), st.lists(st.lists(SENTENCE, max_size=3), min_size=1, max_size=4))
def test_unigram_against_a_slow_plain_version(sentences: list[str], samples: list[list[str]]) -> None:
    got = unigram_surprises(sentences, [" ".join(sample) for sample in samples])
    for values, expected in zip(got, slow_unigram(sentences, samples), strict=True):
        np.testing.assert_allclose(values, expected, atol=1e-12)
    assert min(min(values) for values in got) >= 0


def test_unigram_by_hand() -> None:
    """Counts: red 1 + 3, hot 1, blue 1 of 6: −log 4/6 and −log 1/6."""
    (values,) = unigram_surprises(["Red hot."], ["red red", "RED blue", ""])
    assert values == pytest.approx([math.log(6 / 4), math.log(6)])


def test_embedding_scores_against_loops() -> None:
    random = np.random.default_rng(0)
    own, first, second = (random.normal(size=(n, 5)) for n in (3, 2, 4))
    own, first, second = (part / np.linalg.norm(part, axis=1, keepdims=True) for part in (own, first, second))
    got = embedding_scores(own, [first, second, first[:0]])
    for row, score in zip(own, got, strict=True):
        best = [max(float(row @ other) for other in sample) for sample in (first, second)]
        assert score == pytest.approx(1 - (best[0] + best[1] + 0.0) / 3)
    assert embedding_scores(own, [own])[0] == pytest.approx(0)


@pytest.mark.parametrize("variant", VARIANTS)
def test_a_sentence_in_no_sample_scores_higher_than_one_in_all(
    reader: Reader, server: ChatServer, tmp_path: Path, variant: Any
) -> None:
    """The writer says the references each time; «Bananas grow in the museum.» is in no sample."""

    def usual(text: str) -> Any:
        if "supported by the context" not in text:
            return said(ANSWERS[0])
        context, sentence = text.split("\n\nSentence: ")
        return said("Yes" if sentence.split("\n")[0] in context else "No")

    server.usual = usual
    method = SelfConsistency(variant=variant, n_samples=3, writer="endpoint", url=server.url, model="m")
    bench = bench_of(reader, tmp_path)
    grounded, _, wrong = scores_of(method, bench, [0, 1, 2])
    assert grounded.tokens is not None
    assert wrong.tokens is not None
    assert wrong.answer is not None
    assert grounded.answer is not None
    start = ANSWERS[1].index("Bananas")
    in_sentence = np.array([stop > start for _, stop in bench.tokens(2).ranges])
    assert wrong.tokens[in_sentence].min() > wrong.tokens[~in_sentence].max()
    assert wrong.answer > grounded.answer
    # The answer's score is the mean of its two sentences'.
    assert wrong.answer == pytest.approx((wrong.tokens[0] + wrong.tokens[-1]) / 2)
    assert method.spec(reader) == ReadingSpec()
    assert method.card.scale == ("probability" if variant == "prompt" else "any")


def test_answers_to_one_source_share_samples_and_a_second_run_costs_nothing(
    reader: Reader, server: ChatServer, tmp_path: Path
) -> None:
    server.usual = lambda text: said("Yes." if "Answer Yes or No" in text else "Built in 1874.")
    options: dict[str, Any] = {"n_samples": 4, "writer": "endpoint", "url": server.url, "model": "m"}
    first = [
        scores_of(SelfConsistency(variant=variant, **options), bench_of(reader, tmp_path), [0, 1, 2])
        for variant in ("unigram-max", "embedding", "prompt")
    ]
    written = [request for request in server.requests if "Answer Yes" not in request["messages"][0]["content"]]
    assert len(written) == 2 * 4
    assert len({request["seed"] for request in written}) == 8
    assert {request["messages"][0]["content"] for request in written} == {
        f"{question}\n\nThe lighthouse was built in 1874.\n\nIt stands 41 metres high."
        for question in ("When was it built?", "How high is it?")
    }
    n = len(server.requests)
    again = [
        scores_of(SelfConsistency(variant=variant, **options), bench_of(reader, tmp_path), [2, 1, 0])[::-1]
        for variant in ("unigram-max", "embedding", "prompt")
    ]
    assert len(server.requests) == n
    for one, other in zip((o for row in first for o in row), (o for row in again for o in row), strict=True):
        np.testing.assert_array_equal(one.tokens, other.tokens)
        assert one.answer == other.answer
    scores_of(SelfConsistency(**options), bench_of(reader, tmp_path, seed=1), [0])
    scores_of(SelfConsistency(**{**options, "temperature": 0.5}), bench_of(reader, tmp_path), [0])
    assert len(server.requests) == n + 8


def test_samples_are_kept_as_soon_as_they_are_written(reader: Reader, server: ChatServer, tmp_path: Path) -> None:
    """The endpoint fails at the second source: the first is not asked again."""
    server.replies = [said("One.")] * 2 + [(400, b"broken", {})] * 2
    options: dict[str, Any] = {"n_samples": 2, "writer": "endpoint", "url": server.url, "model": "m"}
    with pytest.raises(Exception, match="broken"):
        scores_of(SelfConsistency(**options), bench_of(reader, tmp_path), [0, 1])
    n = len(server.requests)
    scores_of(SelfConsistency(**options), bench_of(reader, tmp_path), [0, 1])
    assert len(server.requests) == n + 2


@pytest.mark.parametrize("variant", VARIANTS)
def test_the_reader_writes_and_is_asked(reader: Reader, tmp_path: Path, variant: Any) -> None:
    method = SelfConsistency(variant=variant, n_samples=2, max_new_tokens=12)
    lines: list[str] = []
    first = scores_of(method, bench_of(reader, tmp_path, report=lines.append), [1, 0])
    assert lines == [f"{method.card.name}: {number} of 2 sources" for number in (1, 2)]
    rows = KeyedRows(tmp_path / "work" / "self-consistency" / "samples.jsonl")
    assert len(rows) == 2
    # In other company, from nothing: the same samples and scores.
    other = scores_of(method, bench_of(reader, tmp_path / "other"), [0])[0]
    np.testing.assert_allclose(np.asarray(other.tokens), np.asarray(first[1].tokens), atol=1e-4)


def test_references_beyond_the_window_have_samples_in_every_window(reader: Reader, tmp_path: Path) -> None:
    short = Reader(reader.loaded, options=ReaderOptions(window=256))
    passages = tuple(f"Passage {number} says that {number} ships passed the lighthouse." for number in range(30))
    file = SampleFile(ReaderWriter(short), 2, Sampling(max_new_tokens=8), 0, KeyedRows(tmp_path / "s.jsonl"))
    source = Source("How many ships?", passages)
    (samples,) = file.of([source])
    assert len(samples) == len(short.prompter.windows("How many ships?", passages, 248)) > 3
    assert {len(window) for window in samples} == {2}
    # The window that agrees best counts: no score is above that of any window alone.
    example = Example("How many ships?", tuple(map(Reference, passages)), "Three ships passed. It was night.")
    bench = bench_of(short, tmp_path, [example])
    method = SelfConsistency(n_samples=2, max_new_tokens=8)
    (scores,) = scores_of(method, bench, [0])
    each = [
        [max(values) for values in unigram_surprises(["Three ships passed.", "It was night."], [w.text for w in one])]
        for one in samples
    ]
    assert scores.answer == pytest.approx(np.min(each, axis=0).mean())


def test_prompted_verification_of_an_endpoint(reader: Reader, server: ChatServer, tmp_path: Path) -> None:
    """Direction: what the references hold word for word is supported, the banana is not."""

    def usual(text: str) -> Any:
        evidence, asked = text.split("\n\nQuestion: ")
        claim = re.split(r"(?:Sentence|Answer): ", asked)[1].split("\n")[0]
        return said("Yes" if claim in evidence else "No")

    server.usual = usual
    bench = bench_of(reader, tmp_path)
    method = PromptedVerification(writer="endpoint", url=server.url, model="m")
    _, wrong = scores_of(method, bench, [0, 2])
    start = ANSWERS[1].index("Bananas")
    expected = [float(stop > start) for _, stop in bench.tokens(2).ranges]
    assert wrong.tokens is not None
    assert wrong.tokens.tolist() == expected
    assert wrong.answer == 1.0
    counts = Counter("Answer: " in message for message in server.messages)
    assert counts == {False: 3, True: 2}  # the sentence both answers hold is asked once
    scores_of(method, bench, [2, 0])
    assert len(server.requests) == 5
    assert (method.card.training, method.card.scale, method.card.level) == ("none", "probability", "sentence")


def test_prompted_verification_of_the_reader(reader: Reader, tmp_path: Path) -> None:
    method = PromptedVerification()
    together = scores_of(method, bench_of(reader, tmp_path), [0, 1, 2])
    alone = [scores_of(method, bench_of(reader, tmp_path / str(index)), [index])[0] for index in range(3)]
    for one, other in zip(together, alone, strict=True):
        np.testing.assert_allclose(np.asarray(one.tokens), np.asarray(other.tokens), atol=1e-4)
        assert one.answer == pytest.approx(other.answer, abs=1e-4)
    assert len(KeyedRows(tmp_path / "work" / "prompted-verification" / "judgements.jsonl")) == 3 + 2 + 2 + 1


def test_no_guess_where_nothing_usable_was_said(reader: Reader, server: ChatServer, tmp_path: Path) -> None:
    server.usual = lambda text: said("Perhaps." if "Bananas" in text else "Yes")
    bench = bench_of(reader, tmp_path)
    options: dict[str, Any] = {"writer": "endpoint", "url": server.url, "model": "m"}
    with pytest.raises(ReadingError) as caught:
        scores_of(PromptedVerification(**options), bench, [0, 2])
    path = tmp_path / "work" / "prompted-verification" / "judgements.jsonl"
    assert str(caught.value) == (
        "prompted-verification: 2 of 6 questions got no usable Yes or No, the first 'Perhaps.'; all are kept in "
        f"{str(path)!r}. Run again to ask only these again, or set the option unparsable to 'half' to score them 0.5"
    )
    fitted = PromptedVerification(**options, unparsable="half").fit(bench, NOTHING)
    scores = list(fitted.score(bench, [0, 2]))
    assert scores[1].answer == 0.5
    assert fitted.choices["n_unanswered"] == 2


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: SelfConsistency(variant="bertscore"),  # type: ignore[arg-type]
         "variant: must be one of unigram-max, unigram-mean, embedding, prompt, got 'bertscore'"),
        (lambda: SelfConsistency(writer="me"),  # type: ignore[arg-type]
         "writer: must be one of reader, endpoint, got 'me'"),
        (lambda: SelfConsistency(n_samples=0), "n_samples: must be a whole number from 1 on, got 0"),
        (lambda: SelfConsistency(top_p=2), "top_p: must be a number in (0, 1], got 2"),
        (lambda: PromptedVerification(unparsable="skip"),  # type: ignore[arg-type]
         "unparsable: must be one of error, half, got 'skip'"),
    ],
)  # fmt: skip
def test_options_are_checked(make: Any, message: str) -> None:
    with pytest.raises(InputError) as caught:
        make()
    assert str(caught.value) == message


def test_answers_that_nothing_can_be_asked_of_are_refused(reader: Reader, tmp_path: Path) -> None:
    for example, message in (
        (Example(None, (Reference(" "),), "a", id="7"),
         "references: of example '7' are all blank, so nothing can be asked of them"),
        (Example(None, (Reference("a"),), " ", id="8"), "answer: is blank, so there is nothing to score"),
    ):  # fmt: skip
        with pytest.raises(InputError) as caught:
            scores_of(PromptedVerification(), bench_of(reader, tmp_path, [example]), [0])
        assert str(caught.value) == message


@pytest.mark.weights
def test_real_weights(tmp_path: Path) -> None:
    """The embedded reader, weak as it is, writes about its source and answers Yes or No rather than anything else."""
    reader = Reader.load(device="cpu", dtype="float32")
    bench = bench_of(reader, tmp_path)
    method = SelfConsistency(variant="unigram-mean", n_samples=3, temperature=0.3, max_new_tokens=40)
    (scores,) = scores_of(method, bench, [2])
    assert scores.tokens is not None
    assert scores.tokens[-1] > scores.tokens[0]  # the bananas and the year
    rows = KeyedRows(tmp_path / "work" / "self-consistency" / "samples.jsonl")
    texts = [one["text"] for row in rows._rows.values() for one in row["windows"][0]]
    assert any("1874" in text for text in texts)
    judged = scores_of(PromptedVerification(), bench, [2, 0])
    assert all(0.02 < float(one.answer or 0) < 0.98 for one in judged)
