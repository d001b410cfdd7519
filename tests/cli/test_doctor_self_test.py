"""`doctor --self-test`: every check passes on a sound machine, and each fails where what it checks is wrong."""

import itertools
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from cli_helpers import Command
from planted_faults import FAULTS, more_attention, patched

import ragcortex.label_chain
from made_embedder import WordEmbedder
from ragcortex.cli.finding import Finding
from ragcortex.cli.self_test.answer_checks import answer_findings
from ragcortex.cli.self_test.embedded_vectors import embedded_vectors
from ragcortex.cli.self_test.embedder_checks import embedder_findings
from ragcortex.cli.self_test.measured import TOLERANCES, measured
from ragcortex.cli.self_test.reader_checks import ReaderChecks
from ragcortex.cli.self_test.smoothing_check import all_labellings, smoothing_check
from ragcortex.detectors.detector import Detector
from ragcortex.errors import EXIT_MODEL, EXIT_OK, ReadingError
from ragcortex.geometry.embedders import embedded
from ragcortex.geometry.embedders.embedder import Embeddings
from ragcortex.readers._hf import decoder_layers
from ragcortex.readers.models import _DTYPES
from ragcortex.readers.reader import Reader, ReaderOptions

READER_CHECKS = [
    "pooled attention", "pooled states", "likelihoods", "padded batch", "packed batch", "kept prefix", "growing answer",
    "one thread", "later token",
]  # fmt: skip


@pytest.fixture
def reader(tiny_reader_folder: Path) -> Reader:
    return Reader.load(str(tiny_reader_folder), device="cpu")


@pytest.fixture(autouse=True)
def two_threads() -> Any:
    before = torch.get_num_threads()
    torch.set_num_threads(2)
    yield
    torch.set_num_threads(before)


