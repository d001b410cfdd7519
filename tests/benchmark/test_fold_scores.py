"""Scores of a fold on disk: bit for bit, of this configuration only, whole or not at all."""

from pathlib import Path

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from ragcortex.benchmark.file_names import safe_name
from ragcortex.benchmark.fold_scores import FoldFile, FoldScores
from ragcortex.benchmark.method import MethodScores

numbers = st.floats(-1e6, 1e6, allow_nan=False)
method_scores = st.one_of(
    st.builds(MethodScores, st.lists(numbers, min_size=0, max_size=5).map(np.array), st.none() | numbers),
    st.builds(MethodScores, st.none(), numbers),
)


def _file(folder: Path, **changes: object) -> FoldFile:
    return FoldFile(folder, "llm-check (logit)", 3, 1, {"data": "abc", "options": {"layer": 20}, **changes})


@settings(max_examples=40, deadline=None)
@given(
    validation=st.dictionaries(st.integers(0, 99), method_scores, max_size=4),
    test=st.dictionaries(st.integers(0, 99), method_scores, max_size=4),
)
def test_scores_come_back_bit_for_bit(
    tmp_path_factory, validation: dict[int, MethodScores], test: dict[int, MethodScores]
) -> None:
    file = _file(tmp_path_factory.mktemp("scores"))
    file.write(FoldScores(validation, test, {"layer": 20}, 1.5, 0.25))
    found = file.read()
    assert found is not None
    assert (found.choices, found.fit_seconds, found.score_seconds) == ({"layer": 20}, 1.5, 0.25)
    for given_part, read_part in ((validation, found.validation), (test, found.test)):
        assert list(given_part) == list(read_part)
        for position, one in given_part.items():
            other = read_part[position]
            assert one.answer == other.answer
            assert (one.tokens is None) == (other.tokens is None)
            if one.tokens is not None:
                np.testing.assert_array_equal(one.tokens, other.tokens)


def test_scores_of_another_configuration_are_not_taken(tmp_path: Path) -> None:
    _file(tmp_path).write(FoldScores({}, {0: MethodScores(None, 1.0)}, {}, 0.0, 0.0))
    assert _file(tmp_path).read() is not None
    assert _file(tmp_path, options={"layer": 15}).read() is None
    assert _file(tmp_path, data="abd").read() is None


def test_a_damaged_file_is_made_again(tmp_path: Path) -> None:
    file = _file(tmp_path)
    file.write(FoldScores({}, {0: MethodScores(None, 1.0)}, {}, 0.0, 0.0))
    content = file.path.read_bytes()
    for n in (0, 10, len(content) - 30):
        file.path.write_bytes(content[:n])
        assert file.read() is None
    assert not list(tmp_path.rglob("*.tmp"))


def test_labels_are_safe_file_names() -> None:
    assert safe_name("cortex-tuned") == "cortex-tuned"
    names = {safe_name(label) for label in ("a b", "a_b", "a/b", "../a", "a.b")}
    assert len(names) == 5
    assert all("/" not in name and "." not in name for name in names)
