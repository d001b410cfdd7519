"""The card of a detector, as Markdown: what it is, what it was made from, how good it is, and what it cannot do."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from ragcortex.bundle import Bundle, FittedHead
from ragcortex.detectors.recipes import recipes
from ragcortex.rendering.inert import inert_line
from ragcortex.smoothing import Smoothing

_LIMITS: Final = (
    "It compares an answer with its references only. What is true but not in the references is marked; what is wrong "
    "in the references is not.",
    "A score is a rank, not a probability that a word is false: act on the verdict only where the thresholds come from "
    "answers like yours.",
    "It is as good in a language as its reader is, and was measured only on the data named above.",
    "Answers of a kind that the training data lacks (code, tables, very long answers) were not measured.",
)

# Facts of a training run that have a sentence of their own; any other is listed as it is.
_SAID: Final = (
    "data", "n_examples", "n_hallucinated", "n_by_task", "files", "left_out", "licences", "seed", "n_seeds",
    "validation_ap_by_layer",
)  # fmt: skip


def card(bundle: Bundle) -> str:
    """Return the card: headings, lists and one code block; text of others is made inert and kept on its line."""
    sections = (
        (f"# {inert_line(bundle.name)}", [_introduction(bundle)]),
        ("## What it reads", _items(_reading(bundle))),
        ("## Data and licences", _items(_data(bundle.training))),
        ("## Choices", _items(_choices(bundle))),
        ("## Thresholds", _items(_thresholds(bundle))),
        ("## Measured", _items(_measured(bundle))),
        ("## Limits", _items(_LIMITS)),
        ("## Use", _use(bundle)),
    )
    return "\n\n".join("\n".join((heading, "", *lines)) for heading, lines in sections) + "\n"


def _introduction(bundle: Bundle) -> str:
    summary = next((recipe.summary for recipe in recipes() if recipe.name == bundle.recipe), "a recipe of its own")
    return (
        f"A ragcortex detector, version {inert_line(bundle.version)}: it marks, token by token, what a RAG answer says "
        f"that its references do not support. Recipe `{inert_line(bundle.recipe)}`: {summary}."
    )


def _reading(bundle: Bundle) -> Iterator[str]:
    pin = bundle.reader
    if pin is None:
        yield "Reader: any; it was fitted on none."
    else:
        revision = f", revision {pin.revision}" if pin.revision else ""
        yield f"Reader: {pin.id}{revision}, read in {pin.dtype}; fingerprint `{pin.fingerprint}`. Another is refused."
    yield f"Prompt: {bundle.template.name} template."
    for head in bundle.heads:
        yield _head(head)


def _head(head: FittedHead) -> str:
    layer = f" at layer {head.layer}" if head.layer else ""
    return f"Head {head.name}: {head.scorer_name} on {', '.join(head.features)}{layer}."


def _data(training: Mapping[str, Any]) -> Iterator[str]:
    if not training:
        yield "None: nothing was fitted."
        return
    if "data" in training:
        yield f"Trained on {training['data']}."
    if "n_examples" in training:
        yield f"{training['n_examples']:,} answers, {training.get('n_hallucinated', 0):,} of them hallucinated."
    if training.get("n_by_task"):
        yield "By task: " + ", ".join(f"{task} {n:,}" for task, n in training["n_by_task"].items()) + "."
    for file in training.get("files", ()):
        yield f"File {file['name']}: {file['n_rows']:,} rows, SHA-256 `{file['sha256']}`."
    if training.get("left_out"):
        yield "Left out: " + ", ".join(f"{n:,} {reason}" for reason, n in training["left_out"].items()) + "."
    licences = training.get("licences") or ()
    yield f"Licences of the data: {', '.join(licences)}." if licences else "Licences of the data: not stated."


def _choices(bundle: Bundle) -> Iterator[str]:
    training = bundle.training
    yield f"Smoothing of token scores: {_smoothing(bundle.smoothing)}."
    yield f"Answer score: the highest token score after smoothing by {_smoothing(bundle.answer_smoothing)}."
    if "seed" in training:
        yield f"Seed {training['seed']}; {training.get('n_seeds', 1)} networks averaged a head."
    for layer, value in training.get("validation_ap_by_layer", {}).items():
        yield f"Validation average precision at layer {layer}: {value:.3f}."
    yield from _flat({name: value for name, value in training.items() if name not in _SAID})
    if bundle.libraries:
        yield "Made with " + ", ".join(f"{name} {version}" for name, version in bundle.libraries.items()) + "."


def _smoothing(smoothing: Smoothing) -> str:
    if smoothing.method == "persistence":
        return f"label persistence, probability {smoothing.p_stay:g} of keeping the label"
    if smoothing.method == "none":
        return "nothing"
    return f"{smoothing.method.replace('_', ' ')} of {smoothing.window} tokens to each side"


def _thresholds(bundle: Bundle) -> Iterator[str]:
    calibration = bundle.calibration
    yield f"A token is marked from {calibration.token_threshold:.4f} on."
    yield f"An answer is `review` from {calibration.review_threshold:.4f} on, `hallucinated` from " + (
        f"{calibration.hallucinated_threshold:.4f} on."
    )
    yield (
        f"Chosen on {calibration.date} on {calibration.n_answers:,} answers "
        f"({calibration.n_hallucinated:,} hallucinated): {calibration.data}."
    )


def _measured(bundle: Bundle) -> Iterator[str]:
    if not bundle.calibration.figures and not bundle.figures:
        yield "Nothing yet: run `ragcortex evaluate` on labelled answers of your own."
    if bundle.calibration.figures:
        figures = ", ".join(f"{_words(name)} {value:.3f}" for name, value in bundle.calibration.figures.items())
        yield f"On the answers the thresholds were chosen on, so flattering: {figures}."
    yield from _flat(bundle.figures)


def _flat(values: Mapping[str, Any], prefix: str = "") -> Iterator[str]:
    """Yield one line a value; nested objects give their names one after the other."""
    for name, value in values.items():
        label = f"{prefix}{_words(name)}"
        if isinstance(value, Mapping):
            yield from _flat(value, f"{label}, ")
        else:
            shown = f"{value:.3f}" if isinstance(value, float) else f"{value:,}" if type(value) is int else str(value)
            yield f"{label[:1].upper()}{label[1:]}: {shown}."


def _words(name: str) -> str:
    return str(name).removeprefix("n_").replace("_", " ")


def _use(bundle: Bundle) -> list[str]:
    reader = " --reader embedded" if bundle.reader is None else ""
    command = f"ragcortex check --detector PATH{reader} --question TEXT --reference FILE --answer FILE"
    return ["PATH is this folder, or the detector's name if it ships.", "", "```", command, "```"]


def _items(lines: Iterable[str]) -> list[str]:
    return [f"* {inert_line(line)}" for line in lines]