@pytest.fixture
def no_models(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Give this test a cache with nothing in it, and no embedded wheels."""
    monkeypatch.setenv("RAGCORTEX_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr("ragcortex.readers.embedded._installed", lambda: None)
    monkeypatch.setattr("ragcortex.geometry.embedders.embedded._installed", lambda: None)


def _failed(reader: Reader) -> list[str]:
    return [finding.name for finding in ReaderChecks.of(reader).findings() if finding.ok is not True]


@pytest.mark.parametrize("dtype", _DTYPES)
def test_a_sound_reader_passes(tiny_reader_folder: Path, dtype: str) -> None:
    found = list(ReaderChecks.of(Reader.load(str(tiny_reader_folder), device="cpu", dtype=dtype)).findings())
    assert [finding.name for finding in found] == READER_CHECKS
    for finding in found:
        assert finding.ok is True, finding
        assert finding.tolerance == TOLERANCES[dtype]
        assert finding.difference is not None
        assert finding.detail.endswith(f"({dtype} on cpu)")
        assert finding.remedy == ""
    assert TOLERANCES.keys() == set(_DTYPES)


@pytest.mark.parametrize("fault", sorted(FAULTS))
def test_a_fault_fails_its_check(reader: Reader, fault: str, monkeypatch: pytest.MonkeyPatch) -> None:
    plant, expected = FAULTS[fault]
    assert reader.can_pack
    plant(monkeypatch)
    failed = set(_failed(reader))
    assert expected <= failed, failed


def test_a_token_that_sees_what_comes_later_fails_its_check(reader: Reader) -> None:
    def leak(_module: Any, _args: Any, output: Any) -> Any:
        states = output[0] if isinstance(output, tuple) else output
        return states + states[:, -1:]

    assert reader.can_pack
    handle = decoder_layers(reader.loaded.model)[1].register_forward_hook(leak)
    try:
        failed = _failed(reader)
    finally:
        handle.remove()
    assert "later token" in failed


def test_what_has_nothing_to_compare_says_so(reader: Reader, monkeypatch: pytest.MonkeyPatch) -> None:
    torch.set_num_threads(1)
    monkeypatch.setattr(Reader, "can_pack", False)
    found = {finding.name: finding for finding in ReaderChecks.of(reader).findings() if finding.ok is None}
    assert {name: finding.detail for name, finding in found.items()} == {
        "packed batch": "not run: this reader's architecture reads each answer in a row of its own",
        "growing answer": "not run: the reader cannot read both passes in one row",
        "one thread": "not run: one thread is all that is used here",
    }


def test_a_window_that_is_too_short_is_said(reader: Reader) -> None:
    with pytest.raises(ReadingError, match="the reader's window of 256 tokens is too short for the texts of the self-"):
        ReaderChecks.of(Reader(reader.loaded, options=ReaderOptions(window=256)))


@pytest.mark.parametrize("difference", [0.2, float("nan"), float("inf")])
def test_a_difference_beyond_its_tolerance(difference: float) -> None:
    finding = measured("one", difference, 0.1, "this and that")
    assert finding.ok is False
    assert finding.difference == (0.2 if difference == 0.2 else None)
    assert finding.detail.startswith(f"largest difference {'2.0e-01' if difference == 0.2 else 'not a number'}, toler")
    assert "`--dtype float32`" in finding.remedy
    assert measured("one", 0.1, 0.1, "") == Finding(
        "one", True, "largest difference 1.0e-01, tolerance 1e-01: ", "", 0.1, 0.1
    )


def test_all_labellings_by_hand() -> None:
    # p = .9, s = (.8, .5): the weights of (1, ·) add up to .4 and those of (0, ·) to .1; see tests/test_smoothing.py
    assert all_labellings([0.8, 0.5], 0.9) == pytest.approx([0.8, 0.74], abs=1e-15)


@pytest.mark.parametrize("alone", [0, 8], ids=["together", "alone"])
def test_smoothing_passes_and_a_wrong_one_fails(monkeypatch: pytest.MonkeyPatch, alone: int) -> None:
    monkeypatch.setattr(ragcortex.label_chain, "_LONGEST_ALONE", alone)
    assert smoothing_check().ok is True
    patched(
        monkeypatch, ragcortex.label_chain, "_messages" if alone else "_packed_messages",
        lambda right, *args: right(*args[:-1], 0.9),
    )  # fmt: skip
    finding = smoothing_check()
    assert finding.ok is False
    assert finding.difference is not None
    assert finding.difference > 0.01


def test_an_encoder_without_kept_values() -> None:
    found = list(embedder_findings(WordEmbedder()))
    assert [(finding.name, finding.ok) for finding in found] == [
        ("encoder fingerprint", None), ("encoder vectors", None), ("encoder batch", True),
    ]  # fmt: skip
    assert found[0].detail == "not run: no fingerprint is pinned for 'words', which has f0f0f0f0f0f0f0f0…"


def test_an_encoder_whose_batch_changes_its_vectors() -> None:
    class Shaky(WordEmbedder):
        def embed(self, texts: Any) -> Embeddings:
            made = super().embed(texts)
            return made if len(texts) == 1 else Embeddings(np.roll(made.unit, 1, axis=1), made.norms)

    assert [finding.ok for finding in embedder_findings(Shaky())] == [None, None, False]


@pytest.mark.weights
def test_the_embedded_encoder(monkeypatch: pytest.MonkeyPatch) -> None:
    from ragcortex.geometry.embedders.load import load_embedder

    embedder = load_embedder("embedded", device="cpu")
    found = list(embedder_findings(embedder))
    assert [finding.ok for finding in found] == [True, True, True]
    assert np.linalg.norm(embedded_vectors(), axis=1) == pytest.approx([1, 1, 1], abs=1e-6)
    folder = embedded.find()
    monkeypatch.setattr(embedded, "find", lambda: folder)  # its hashes are remembered from when the file was sound
    monkeypatch.setitem(embedded.FILES, "config.json", "0" * 64)
    patched(
        monkeypatch, type(embedder), "embed",
        lambda right, self, texts: Embeddings(np.roll(right(self, texts).unit, 1, axis=1), right(self, texts).norms),
    )  # fmt: skip
    found = list(itertools.islice(embedder_findings(embedder), 2))
    assert [finding.ok for finding in found] == [False, False]


def test_the_command_says_what_passed(command: Command, tiny_reader_folder: Path, careful_detector: Path) -> None:
    options = ["--reader", tiny_reader_folder, "--detector", careful_detector, "--self-test"]
    document = json.loads(command("doctor", "--json", *options).out)
    assert list(document) == ["schema", "works", "findings", "self_test"]
    checks = {check["name"]: check for check in document["self_test"]["checks"]}
    assert [name for name in checks if name in READER_CHECKS] == READER_CHECKS
    for check in checks.values():
        assert list(check) == ["name", "ok", "detail", "remedy", "difference", "tolerance"]
    assert checks["pooled attention"]["difference"] <= checks["pooled attention"]["tolerance"] == 1e-4
    assert checks["known support"]["ok"] is None
    assert checks["known support"]["detail"] == (
        "not run: the verdicts of the detector 'fusion' with its own reader are known, no other's"
    )
    assert document["self_test"]["passed"] is True
    assert 0 < document["self_test"]["seconds"] < 60

    result = command("doctor", *options)
    assert (result.code, result.err) == (EXIT_OK, "")
    assert "✓ pooled attention     largest difference " in result.out
    assert "· known support        not run: " in result.out
    assert result.out.splitlines()[-1].startswith("Self-test: 13 passed, 0 failed, 2 not run, in ")


def test_without_it_nothing_is_different(command: Command, tiny_reader_folder: Path, careful_detector: Path) -> None:
    options = ["--reader", tiny_reader_folder, "--detector", careful_detector]
    assert list(json.loads(command("doctor", "--json", *options).out)) == ["schema", "works", "findings"]
    assert "Self-test" not in command("doctor", *options).out


def test_a_failed_check_is_the_exit_code(
    command: Command, tiny_reader_folder: Path, careful_detector: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    more_attention(monkeypatch)
    result = command("doctor", "--reader", tiny_reader_folder, "--detector", careful_detector, "--self-test")
    assert (result.code, result.err) == (EXIT_MODEL, "")
    assert "✓ trial check" in result.out
    assert "✗ pooled attention     largest difference " in result.out
    assert (
        "-> scores of this machine are not those that were measured; read in float32 (`--dtype float32`)" in result.out
    )
    assert ", 1 failed, 2 not run, in " in result.out.splitlines()[-1]


def test_models_that_are_missing_are_named_with_what_fetches_them(
    command: Command, no_models: None, careful_detector: Path
) -> None:
    result = command("doctor", "--json", "--self-test", "--detector", careful_detector)
    assert result.code == EXIT_MODEL
    document = json.loads(result.out)
    checks = {check["name"]: check for check in document["self_test"]["checks"]}
    assert document["self_test"]["passed"] is False
    assert checks["label persistence"]["ok"] is True
    for name, what, pulls in (
        ("reader checks", "the embedded reader", "embedded"),
        ("encoder checks", "the embedded embedding model", "embedder"),
    ):
        assert checks[name] == {
            "name": name, "ok": False, "detail": f"not finished: {what} is not on this machine",
            "remedy": f"run `ragcortex models pull {pulls}`", "difference": None, "tolerance": None,
        }  # fmt: skip


def test_a_reader_that_overflows_is_named(command: Command, tiny_reader_folder: Path, careful_detector: Path) -> None:
    import shutil

    from safetensors.torch import load_file, save_file

    folder = Path(shutil.copytree(tiny_reader_folder, careful_detector.parent / "overflowing"))
    weights = load_file(folder / "model.safetensors")
    weights["model.layers.1.mlp.down_proj.weight"].fill_(6e4)
    save_file(weights, folder / "model.safetensors", metadata={"format": "pt"})
    options = ["--json", "--reader", folder, "--detector", careful_detector, "--self-test"]
    result = command("doctor", *options, "--dtype", "float16")
    assert result.code == EXIT_MODEL
    checks = {check["name"]: check for check in json.loads(result.out)["self_test"]["checks"]}
    assert checks["reader checks"]["detail"].startswith(
        "not finished: reader 'overflowing' gave numbers that are not finite in float16: the states after layer "
    )
    assert checks["reader checks"]["remedy"] == "they overflow in this precision: read in bfloat16 or float32"


@pytest.mark.weights
def test_answers_whose_verdict_is_known() -> None:
    detector = Detector.load(strict=True)
    assert [finding.ok for finding in answer_findings(detector)] == [True, True]


def test_an_answer_with_another_verdict_fails(careful_detector: Path, tiny_reader_folder: Path) -> None:
    found = list(answer_findings(Detector.load(careful_detector, reader=str(tiny_reader_folder))))
    assert [(finding.name, finding.ok) for finding in found] == [
        ("known hallucination", False),
        ("known support", False),
    ]
    assert found[0].detail.startswith("review, score ")
    assert found[0].detail.endswith(", by careful; expected hallucinated")
