"""Two lanes with threads and models of their own: what they answer, what they refuse, corpora, fingerprints, faults."""

import asyncio
import hashlib
import threading
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from made_judges import ANSWERS, REFERENCES, save_fusion, settings_of, use_words

from made_embedder import WordEmbedder
from made_geometry import made_model
from ragcortex.detectors.detector import Detector
from ragcortex.detectors.fused import FusedDetector
from ragcortex.detectors.geometric import GeometricDetector
from ragcortex.detectors.internal import InternalDetector
from ragcortex.errors import BundleError, InputError, ModelError
from ragcortex.example import Example, Reference
from ragcortex.geometry.corpus import Corpus
from ragcortex.report import Report
from ragcortex.service.batching import BatchSeen, Busy
from ragcortex.service.judges import Judges
from ragcortex.service.lane_detectors import LaneDetectors, scored_by
from ragcortex.service.tracing import Tracing

WITNESSES = ("both", "internal", "cascade", "geometry")


def example(answer: str, *, references: tuple[str, ...] = REFERENCES) -> Example:
    return Example.of("What is known of the lighthouse?", references, answer)


def run(scenario: Callable[[], Awaitable[None]]) -> None:
    async def bounded() -> None:
        async with asyncio.timeout(60):
            await scenario()

    asyncio.run(bounded())


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory, tiny_reader_folder: Path) -> Path:
    return save_fusion(tmp_path_factory.mktemp("fusion"), tiny_reader_folder)


