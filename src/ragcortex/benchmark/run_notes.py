"""What a reader of a run must know beside its figures, one sentence each."""

from collections.abc import Iterator

from ragcortex.benchmark.held_out import HeldOutAnswers
from ragcortex.benchmark.run import BenchmarkRun


def run_notes(run: BenchmarkRun, answers: HeldOutAnswers) -> Iterator[str]:
    """Yield what was read, what was left out and why, and which costs stand together."""
    if run.n_read:
        yield (
            f"{run.n_read:,} readings took {run.reading_seconds:,.0f} seconds, for all methods together; the others "
            "were on disk."
        )
    runners = [one.config.label for one in run.methods if one.runs_model and one.failure is None]
    if runners:
        yield (
            "Run a model by themselves, so that all they cost stands under fitting, but for what an earlier method or "
            f"run had kept: {', '.join(runners)}."
        )
    for reason, n in run.data.dropped:
        yield f"Left out of the data: {n:,} {reason}."
    used = {position for fold in answers.folds for position in (*fold.data.training, *fold.data.validation, *fold.test)}
    if len(used) < len(run.data.examples):
        yield f"Of no official part, and not used: {len(run.data.examples) - len(used):,} answers."
    unplaced = [one for one in answers.examples if one.known_spans is None]
    if unplaced:
        wrong = sum(one.answer_label == 1 for one in unplaced)
        yield (
            f"Counted at the answer level only, since their spans are not known: {len(unplaced):,} test answers, "
            f"{wrong:,} of them hallucinated. Below that level the share that is hallucinated is that of the others."
        )
