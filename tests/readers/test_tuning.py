"""Fine-tuning: the loss and its gradient, where labels land, what is learnt and kept, and what is refused."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from planted_answers import INVENTED, planted_answers, with_opposite_spans
from sklearn.metrics import average_precision_score

from ragcortex.errors import InputError, ModelError, TrainingError
from ragcortex.example import Example, Reference, Span
from ragcortex.readers._hf import decoder
from ragcortex.readers.adapter import LowRank, trained
from ragcortex.readers.prefix_groups import prefix_groups
from ragcortex.readers.reader import Reader, ReaderOptions
from ragcortex.readers.token_classifier import ClassifierForm, TokenClassifier
from ragcortex.readers.tuning import _rate_factor, labels_of, tune, weighted_loss
from ragcortex.readers.tuning_options import TuningOptions

EXACT = ClassifierForm(precision="float32")
QUICK = TuningOptions(EXACT, learning_rate=2e-3, head_learning_rate=2e-2, n_epochs=4)


@pytest.fixture(scope="module")
def reader(tiny_reader_folder: Path) -> Reader:
    return Reader.load(str(tiny_reader_folder))


def _with_random_head(classifier: TokenClassifier, seed: int = 3) -> TokenClassifier:
    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        classifier.head.weight.copy_(torch.randn(classifier.head.weight.shape, generator=generator))
    return classifier


def _ap(scores: list[Any], labels: list[Any]) -> float:
    return float(average_precision_score(np.concatenate(labels), np.concatenate(scores)))


def _plain_loss(classifier: TokenClassifier, examples: list[Example], positive_weight: float) -> torch.Tensor:
    """Return the summed loss by its definition: one answer at a time, one token at a time, from the prompt's text."""
    reader, total = classifier.reader, torch.zeros(())
    for example in examples:
        prefix = reader.prompter.prefix(example.question, [one.text for one in example.references]).ids
        tokens = reader.tokenize(example.answer)
        states = classifier.stack(input_ids=torch.tensor([[*prefix, *tokens.ids]])).last_hidden_state[0]
        for index, (start, end) in enumerate(tokens.ranges):
            logit = states[len(prefix) + index] @ classifier.head.weight[0] + classifier.head.bias[0]
            text = example.answer[start:end]
            inner = range(start + len(text) - len(text.lstrip()), end) or range(start, end)
            wrong = any(span.start <= position < span.end for span in example.spans or () for position in inner)
            total = total - (
                positive_weight * torch.nn.functional.logsigmoid(logit)
                if wrong
                else torch.nn.functional.logsigmoid(-logit)
            )
    return total


def _gradients(classifier: TokenClassifier, loss: torch.Tensor) -> dict[str, torch.Tensor]:
    classifier.stack.zero_grad()
    classifier.head.zero_grad()
    loss.backward()
    weights = {**dict(classifier.stack.named_parameters()), **dict(classifier.head.named_parameters())}
    return {name: weight.grad.clone() for name, weight in weights.items()}


def test_packed_loss_and_gradient_are_those_of_the_definition(reader: Reader) -> None:
    examples = planted_answers(2)
    classifier = _with_random_head(TokenClassifier.untrained(reader, EXACT))
    labels, groups = labels_of(reader, examples), prefix_groups(reader, examples, 2048)
    assert [len(group.parts) for group in groups] == [3, 3]
    expected = _plain_loss(classifier, examples, 2.5)
    plain = _gradients(classifier, expected)
    for parts in (groups, [single for group in groups for single in group.singles()]):
        losses = [weighted_loss(classifier, group, labels, 2.5) for group in parts]
        loss = torch.stack([one for one, _ in losses]).sum()
        assert float(loss.detach()) == pytest.approx(float(expected.detach()), rel=1e-5)
        assert sum(weight for _, weight in losses) == sum(float(np.where(row == 1, 2.5, 1).sum()) for row in labels)
        for name, gradient in _gradients(classifier, loss).items():
            scale = float(plain[name].abs().max())
            np.testing.assert_allclose(gradient / scale, plain[name] / scale, atol=1e-4, rtol=0, err_msg=name)


def test_labels_land_on_the_tokens_of_the_spans_and_on_nothing_else(reader: Reader) -> None:
    examples = planted_answers(2)
    for example, labels in zip(examples, labels_of(reader, examples), strict=True):
        tokens = reader.tokenize(example.answer)
        marked = "".join(
            example.answer[start:end] for (start, end), label in zip(tokens.ranges, labels, strict=True) if label
        )
        assert marked.strip() == (INVENTED.strip() if example.spans else "")
    group = prefix_groups(reader, examples, 2048)[0]
    classifier = TokenClassifier.untrained(reader, EXACT)
    assert [len(one) for one in classifier.logits(group)] == [len(reader.tokenize(one.answer)) for one in examples[:3]]
    assert group.n_decided == sum(len(reader.tokenize(one.answer)) for one in examples[:3])


