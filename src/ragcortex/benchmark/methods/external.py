"""Another tool's scores, from the file that an adapter in benchmarks/peers wrote."""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, get_args

import numpy as np

from ragcortex.benchmark.external_scores import ExternalScores, character_scores, read_external_scores
from ragcortex.benchmark.method import BenchmarkMethod, FittedMethod, FoldData, MethodScores, Workbench
from ragcortex.benchmark.method_card import MethodCard, Training
from ragcortex.checks import check_known
from ragcortex.errors import InputError
from ragcortex.readers.reader import Reader
from ragcortex.readers.reading import ReadingSpec


class ExternalMethod(BenchmarkMethod):
    """Scores of answers, and of spans or sentences where the tool gives them.

    Args:
        file: what the adapter wrote for exactly the answers of the data, in their order.
        title: as tables print it.
        source: where the tool is defined.
        training: what the tool was fitted on, as cards say it.
    """

    def __init__(
        self, file: str, title: str, source: str = "its released package", training: Training = "none"
    ) -> None:
        check_known("methods.options.training", training, get_args(Training))
        self._file = Path(file)
        first = self._first()
        finest = first.spans if first.spans is not None else first.sentences
        self.card = MethodCard(
            name="scores",
            title=title,
            summary="another tool's scores, from its adapter",
            source=source,
            training=training,
            scale="any",
            level="answer" if finest is None else "token" if first.spans is not None else "sentence",
            answer_score="the tool's own score of the answer",
        )

    @property
    def surroundings(self) -> Mapping[str, Any]:  # type: ignore[override]
        """The digest of the file."""
        return {"file": hashlib.sha256(self._file.read_bytes()).hexdigest()}

    def spec(self, reader: Reader) -> ReadingSpec:  # noqa: ARG002
        """Return that nothing is read."""
        return ReadingSpec()

    def fit(self, bench: Workbench, fold: FoldData) -> FittedMethod:  # noqa: ARG002
        """Return the scores; nothing is fitted.

        Raises:
            InputError: the file is of other answers, or an answer has no score.
        """
        return _Scores(read_external_scores(self._file, bench.examples), self._file, self.card)

    def _first(self) -> ExternalScores:
        """Return the first row that did not fail: all rows of a tool have the same kinds of scores."""
        import json

        try:
            with self._file.open(encoding="utf-8") as lines:
                for line in lines:
                    fields = json.loads(line) if line.strip() else {"error": "blank"}
                    if not fields.get("error"):
                        return ExternalScores.from_row(fields)
        except FileNotFoundError:
            raise InputError("methods.options.file", f"{str(self._file)!r} does not exist; make it first") from None
        except (OSError, ValueError) as error:
            raise InputError("methods.options.file", f"{str(self._file)!r} cannot be read: {error}") from error
        raise InputError("methods.options.file", f"{str(self._file)!r} holds no row without an error")


class _Scores(FittedMethod):
    def __init__(self, rows: Sequence[ExternalScores], file: Path, card: MethodCard) -> None:
        self._rows, self._file, self._card = rows, file, card

    def score(self, bench: Workbench, indices: Sequence[int]) -> Iterator[MethodScores]:
        """Yield the tool's scores; a token has the highest score of its characters.

        Raises:
            InputError: the tool failed on an answer.
        """
        for index in indices:
            row = self._rows[index]
            if row.error is not None:
                raise InputError("methods.options.file", f"{self._file.name} row {row.row} failed: {row.error}")
            parts = row.spans if self._card.level == "token" else row.sentences
            if self._card.level == "answer" or parts is None:
                yield MethodScores(None, row.answer)
                continue
            tokens = bench.tokens(index)
            by_character = character_scores(parts, len(tokens.text))
            scores = [by_character[start : max(end, start + 1)].max() for start, end in tokens.ranges]
            yield MethodScores(np.array(scores, dtype=np.float64), row.answer)
