"""Methods over measures: direction and chance on made readings, windows and pieces, choices, and a real reader."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from planted_measures import N_HEADS, TELLING_HEAD, TELLING_LAYER, MeasuredStore
from planted_readings import halves, planted_answers, planted_bench, pooled
from sklearn.metrics import roc_auc_score

from labelled_sources import labelled_sources
from ragcortex.benchmark.method import BenchmarkMethod, FoldData, MethodScores, Workbench, checked
from ragcortex.benchmark.methods.icr import ICRProbe
from ragcortex.benchmark.methods.llm_check import LLMCheckAttention, LLMCheckHidden, LLMCheckLogit
from ragcortex.benchmark.methods.lookback import LookbackLens
from ragcortex.benchmark.methods.lumina import LUMINA, with_other_documents
from ragcortex.benchmark.methods.redeep import ReDeEP
from ragcortex.benchmark.methods.windows import by_window, lowest, measure
from ragcortex.detectors.scoring import combine_blocks
from ragcortex.errors import InputError, ReadingError, TrainingError
from ragcortex.example import Example, Reference, Span
from ragcortex.readers.reader import Reader, ReaderOptions
from ragcortex.readers.reading import ReadingSpec
from ragcortex.readers.store import ReadingStore

TOKEN_METHODS: dict[str, Any] = {
    "lookback-lens": lambda: LookbackLens(width=1),
    "icr-probe": lambda: ICRProbe(n_epochs=15),
    "llm-check-attention": LLMCheckAttention,
    "llm-check-entropy": LLMCheckLogit,
    "llm-check-perplexity": lambda: LLMCheckLogit("perplexity"),
    "llm-check-window-entropy": lambda: LLMCheckLogit("window-entropy", 2),
    "redeep": ReDeEP,
    "lumina": LUMINA,
}
TABLE = np.eye(5, dtype=np.float32)


@pytest.fixture(autouse=True)
def made_embeddings(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Made readings have no model: their token embeddings are unit vectors."""
    if "real_reader" not in request.node.name:
        monkeypatch.setattr("ragcortex.benchmark.methods.lumina.input_embeddings", lambda _reader, ids: TABLE[ids])


def fitted_on(
    folder: Path, method: BenchmarkMethod, examples: Sequence[Example], **store: Any
) -> tuple[Workbench, list[int], Any]:
    answers = [
        replace(example, references=(Reference(f"Passage {number}."),)) for number, example in enumerate(examples)
    ]
    bench = planted_bench(folder, answers, MeasuredStore(**store))
    fold, test = halves(answers)
    return bench, test, method.fit(bench, fold)


def scores_of(bench: Workbench, test: list[int], method: BenchmarkMethod, fitted: Any) -> list[MethodScores]:
    scores = list(fitted.score(bench, test))
    return [checked(one, method.card, len(bench.tokens(i))) for i, one in zip(test, scores, strict=True)]


@pytest.mark.parametrize("name", TOKEN_METHODS)
def test_planted_tokens_and_answers_are_ranked_higher(name: str, tmp_path: Path) -> None:
    method = TOKEN_METHODS[name]()
    bench, test, fitted = fitted_on(tmp_path, method, planted_answers(120))
    scores = scores_of(bench, test, method, fitted)
    assert roc_auc_score(*pooled(bench, test, scores)) > 0.95
    if scores[0].answer is not None:
        assert roc_auc_score(bench.answer_labels(test), [one.answer for one in scores]) > 0.9


def test_choices_name_what_was_planted(tmp_path: Path) -> None:
    examples = planted_answers(120)
    attention = fitted_on(tmp_path, LLMCheckAttention(), examples)[2]
    assert attention.choices["layer"] == TELLING_LAYER + 1
    assert set(attention.choices["validation_auroc_by_layer"]) == {"1", "2", "3", "4"}
    redeep = fitted_on(tmp_path, ReDeEP(), examples)[2]
    assert redeep.choices["heads"][0] == TELLING_LAYER * N_HEADS + TELLING_HEAD
    assert redeep.choices["layers"][0] == TELLING_LAYER + 1
    assert redeep.choices["validation_auroc"] > 0.95


