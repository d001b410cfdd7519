"""Figures written and read again, and what is refused."""

import dataclasses
import json
import math

import pytest

from ragcortex.errors import InputError, StoreError
from ragcortex.evaluation.benchmark_figures import MethodFigures
from ragcortex.evaluation.bootstrap import Interval
from ragcortex.evaluation.breakdowns import Breakdown
from ragcortex.evaluation.figures_json import decoded, encoded
from ragcortex.evaluation.metrics import Metric
from ragcortex.evaluation.operating_points import PrecisionAtRecall, ValidationThreshold
from ragcortex.evaluation.resampling import Estimate
from ragcortex.evaluation.significance import Comparison

_ADVICE = "the results are damaged or of another version, run them again"
_INTERVAL = Interval(0.1, 1 / 3, 9, 100)
_WHOLE = [
    Comparison("a", "b", "token", "auroc", -0.1, _INTERVAL, 2 / 101, 4 / 101),
    Comparison("a", "b", "word", "f1", None, Interval(None, None, 1, 0, "none"), None, reason="none"),
    PrecisionAtRecall(0.5, Estimate(Metric(1.0, 7, 1 / 7), _INTERVAL)),
    ValidationThreshold(-math.pi, 0.2, 4),
]


@pytest.mark.parametrize("figures", _WHOLE, ids=lambda one: type(one).__name__)
def test_figures_survive_json(figures):
    text = json.dumps(encoded(figures), allow_nan=False)
    assert decoded(type(figures), json.loads(text), "file") == figures


def test_a_whole_number_is_read_as_a_float_where_one_is_meant():
    data = {**encoded(_WHOLE[3]), "threshold": 1}
    assert type(decoded(ValidationThreshold, data, "file").threshold) is float


def test_damaged_figures_are_refused_by_the_name_of_the_field():
    data = encoded(_WHOLE[0])
    cases = [
        ([], f"file: expected an object, got []; {_ADVICE}"),
        ({**data, "extra": 1}, f"file.extra: is not a known field; {_ADVICE}"),
        ({name: data[name] for name in data if name != "p"}, f"file.p: is missing; {_ADVICE}"),
        ({**data, "p": "small"}, f"file.p: expected a finite number, got 'small'; {_ADVICE}"),
        ({**data, "p": True}, f"file.p: expected a finite number, got True; {_ADVICE}"),
        ({**data, "method": None}, f"file.method: expected a string, got None; {_ADVICE}"),
        ({**data, "level": "letter"},
         f"file.level: expected one of token, word, sentence, answer, got 'letter'; {_ADVICE}"),
        ({**data, "interval": {**data["interval"], "n_groups": 1.5}},
         f"file.interval.n_groups: expected a whole number, got 1.5; {_ADVICE}"),
        ({**data, "p": 7}, "file.p: must be above 0 and at most 1, got 7.0"),
    ]  # fmt: skip
    for damaged, message in cases:
        with pytest.raises(StoreError) as error:
            decoded(Comparison, damaged, "file")
        assert str(error.value) == message


def test_what_is_no_figure_is_not_written():
    with pytest.raises(StoreError) as error:
        encoded(Metric(math.nan, 1, 0.5))
    assert str(error.value) == (
        "cannot write nan: expected finite numbers only; the figure should carry a reason instead"
    )
    with pytest.raises(StoreError) as error:
        encoded((object(),))
    assert str(error.value) == "cannot write a object as a figure; expected dataclasses, tuples and plain values"


def test_figures_check_themselves():
    with pytest.raises(InputError) as error:
        Breakdown("task", "word", ())
    assert str(error.value) == "reason: must be given exactly where there are no slices, got None"
    empty = MethodFigures("ours", (), (), 1, 1, 10, 0)
    with pytest.raises(InputError) as error:
        dataclasses.replace(empty, schema="other/9")
    assert str(error.value) == "schema: must be 'ragcortex.method-figures/1', got 'other/9'"
    with pytest.raises(StoreError) as wrong:
        MethodFigures.from_dict({**empty.to_dict(), "levels": "none"}, "file")
    assert str(wrong.value) == f"file.levels: expected a list, got 'none'; {_ADVICE}"
