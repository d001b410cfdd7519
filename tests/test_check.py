from pathlib import Path

import pytest

import made_detectors as made
from ragcortex.check import default_detector, detector_or_default, named_detector
from ragcortex.errors import RagcortexError
from ragcortex.rewards import GroundednessReward


@pytest.mark.weights
def test_the_default_detector_is_loaded_once_whoever_asks_for_it() -> None:
    own = default_detector()
    assert detector_or_default(None) is own
    assert named_detector("fusion") is own
    assert named_detector("fusion", witness=None, device=None) is own
    assert named_detector("fusion", witness="geometry") is not own
    reward = GroundednessReward()
    passages = ["It was built in 1874."]
    assert reward(prompts=["When?"], completions=["It was built in 1874."], references=[passages]) != [None]
    assert reward._loaded is own


def test_a_detector_that_is_given_is_taken_and_another_name_is_looked_for(tmp_path: Path) -> None:
    detector = made.geometric()
    assert detector_or_default(detector) is detector
    with pytest.raises(RagcortexError, match="nowhere"):
        named_detector(str(tmp_path / "nowhere"))