def test_hidden_score_is_of_answers_and_chooses_its_layer(tmp_path: Path) -> None:
    """Planted tokens are shifted along one direction at layer 2: the answer's states spread more."""
    method = LLMCheckHidden(layers=(1, 2, 3))
    bench, test, fitted = fitted_on(tmp_path, method, planted_answers(120))
    scores = scores_of(bench, test, method, fitted)
    assert all(one.tokens is None for one in scores)
    assert roc_auc_score(bench.answer_labels(test), [one.answer for one in scores]) > 0.7
    assert fitted.choices["layer"] == 2


def test_direction_can_be_the_notebooks(tmp_path: Path) -> None:
    examples = planted_answers(60)
    bench, test, paper = fitted_on(tmp_path, LLMCheckAttention(layers=(3,)), examples)
    released = fitted_on(tmp_path, LLMCheckAttention(layers=(3,), larger_is_hallucinated=False), examples)[2]
    for one, other in zip(paper.score(bench, test), released.score(bench, test), strict=True):
        assert one.tokens is not None
        assert other.tokens is not None
        np.testing.assert_allclose(one.tokens, -other.tokens)


@pytest.mark.parametrize("name", [name for name in TOKEN_METHODS if name != "lumina"])
def test_windows_and_pieces(name: str, tmp_path: Path) -> None:
    """A word that a later window grounds scores low; the pieces of an answer leave no seam."""
    method = TOKEN_METHODS[name]()
    bench, test, fitted = fitted_on(
        tmp_path, method, planted_answers(120), n_windows=2, n_pieces=3, grounded_later=("zz0",)
    )
    if name in ("llm-check-perplexity", "llm-check-window-entropy"):
        assert len(scores_of(bench, test, method, fitted)) == len(test)
    grounded, invented = [], []
    for index, one in zip(test, scores_of(bench, test, method, fitted), strict=True):
        tokens = bench.tokens(index)
        assert one.tokens is not None
        for (start, end), score in zip(tokens.ranges, one.tokens, strict=True):
            word = tokens.text[start:end].strip()
            (invented if word in ("zz1", "zz2") else grounded if word == "zz0" else []).append(score)
    assert np.median(invented) > np.median(grounded)


def test_the_rule_of_windows_is_combine_blocks(tmp_path: Path) -> None:
    store = MeasuredStore(n_windows=3, n_pieces=3, grounded_later=("zz0",))
    bench = planted_bench(tmp_path, planted_answers(4), store)
    for reading in bench.readings([0, 1, 2, 3], ReadingSpec(measures=("top_entropy",))):
        values = measure("top_entropy")
        below_one = [values(block).astype(np.float64) / 2 for block in reading.blocks]
        expected = combine_blocks(reading.blocks, below_one, len(reading.tokens))
        np.testing.assert_array_equal(lowest([w / 2 for w in by_window(reading, values)]), expected)
        # Scores of any scale are as they are, above 1 too.
        np.testing.assert_allclose(lowest([w + 5 for w in by_window(reading, values)]), 2 * expected + 5, atol=1e-6)