def test_windows_give_a_token_its_lowest_score_and_pieces_decide_each_token_once(tiny_reader_folder: Path) -> None:
    reader = Reader.load(str(tiny_reader_folder), options=ReaderOptions(window=256))
    long = Example(
        "Where?",
        (Reference("The lighthouse stands above the sea. " * 30),),
        "It is by the sea. " * 20,
        spans=(Span(3, 300),),
    )
    classifier = _with_random_head(TokenClassifier.untrained(reader, EXACT))
    (group,) = prefix_groups(reader, [long], 1 << 20)
    (scores,) = classifier.scores([long])
    for part in group.parts:
        windows = []
        for prefix in group.prefixes:
            with torch.no_grad():
                states = classifier.stack(input_ids=torch.tensor([[*prefix, *part.ids]])).last_hidden_state[0]
                windows.append(torch.sigmoid(classifier.head(states[len(prefix) :])[:, 0]).numpy())
        expected = np.min(windows, axis=0)[part.keep - part.start :]
        np.testing.assert_allclose(scores[part.keep : part.stop], expected, atol=1e-5)
    loss, weight = weighted_loss(classifier, group, labels_of(reader, [long]), 1.0)
    truth = labels_of(reader, [long])[0]
    assert weight == len(truth)
    by_hand = -np.log(np.where(truth == 1, scores, 1 - scores)).sum()
    assert float(loss.detach()) == pytest.approx(by_hand, rel=1e-4)


@pytest.mark.parametrize(
    "form", [EXACT, ClassifierForm(), ClassifierForm(weights="adapter"), replace(EXACT, depth=2)], ids=str
)
def test_a_planted_pattern_is_learnt_and_the_reader_is_left_alone(reader: Reader, form: ClassifierForm) -> None:
    examples, unseen = planted_answers(6), planted_answers(2, first=20)
    before = {name: weight.clone() for name, weight in reader.loaded.model.named_parameters()}
    lines: list[str] = []
    rate = 1e-2 if form.weights == "adapter" else 2e-3
    options = replace(QUICK, form=form, n_epochs=8, learning_rate=rate)
    tuned = tune(reader, examples, options, report=lines.append)
    assert tuned.chosen == 8
    assert tuned.validation_ap is None
    assert tuned.epochs[-1].loss < 0.5 * tuned.epochs[0].loss
    assert _ap(tuned.classifier.scores(examples), labels_of(reader, examples)) > 0.95
    scores, labels = tuned.classifier.scores(unseen), labels_of(reader, unseen)
    assert _ap(scores, labels) > 0.65, "the first tokens of what is invented cannot be told by a causal reader"
    assert (
        np.concatenate(scores)[np.concatenate(labels) == 1].mean()
        > 0.5
        > np.concatenate(scores)[np.concatenate(labels) == 0].mean()
    )
    assert all(row.dtype == np.float64 and ((row >= 0) & (row <= 1)).all() for row in scores)
    assert all(torch.equal(weight, before[name]) for name, weight in reader.loaded.model.named_parameters())
    assert lines[-1].startswith("epoch 8 of 8 done: loss 0.")
    assert sum("epoch 3 of 8" in line for line in lines) == 3


def test_same_seed_same_weights_and_packing_changes_nothing(reader: Reader) -> None:
    examples = planted_answers(5)
    options = replace(QUICK, n_epochs=2, positive_weight=None)
    first, again = (tune(reader, examples, options).classifier.arrays() for _ in range(2))
    assert all(np.array_equal(first[name], again[name]) for name in first)
    single = tune(reader, examples, replace(options, form=replace(EXACT, pack=False))).classifier
    packed = tune(reader, examples, options).classifier
    for one, other in zip(packed.scores(examples), single.scores(examples), strict=True):
        np.testing.assert_allclose(one, other, atol=2e-3)
    other = tune(reader, examples, replace(options, seed=1)).classifier.arrays()
    assert not np.array_equal(first["head.weight"], other["head.weight"])


def test_the_best_epoch_on_validation_answers_is_kept_and_patience_ends_the_run(reader: Reader) -> None:
    examples = planted_answers(6)
    misled = [with_opposite_spans(one) for one in planted_answers(2, first=20) if one.spans]
    options = replace(QUICK, n_epochs=5, patience=1)
    tuned = tune(reader, examples, options, validation=misled)
    precisions = [epoch.validation_ap for epoch in tuned.epochs]
    assert len(tuned.epochs) < 5, "what is learnt is the opposite of the validation labels, so the run ends early"
    assert tuned.chosen == len(tuned.epochs) - 1
    assert tuned.validation_ap == max(value for value in precisions if value is not None)
    assert _ap(tuned.classifier.scores(misled), labels_of(reader, misled)) == pytest.approx(
        tuned.validation_ap, abs=1e-12
    )
    grounded = [one for one in planted_answers(2, first=20) if not one.spans]
    one_class = tune(reader, examples, replace(options, n_epochs=2), validation=grounded)
    assert [epoch.validation_ap for epoch in one_class.epochs] == [None, None]
    assert one_class.chosen == 2