@pytest.fixture(scope="module")
def with_words(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        use_words(patch, tmp_path_factory.mktemp("model"))
        yield


@pytest.fixture
def seen() -> list[BatchSeen]:
    return []


@pytest.fixture
def judges(folder: Path, with_words: None, seen: list[BatchSeen]) -> Iterator[Judges]:
    loaded = Judges.load(settings_of(folder, batch_size=8, queue_size=20), observe=seen.append)
    yield loaded
    loaded.close()


def plain(judges: Judges, witness: str) -> Detector:
    return judges.detector(witness)


def alike(one: Report, other: Report) -> bool:
    """Whether two reports say the same, whatever shared their pass."""
    return (one.verdict, one.detector, [span.text for span in one.spans]) == (
        other.verdict, other.detector, [span.text for span in other.spans],
    ) and one.score == pytest.approx(other.score, abs=1e-4)  # fmt: skip


def test_every_witness_answers_as_its_detector_does(judges: Judges, folder: Path, seen: list[BatchSeen]) -> None:
    assert judges.witnesses == WITNESSES
    assert judges.default == "both"
    alone = {
        "both": Detector.load(folder, witness="both"),
        "internal": Detector.load(folder, witness="internal"),
        "cascade": Detector.load(folder, witness="cascade"),
        "geometry": GeometricDetector(made_model(), WordEmbedder()),
    }

    async def scenario() -> None:
        asked = [(witness, answer) for answer in ANSWERS for witness in WITNESSES]
        reports = await asyncio.gather(
            *(judges.judge(example(answer), witness, timeout=30) for witness, answer in asked)
        )
        for (witness, answer), report in zip(asked, reports, strict=True):
            assert report.answer == answer
            assert alike(report, alone[witness].check_example(example(answer)))
            assert report.detector == judges.info(witness)

    run(scenario)
    assert {one.name for one in seen} == {"geometry", "reading"}
    assert [one.n_items for one in seen if one.name == "reading"] == [8, 4]
    assert all(one.n_items == 1 for one in seen if one.name == "geometry")


def test_the_witnesses_of_the_reading_lane_share_their_parts_and_no_part_with_the_other(judges: Judges) -> None:
    both, cascade, internal = (plain(judges, name) for name in ("both", "cascade", "internal"))
    geometry = plain(judges, "geometry")
    assert isinstance(both, FusedDetector)
    assert isinstance(cascade, FusedDetector)
    assert isinstance(geometry, GeometricDetector)
    assert both.internal is internal
    assert cascade.internal is internal
    assert both.geometric is cascade.geometric
    assert (both.cascade, cascade.cascade) == (False, True)
    assert geometry is not both.geometric
    assert geometry.embedder is not both.geometric.embedder
    assert isinstance(internal, InternalDetector)
    assert internal.reader.options.prefix_bytes == 1_000_000


def test_geometry_does_not_wait_behind_the_reader(judges: Judges) -> None:
    async def scenario() -> None:
        held = threading.Event()
        reading = asyncio.create_task(judges.run(lambda: held.wait(30), witness="both", timeout=30))
        await asyncio.sleep(0.01)
        later = asyncio.create_task(judges.judge(example(ANSWERS[0]), "both", timeout=30))
        report = await judges.judge(example(ANSWERS[0]), "geometry", timeout=30)
        assert report.detector.witness == "geometry"
        assert not later.done()
        assert judges.n_waiting() == {"geometry": 0, "reading": 1}
        held.set()
        assert (await later).detector.witness == "both"
        assert await reading is True

    run(scenario)


def test_calls_run_in_the_lane_s_thread_and_their_errors_come_back(judges: Judges) -> None:
    async def scenario() -> None:
        names = [
            await judges.run(lambda: threading.current_thread().name, witness=name, timeout=5) for name in WITNESSES
        ]
        assert names == ["ragcortex-reading"] * 3 + ["ragcortex-geometry"]
        with pytest.raises(ZeroDivisionError):
            await judges.run(lambda: 1 // 0, witness="both", timeout=5)
        with pytest.raises(InputError, match=r"^witness: must be one of "):
            await judges.run(lambda: 1, witness="nobody", timeout=5)

    run(scenario)


def test_an_answer_that_fails_has_its_own_error(judges: Judges) -> None:
    async def scenario() -> None:
        endless = replace(example(ANSWERS[0]), question="why " * 5_000)
        asked = [example(ANSWERS[0]), endless, example("")]
        results = await asyncio.gather(
            *(judges.judge(one, "internal", timeout=30) for one in asked), return_exceptions=True
        )
        good, failed, blank = results
        assert isinstance(good, Report)
        assert isinstance(failed, InputError)
        assert failed.field == "question"
        assert isinstance(blank, Report)
        assert blank.verdict == "no_claim"

    run(scenario)


def test_a_fault_of_ours_costs_no_other_answer(judges: Judges, monkeypatch: pytest.MonkeyPatch) -> None:
    internal = plain(judges, "internal")
    assert isinstance(internal, InternalDetector)
    report = internal.report

    def faulty(one: Example, reading: Any) -> Report:
        if "poet" in one.answer:
            raise IndexError("ours")
        return report(one, reading)

    monkeypatch.setattr(internal, "report", faulty)

    async def scenario() -> None:
        results = await asyncio.gather(
            *(judges.judge(example(answer), "internal", timeout=30) for answer in ANSWERS), return_exceptions=True
        )
        assert [type(result) for result in results] == [Report, Report, Report, IndexError]

    run(scenario)


def test_what_is_not_loaded_is_refused(judges: Judges) -> None:
    message = "^witness: must be one of both, internal, cascade, geometry, got 'nobody'$"
    for ask in (judges.info, judges.fingerprint, judges.detector):
        with pytest.raises(InputError, match=message):
            ask("nobody")
    with pytest.raises(InputError, match=message):
        asyncio.run(judges.judge(example(ANSWERS[0]), "nobody", timeout=1))


def test_a_full_lane_is_busy_and_a_late_answer_times_out(judges: Judges) -> None:
    async def scenario() -> None:
        held = threading.Event()
        reading = asyncio.create_task(judges.run(lambda: held.wait(30), witness="both", timeout=30))
        await asyncio.sleep(0.01)
        with pytest.raises(TimeoutError):
            await judges.judge(example(ANSWERS[0]), "both", timeout=0.02)
        waiting = [asyncio.create_task(judges.judge(example(ANSWERS[0]), "both", timeout=30)) for _ in range(20)]
        await asyncio.sleep(0.01)
        with pytest.raises(Busy):
            await judges.judge(example(ANSWERS[0]), "both", timeout=30)
        held.set()
        await asyncio.gather(reading, *waiting)

    run(scenario)


def test_draining_finishes_both_lanes(judges: Judges) -> None:
    async def scenario() -> None:
        tasks = [asyncio.create_task(judges.judge(example(ANSWERS[0]), name, timeout=30)) for name in WITNESSES * 2]
        await asyncio.sleep(0)
        assert await judges.drain(30) == 0
        assert all(isinstance(report, Report) for report in await asyncio.gather(*tasks))
        for name in ("both", "geometry"):
            with pytest.raises(Busy):
                await judges.judge(example(ANSWERS[0]), name, timeout=30)

    run(scenario)


def test_warming_up_judges_in_both_threads(judges: Judges) -> None:
    judges.warm()
    both = plain(judges, "both")
    assert isinstance(both, FusedDetector)
    assert (both.n_judged, both.n_read) == (2, 2)


def test_without_the_reader_only_geometry_is_there(folder: Path, with_words: None) -> None:
    loaded = Judges.load(settings_of(folder, load_reader=False))
    assert loaded.witnesses == ("geometry",)
    assert loaded.default == "geometry"
    assert loaded.n_waiting() == {"geometry": 0}
    with pytest.raises(InputError, match=r"^witness: must be one of geometry, got 'both'$"):
        loaded.info("both")
    message = "^witness: 'cascade' cannot judge, since no reader is loaded; leave it out or change that$"
    with pytest.raises(InputError, match=message):
        Judges.load(settings_of(folder, load_reader=False, witness="cascade"))


def test_a_detector_that_reads_only(folder: Path, with_words: None) -> None:
    inner = folder / "made reader"
    loaded = Judges.load(settings_of(inner))
    assert (loaded.witnesses, loaded.default) == (("internal", "geometry"), "internal")
    with pytest.raises(InputError, match=r"^witness: 'both' cannot judge, since .* is a detector that reads only; "):
        Judges.load(settings_of(inner, witness="both"))

    async def scenario() -> None:
        corpus = Corpus.in_memory(tuple(map(Reference, REFERENCES)), WordEmbedder())
        report = await loaded.judge(example(ANSWERS[0], references=()), "internal", corpus=corpus, timeout=30)
        assert report.notes[0].code == "references_from_corpus"
        await loaded.drain(5)

    run(scenario)


class TestCorpora:
    """Answers against corpora that come with the request."""

    def corpus(self, *texts: str, embedder: WordEmbedder | None = None) -> Corpus:
        return Corpus.in_memory(tuple(map(Reference, texts or REFERENCES)), embedder or WordEmbedder())

    def test_every_witness_asks_the_corpus_with_its_own_embedder(self, judges: Judges) -> None:
        own = WordEmbedder()
        corpus = self.corpus(embedder=own)
        n_embedded = own.n_embedded

        async def scenario() -> None:
            for name in WITNESSES:
                for answer in ANSWERS[:2]:
                    asked = example(answer, references=())
                    report = await judges.judge(asked, name, corpus=corpus, timeout=30)
                    assert report.verdict not in ("no_claim", "not_verifiable")
                with pytest.raises(InputError, match="references: must be empty where a corpus is checked against"):
                    await judges.judge(example(ANSWERS[0]), name, corpus=corpus, timeout=30)

        run(scenario)
        assert own.n_embedded == n_embedded, "the corpus's own embedder belongs to another thread"

    def test_answers_against_two_corpora_and_references_are_not_mixed(self, judges: Judges) -> None:
        other = self.corpus("The bakery opens at six in the morning.")
        corpus, answer = self.corpus(), ANSWERS[0]

        async def scenario() -> None:
            asked: list[tuple[Corpus | None, tuple[str, ...]]] = [(corpus, ()), (other, ()), (None, REFERENCES)] * 2
            reports = await asyncio.gather(
                *(
                    judges.judge(example(answer, references=references), "both", corpus=one, timeout=30)
                    for one, references in asked
                )
            )
            for (one, references), report in zip(asked, reports, strict=True):
                detector = judges.detector("both", one)
                assert alike(report, detector.check_example(example(answer, references=references)))

        run(scenario)

    def test_detectors_are_kept_for_the_corpora_asked_last(self) -> None:
        embedder = WordEmbedder()
        lane = LaneDetectors({"geometry": GeometricDetector(made_model(), embedder)}, embedder, recent_corpora=2)
        corpora = [self.corpus(f"Text number {number} of three.") for number in range(3)]
        kept = [lane.get("geometry", corpus) for corpus in corpora[:2]]
        again = self.corpus("Text number 0 of three.")
        assert again.fingerprint == corpora[0].fingerprint
        assert lane.get("geometry", again) is kept[0]
        lane.get("geometry", corpora[2])
        assert lane.get("geometry", corpora[0]) is kept[0], "it was asked later than the second"
        assert lane.get("geometry", corpora[1]) is not kept[1]
        lane.forget(corpora[0].fingerprint)
        lane.forget("unknown")
        assert lane.get("geometry", corpora[0]) is not kept[0]

    def test_a_corpus_of_another_embedder_is_refused(self, judges: Judges) -> None:
        corpus = self.corpus(embedder=WordEmbedder("other", "b0" * 32))

        async def scenario() -> None:
            for name in ("both", "geometry", "internal"):
                with pytest.raises(ModelError, match="the corpus in memory was built with the embedder"):
                    await judges.judge(example(ANSWERS[0], references=()), name, corpus=corpus, timeout=30)

        run(scenario)


class TestFingerprints:
    """What changes a score changes the fingerprint, and nothing else does."""

    def test_they_differ_between_witnesses_and_stay_between_starts(self, judges: Judges, folder: Path) -> None:
        found = {name: judges.fingerprint(name) for name in WITNESSES}
        assert len(set(found.values())) == 4
        assert all(len(value) == len(hashlib.sha256().hexdigest()) for value in found.values())
        again = Judges.load(settings_of(folder, batch_size=3, timeout_seconds=2))
        assert {name: again.fingerprint(name) for name in WITNESSES} == found

    def test_another_fusion_is_another_detector(self, judges: Judges, folder: Path, tmp_path: Path) -> None:
        from made_rows import made_fusion
        from ragcortex.detectors.fused import internal_digest
        from ragcortex.fusion.model import FILE_NAME

        (tmp_path / "made reader").symlink_to(folder / "made reader", target_is_directory=True)
        made_fusion(
            internal="made reader",
            internal_digest=internal_digest(folder / "made reader"),
            geometry_fingerprint=made_model().fingerprint,
            statement_threshold=0.61,
        ).save(tmp_path / FILE_NAME)
        other = Judges.load(settings_of(tmp_path))
        changed = {name for name in WITNESSES if other.fingerprint(name) != judges.fingerprint(name)}
        assert changed == {"both", "cascade"}

    def test_another_precision_is_another_detector(self, judges: Judges, folder: Path) -> None:
        other = Judges.load(settings_of(folder, dtype="bfloat16"))
        changed = {name for name in WITNESSES if other.fingerprint(name) != judges.fingerprint(name)}
        assert changed == {"both", "internal", "cascade"}

    def test_another_precision_of_the_embedder_is_another_detector(
        self, judges: Judges, folder: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        settings = settings_of(folder)
        usual = scored_by(plain(judges, "geometry"), settings)
        assert "embedder_dtype" not in usual  # calibrations of older versions stay in force
        monkeypatch.setattr(WordEmbedder, "dtype", "bfloat16", raising=False)
        other = Judges.load(settings)
        changed = {name for name in WITNESSES if other.fingerprint(name) != judges.fingerprint(name)}
        assert changed == {"both", "cascade", "geometry"}
        assert scored_by(plain(other, "geometry"), settings) == usual | {"embedder_dtype": "bfloat16"}


@pytest.mark.usefixtures("with_words")
class TestCalibrations:
    """A file of `calibrate`: of both witnesses, or of the geometric one."""

    def test_one_of_both_witnesses(self, folder: Path, tmp_path: Path) -> None:
        from ragcortex.fusion.model import FILE_NAME, FusionModel

        model = FusionModel.load(folder / FILE_NAME)
        file = tmp_path / "mine.json"
        replace(model, calibration=replace(model.calibration, data="mine")).save(file)
        loaded = Judges.load(settings_of(folder, calibration=file))
        assert loaded.info("both").calibration == "mine"
        assert loaded.info("cascade").calibration == "mine"
        assert loaded.info("geometry").calibration != "mine"
        for wrong in (settings_of(folder, calibration=file, load_reader=False),
                      settings_of(folder / "made reader", calibration=file)):  # fmt: skip
            with pytest.raises(
                InputError, match=r"^calibration: is one of both witnesses, which this service does not"
            ):
                Judges.load(wrong)

    def test_a_file_that_is_none(self, folder: Path, tmp_path: Path) -> None:
        with pytest.raises(BundleError, match="does not exist; run `ragcortex calibrate` to make one"):
            Judges.load(settings_of(folder, calibration=tmp_path / "missing.json"))
        (tmp_path / "other.json").write_text('{"schema": "other/1"}', encoding="utf-8")
        with pytest.raises(BundleError, match=r"has schema 'other/1', expected 'ragcortex.fusion/1' or"):
            Judges.load(settings_of(folder, calibration=tmp_path / "other.json"))


def test_waiting_and_judging_are_spans(folder: Path, with_words: None) -> None:
    from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

    exporter = InMemorySpanExporter()
    loaded = Judges.load(settings_of(folder, load_reader=False), tracing=Tracing.to(exporter, at_once=True))

    async def scenario() -> None:
        await loaded.judge(example(ANSWERS[0]), "geometry", timeout=30)
        await loaded.drain(5)

    run(scenario)
    spans = exporter.get_finished_spans()
    assert [span.name for span in spans] == ["wait", "judge"]
    assert all(ANSWERS[0] not in span.to_json() for span in spans)