def test_other_documents_are_of_another_source_and_decided_by_seed() -> None:
    examples = [
        Example("Q?", (Reference(f"Passage of {group}."),), f"Answer {n}.", id=str(n), label=0, group=group)
        for n, group in enumerate("aabbcc")
    ]
    first = with_other_documents(examples, [0, 3, 5], seed=1)
    assert first == with_other_documents(examples, [0, 3, 5], seed=1)
    assert with_other_documents(examples, [5], seed=1)[0] == first[2], "whatever else is asked for"
    for index, other in zip([0, 3, 5], first, strict=True):
        assert other.references != examples[index].references
        assert (other.question, other.answer) == (examples[index].question, examples[index].answer)
        assert (other.label, other.spans) == (None, None)
    drawn = {with_other_documents(examples, [0], seed)[0].references[0].text for seed in range(20)}
    assert drawn == {"Passage of b.", "Passage of c."}


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (lambda: LookbackLens(0), InputError, "width: must be at least 1 token, got 0"),
        (lambda: LUMINA(2.0), InputError, "weight: must lie in [0, 1], got 2.0"),
        (lambda: ReDeEP(n_heads=()), InputError, "n_heads: must be one or more positive numbers, got ()"),
        (
            lambda: LLMCheckLogit("top"),  # type: ignore[arg-type]
            InputError,
            "kind: must be perplexity, entropy or window-entropy, got 'top'",
        ),
        (lambda: LLMCheckLogit(width=0), InputError, "width: must be at least 1 token, got 0"),
        (
            lambda: with_other_documents([Example("Q?", (Reference("R."),), "A.", group="a")] * 2, [0], 0),
            InputError,
            "group: is the same for every answer, so no other source's references can be drawn",
        ),
    ],
)
def test_what_cannot_be_is_refused(make: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error) as caught:
        make()
    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("method", "message"),
    [
        (LookbackLens(), "the training tokens need both labels 0 and 1 for a logistic regression"),
        (ReDeEP(), "the training tokens need both labels 0 and 1, got [0]"),
    ],
)
def test_training_needs_both_labels(method: BenchmarkMethod, message: str, tmp_path: Path) -> None:
    grounded = planted_answers(24)[::2]
    with pytest.raises(TrainingError) as caught:
        fitted_on(tmp_path, method, grounded)
    assert str(caught.value) == message


def test_layers_the_reader_lacks_and_measures_not_read_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        fitted_on(tmp_path, LLMCheckAttention(layers=(9,)), planted_answers(24))
    assert str(caught.value) == "layers: must be 1 to 4 for this reader, got (9,)"
    with pytest.raises(InputError) as caught:
        fitted_on(tmp_path, LLMCheckHidden(layers=(9,)), planted_answers(24))
    assert str(caught.value) == "layers: must be 0 to 4 for this reader, got (9,)"
    bench = planted_bench(tmp_path, planted_answers(1), MeasuredStore())
    (reading,) = bench.readings([0], ReadingSpec())
    with pytest.raises(ReadingError) as caught_reading:
        by_window(reading, measure("icr"))
    assert str(caught_reading.value) == "the reading holds no measure 'icr'; read it with a spec that names it"


def lengthened(example: Example) -> Example:
    """Return the answer three times over, and references that fill several windows of 256 tokens."""
    assert example.spans is not None
    n = len(example.answer) + 1
    spans = tuple(Span(s.start + n * turn, s.end + n * turn) for turn in range(3) for s in example.spans)
    references = tuple(Reference(" ".join([reference.text] * 4)) for reference in example.references)
    return replace(example, answer=" ".join([example.answer] * 3), spans=spans, references=references)


@pytest.mark.parametrize("long", [False, True], ids=["short", "long"])
def test_a_real_reader_end_to_end(long: bool, tiny_reader_folder: Path, tmp_path: Path) -> None:
    """Every method fits and scores with a reader, inputs longer than its window too; a second run is the same."""
    reader = Reader.load(str(tiny_reader_folder), options=ReaderOptions(window=256 if long else None))
    examples = labelled_sources(5)
    bench = Workbench(
        tuple(map(lengthened, examples) if long else examples), reader, ReadingStore(tmp_path / "readings"), tmp_path
    )
    fold = FoldData(0, tuple(range(6)), tuple(range(6, 9)))
    (reading,) = bench.readings([11], ReadingSpec(measures=("icr", "top_tokens")))
    assert (reading.n_windows > 1, reading.n_pieces > 1) == (long, long)
    methods = [LookbackLens(), ICRProbe(2), LLMCheckHidden(), LLMCheckAttention(), LLMCheckLogit(), ReDeEP(), LUMINA()]
    for method in methods:
        runs = []
        for _ in range(2):
            fitted = method.fit(bench, fold)
            indices = list(range(10, 12))
            runs.append(scores_of(bench, indices, method, fitted))
        for one, again in zip(*runs, strict=True):
            np.testing.assert_array_equal(one.tokens, again.tokens)
            assert one.answer == again.answer