def test_balanced_classes_start_the_head_at_even_odds(reader: Reader) -> None:
    tiny = replace(QUICK, n_epochs=1, learning_rate=1e-9, head_learning_rate=1e-9)
    examples = planted_answers(2)
    rate = float(np.concatenate(labels_of(reader, examples)).mean())
    for options, expected in ((tiny, rate), (replace(tiny, positive_weight=None), 0.5)):
        scores = np.concatenate(tune(reader, examples, options).classifier.scores(examples))
        np.testing.assert_allclose(scores, expected, atol=1e-5)


def test_the_rate_rises_over_the_warm_up_and_falls_to_nothing() -> None:
    assert [_rate_factor(step, 5, 0.4) for step in range(1, 6)] == [0.5, 1.0, 0.75, 0.5, 0.25]
    assert [_rate_factor(step, 4, 0.0) for step in range(1, 5)] == [1.0, 0.75, 0.5, 0.25]
    assert _rate_factor(1, 1, 0.1) == 1.0


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ("learning_rate", 0.0, "learning_rate: must be a finite number greater than 0, got 0.0"),
        ("positive_weight", -1.0, "positive_weight: must be a finite number greater than 0, got -1.0"),
        ("n_epochs", 0, "n_epochs: must be at least 1, got 0"),
        ("warmup", 1.0, "warmup: must lie in [0, 1), got 1.0"),
        ("weight_decay", -0.1, "weight_decay: must be a finite number from 0 on, got -0.1"),
    ],
)
def test_options_out_of_range(field: str, value: float, message: str) -> None:
    with pytest.raises(InputError) as error:
        replace(QUICK, **{field: value})
    assert str(error.value) == message


@pytest.mark.parametrize(
    ("kind", "values", "message"),
    [
        (ClassifierForm, {"weights": "half"}, "weights: must be full or adapter, got 'half'"),
        (ClassifierForm, {"precision": "float16"}, "precision: must be bfloat16 or float32, got 'float16'"),
        (ClassifierForm, {"depth": 0}, "depth: must be at least 1 layer, got 0"),
        (ClassifierForm, {"max_tokens": 0}, "max_tokens: must be at least 1, got 0"),
        (LowRank, {"rank": 0}, "rank: must be at least 1, got 0"),
        (LowRank, {"alpha": 0}, "alpha: must be at least 1, got 0"),
        (LowRank, {"dropout": 1.0}, "dropout: must lie in [0, 1), got 1.0"),
    ],
)
def test_forms_out_of_range(kind: Any, values: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError) as error:
        kind(**values)
    assert str(error.value) == message


def test_data_that_cannot_train(reader: Reader) -> None:
    grounded = [one for one in planted_answers() if not one.spans]
    n_tokens = sum(len(reader.tokenize(one.answer)) for one in grounded)
    with pytest.raises(TrainingError) as error:
        tune(reader, grounded, QUICK)
    assert str(error.value) == (
        f"training a token classifier needs hallucinated and grounded tokens, got 0 and {n_tokens}"
    )
    unknown = Example("Where?", (Reference("By the sea."),), "By the sea.", id="x", label=1)
    with pytest.raises(TrainingError) as error:
        tune(reader, [unknown], QUICK)
    assert str(error.value) == "example 'x' has no known spans, so its tokens have no labels"
    with pytest.raises(InputError) as refused:
        tune(reader, planted_answers(), replace(QUICK, form=ClassifierForm(depth=9)))
    assert str(refused.value) == "depth: must be at most 4, the reader's layers, got 9"


def test_a_loss_that_is_not_finite_ends_training(reader: Reader) -> None:
    with pytest.raises(TrainingError) as error:
        tune(reader, planted_answers(), replace(QUICK, learning_rate=1e30, warmup=0.0))
    assert str(error.value) == ("the loss or its gradient is no longer finite; use a lower learning rate, or float32")


def test_an_adapter_without_peft_is_refused_by_name(reader: Reader, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "peft", None)
    with pytest.raises(ModelError) as error:
        TokenClassifier.untrained(reader, ClassifierForm(weights="adapter"))
    assert str(error.value) == "training an adapter needs peft; install it with `pip install 'ragcortex[tuning]'`"


def test_full_tuning_trains_every_weight_and_an_adapter_none_of_the_readers(reader: Reader) -> None:
    full = TokenClassifier.untrained(reader, ClassifierForm())
    assert trained(full.stack).keys() == dict(decoder(reader.loaded.model).named_parameters()).keys()
    adapter = TokenClassifier.untrained(reader, ClassifierForm(weights="adapter"))
    assert all("lora_" in name and weight.dtype == torch.float32 for name, weight in trained(adapter.stack).items())
    shared = {weight.data_ptr() for weight in decoder(reader.loaded.model).parameters()}
    assert shared <= {weight.data_ptr() for weight in adapter.stack.parameters()}, "an adapter copies no weights"
