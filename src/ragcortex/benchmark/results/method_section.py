"""What a report says of each method: what it is, where it is defined, and what was chosen in each fold."""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from ragcortex.benchmark.method_card import CLEAREST_ANSWER
from ragcortex.benchmark.results.document import RunDocument
from ragcortex.benchmark.results.parts import FoldChoices, MethodResult
from ragcortex.benchmark.results.table_text import markdown_text
from ragcortex.benchmark.results.tables import TRAINING_WORDS

MOST_PRINTED: Final = 24
"""How many values of one choice are printed; of more, their number is, and results.json has them."""
_MISSING: Final = "none"


def methods_section(document: RunDocument) -> list[str]:
    """Return the parts of the section in Markdown: a heading and a list a method."""
    parts = ["## Methods"]
    for one in document.methods:
        lines = "\n".join(f"* {markdown_text(line)}" for line in method_lines(one))
        parts += [f"### {markdown_text(one.title)}", lines]
    return parts


def method_lines(one: MethodResult) -> Iterator[str]:
    """Yield what a reader must know of a method, a line each."""
    yield f"Called {one.name} in this run" + ("" if one.name == one.method else f", the method {one.method}")
    yield f"What it is: {one.summary}"
    yield f"Fitted on: {TRAINING_WORDS[one.training]}"
    yield f"Source: {one.source}"
    yield f"Scores {one.level}s; answer score: {one.answer_score}"
    if one.failure is not None:
        yield f"Failed: {one.failure}"
    elif one.folds:
        yield f"Chosen: {'; '.join(chosen_values(one.folds)) or 'nothing'}"
        yield from _smoothing_lines(one)


def chosen_values(folds: Sequence[FoldChoices]) -> Iterator[str]:
    """Yield each choice with its value: once where all folds agree, otherwise a value a fold."""
    flat = [dict(_flat(one.choices)) for one in folds]
    for name in dict.fromkeys(name for one in flat for name in one):
        yield f"{name} {_by_fold([_shown(one[name]) if name in one else _MISSING for one in flat])}"


def _smoothing_lines(one: MethodResult) -> Iterator[str]:
    words = {"none": "not smoothed", "window_max": "the highest of a window", "window_mean": "the mean of a window"}
    if one.level == "answer":
        return
    if one.smoothing != "persistence":
        yield f"Smoothing of tokens: {words[one.smoothing]}"
        return
    yield f"p_stay of tokens: {_p_stays([fold.token_p_stay for fold in one.folds])}"
    of_answers = [fold.answer_p_stay for fold in one.folds]
    if one.answer_score == CLEAREST_ANSWER or any(value is not None for value in of_answers):
        yield f"p_stay under the answer score: {_p_stays(of_answers)}"


def _p_stays(values: Sequence[float | None]) -> str:
    return _by_fold([_MISSING if value is None else f"{value:g}".removeprefix("0") for value in values])


def _by_fold(texts: Sequence[str]) -> str:
    """Return the one text of all folds, or the text of each fold in turn."""
    if len(set(texts)) == 1:
        return texts[0]
    return f"{' / '.join(texts)} (by fold)"


def _flat(choices: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    """Yield choices with dotted names; an object of many values stays one."""
    for name, value in choices.items():
        if isinstance(value, Mapping) and 0 < len(value) <= MOST_PRINTED:
            yield from _flat(value, f"{prefix}{name}.")
        else:
            yield f"{prefix}{name}", value


def _shown(value: object) -> str:
    n = _n_values(value)
    if n > MOST_PRINTED:
        return f"({n} values, in results.json)"
    if isinstance(value, list):
        return f"[{', '.join(_shown(one) for one in value)}]"
    if isinstance(value, float):
        return f"{value:.4g}"
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _n_values(value: object) -> int:
    """Return how many single values there are in a value."""
    if isinstance(value, Mapping):
        return sum(map(_n_values, value.values()))
    return sum(map(_n_values, value)) if isinstance(value, list) else 1
