"""From signals to probabilities: the stack by its parts, findings that speak, the noisy-or, and contributions."""

import math
import re
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from made_rows import linear, made_fusion, made_rows, made_stack, seen, word_tokens
from ragcortex.errors import BundleError, InputError
from ragcortex.fusion.judgement import FusedScores, answer_probability, fuse
from ragcortex.fusion.stack import SPEAKS, FusionStack
from ragcortex.fusion.statement_signals import STATEMENT_SIGNALS, statement_signals
from ragcortex.fusion.token_signals import TOKEN_SIGNALS, token_signals
from ragcortex.geometry.judgement import speaks_for_itself
from ragcortex.platt import PlattScaling
from ragcortex.smoothing import Smoothing

ROWS = made_rows()
STACK = made_stack()
MODEL = made_fusion()


def plain_sigmoid(logit: float) -> float:
    return 1 / (1 + math.exp(-logit))


def plain_logits(values: np.ndarray, model: Any) -> list[float]:
    return [
        model.intercept
        + sum(
            weight * (value - mean) / scale
            for value, mean, scale, weight in zip(row, model.means, model.scales, model.weights, strict=True)
            if not math.isnan(value)
        )
        for row in values.tolist()
    ]


def test_scores_are_those_of_the_models_one_after_the_other() -> None:
    for row in ROWS:
        found = STACK.score(row.signals, row.evidence)
        raw = [plain_sigmoid(logit) for logit in plain_logits(row.signals.values, STACK.tokens)]
        np.testing.assert_allclose(found.raw, raw, rtol=1e-9)
        assert found.tokens.tolist() == STACK.smoothing.apply(found.raw).tolist()
        assert [array.tolist() for array in STACK.score_tokens(row.signals)] == [
            *(found.raw.tolist(), found.tokens.tolist())
        ]
        values = statement_signals(row.signals, found.tokens, row.evidence)
        assert found.statement_values.tobytes() == values.tobytes()
        for score, logit, one in zip(
            found.statements, plain_logits(values, STACK.statements), row.evidence.claims, strict=True
        ):
            least = SPEAKS if any(map(speaks_for_itself, one.findings)) else 0.0
            assert score == pytest.approx(max(least, plain_sigmoid(logit)))
        assert found.answer == pytest.approx(1 - math.prod(1 - score for score in found.statements.tolist()))


def test_a_finding_that_speaks_raises_its_statement_and_no_other() -> None:
    low = replace(STACK, statements=replace(STACK.statements, intercept=-30.0))
    spoken = [row for row in ROWS if any(map(speaks_for_itself, row.evidence.findings))]
    assert len(spoken) == 10
    for row in spoken:
        assert low.score(row.signals, row.evidence).statements.round(6).tolist() == [0, SPEAKS]
    quiet = next(row for row in ROWS if not row.evidence.findings)
    assert low.score(quiet.signals, quiet.evidence).statements.max() < 1e-6


def fused(row: Any) -> FusedScores:
    return fuse(row.signals, row.evidence, MODEL)


def test_all_probabilities_lie_between_0_and_1_and_are_the_same_again() -> None:
    for row in ROWS:
        one, again = fused(row), fused(row)
        for name in ("raw", "tokens", "statements"):
            values = getattr(one, name)
            assert ((values >= 0) & (values <= 1)).all()
        assert 0 <= one.answer <= 1
        for name in FusedScores.__slots__:
            assert np.asarray(getattr(one, name)).tobytes() == np.asarray(getattr(again, name)).tobytes()


def test_probabilities_are_the_scaled_scores() -> None:
    for row in ROWS:
        scores, found = STACK.score(row.signals, row.evidence), fused(row)
        platt = MODEL.probabilities
        scaled = zip(platt["statements"].apply(scores.statements).tolist(), row.evidence.claims, strict=True)
        # A finding that speaks for itself is enough for a statement to be flagged.
        assert found.statements.tolist() == [
            max(p, MODEL.statement_threshold) if any(map(speaks_for_itself, one.findings)) else p for p, one in scaled
        ]
        # No token is likelier to be hallucinated than the statement it belongs to.
        for got, before in ((found.raw, scores.raw), (found.tokens, scores.tokens)):
            own = platt["tokens"].apply(before).tolist()
            assert got.tolist() == [
                p if owner < 0 else min(p, found.statements[owner])
                for p, owner in zip(own, row.signals.statements.tolist(), strict=True)
            ]
        # The statements are taken together before the answer's probability is calibrated, and not after.
        together = 1 - math.prod(1 - score for score in scores.statements.tolist())
        least = max(found.statements.tolist())
        assert found.answer == pytest.approx(max(least, float(platt["answers"].apply([together])[0])))


