"""The judges of the detector that ships, on real weights."""

import asyncio

import pytest
from made_judges import REFERENCES

from ragcortex.detectors.detector import Detector
from ragcortex.example import Example
from ragcortex.service.judges import Judges
from ragcortex.service.settings import ServiceSettings

WITNESSES = ("both", "internal", "cascade", "geometry")


@pytest.mark.weights
def test_the_shipped_detector_judges_as_without_the_service() -> None:
    judges = Judges.load(ServiceSettings(detector="fusion"))
    judges.warm()
    bad = "The lighthouse at Cape Arden was built in 1974. Visitors may climb the tower in summer."
    example = Example.of("What is known of the lighthouse?", REFERENCES, bad)

    async def scenario() -> None:
        reports = await asyncio.gather(*(judges.judge(example, name, timeout=60) for name in WITNESSES))
        for name, report in zip(WITNESSES, reports, strict=True):
            alone = Detector.load(witness=name).check_example(example)  # type: ignore[arg-type]
            assert (report.verdict, report.detector) == (alone.verdict, alone.detector)
            assert [span.text for span in report.spans] == [span.text for span in alone.spans]
            assert report.score == pytest.approx(alone.score, abs=1e-4)
        assert [reports[place].verdict for place in (0, 3)] == ["hallucinated", "hallucinated"]
        assert await judges.drain(10) == 0

    asyncio.run(scenario())