def test_contributions_add_up_to_the_log_odds() -> None:
    platt = MODEL.probabilities
    n_inside = {"tokens": 0, "statements": 0}
    for row in ROWS:
        found = fused(row)
        # Where its statement's probability does not hold it down.
        free = found.raw < np.append(found.statements, 1.0)[row.signals.statements]
        quiet = np.array([not any(map(speaks_for_itself, one.findings)) for one in row.evidence.claims])
        for name, probabilities, contributions, model, kept in (
            ("tokens", found.raw, found.token_contributions, STACK.tokens, free),
            # What a finding that speaks for itself adds is not among them.
            ("statements", found.statements, found.statement_contributions, STACK.statements, quiet),
        ):
            scaling = platt[name]
            average = scaling.slope * model.intercept + scaling.intercept
            logits = np.log(probabilities / (1 - probabilities))
            added = contributions.sum(axis=1) + average
            # Scores are kept a millionth away from 0 and 1, whose logit is 13.8.
            inside = kept & (np.abs((added - scaling.intercept) / scaling.slope) < 13.8)
            n_inside[name] += int(inside.sum())
            np.testing.assert_allclose(added[inside], logits[inside], atol=1e-8)
        assert found.token_contributions.shape == (len(row.signals.tokens), len(TOKEN_SIGNALS))
        assert found.statement_contributions.shape == (len(row.evidence.claims), len(STATEMENT_SIGNALS))
    assert min(n_inside.values()) > 0, n_inside


def test_a_missing_signal_contributes_nothing() -> None:
    row = ROWS[0]
    blind = replace(row.signals, values=np.where(np.arange(len(TOKEN_SIGNALS)) < 3, np.nan, row.signals.values))
    found = fuse(blind, row.evidence, MODEL)
    assert not found.token_contributions[:, :3].any()
    assert found.token_contributions[:, 3:].tolist() == fused(row).token_contributions[:, 3:].tolist()
    assert np.isfinite(found.tokens).all()


def test_an_answer_that_claims_nothing_has_probability_0() -> None:
    evidence = seen("Hello! How can I help you?", "Dogs are not allowed inside.")
    tokens = word_tokens(evidence.answer)
    found = fuse(token_signals(tokens, None, None, None, None), evidence, MODEL)
    assert found.answer == 0
    assert (found.statements.shape, found.statement_contributions.shape) == ((0,), (0, 10))
    assert len(found.tokens) == len(tokens)
    # Nothing is known of its tokens: all have the probability of an average one.
    assert len(set(found.raw.tolist())) == 1


@pytest.mark.parametrize(
    ("any_statement", "statements", "expected"),
    [
        # 0.8: log-odds log 4, halved log 2, so 2/3.
        (0.8, [0.3, 0.1], 2 / 3),
        (0.8, [0.3, 0.9], 0.9),
        (0.8, [], 0.0),
    ],
)
def test_an_answer_is_as_likely_hallucinated_as_any_statement(
    any_statement: float, statements: list[float], expected: float
) -> None:
    model = made_fusion(probabilities={**MODEL.probabilities, "answers": PlattScaling(0.5, 0.0)})
    assert answer_probability(model, any_statement, np.array(statements)) == pytest.approx(expected)


def test_a_stack_round_trip_is_bit_equal() -> None:
    back = FusionStack.from_dict(STACK.to_dict(), "here")
    assert back == STACK
    for row in ROWS[:4]:
        one, other = STACK.score(row.signals, row.evidence), back.score(row.signals, row.evidence)
        assert one.statements.tobytes() == other.statements.tobytes()
        assert one.tokens.tobytes() == other.tokens.tobytes()


@pytest.mark.parametrize(("part", "names"), [("tokens", TOKEN_SIGNALS), ("statements", STATEMENT_SIGNALS)])
def test_other_signals_are_refused(part: str, names: tuple[str, ...]) -> None:
    message = f"{part}: must have the signals {', '.join(names)}"
    with pytest.raises(InputError, match=f"^{re.escape(message)}$"):
        replace(STACK, **{part: linear((*names[1:], names[0]), 0)})  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"answers": 1}, "here.answers: is not a known field; known are tokens, smoothing, statements"),
        ({"smoothing": ...}, "here.smoothing: is missing; the bundle is damaged or of another version, fit it again"),
        (
            {"smoothing": Smoothing.none().to_dict() | {"window": 3}},
            "smoothing.window: belongs to window_max and window_mean, not to none; leave it out",
        ),
        (
            {"tokens": {"features": [], "intercept": 0}},
            f"here.tokens.features must be {', '.join(TOKEN_SIGNALS)}, got []",
        ),
    ],
)
def test_damaged_stacks_are_refused(changes: dict[str, Any], message: str) -> None:
    data = {name: value for name, value in (STACK.to_dict() | changes).items() if value is not ...}
    with pytest.raises(BundleError, match=f"^{re.escape(message)}$"):
        FusionStack.from_dict(data, "here")
