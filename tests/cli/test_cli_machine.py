"""`ragcortex models`, `detectors` and `doctor`: what is on this machine; and what becomes of unexpected errors."""

import json
from pathlib import Path

import pytest
from cli_helpers import Command, use_words

from ragcortex.cli.console import plural, size_text
from ragcortex.errors import EXIT_INPUT, EXIT_INTERNAL, EXIT_INTERRUPTED, EXIT_MODEL, EXIT_OK


@pytest.fixture
def empty_caches(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Give this test caches with nothing in them, and no embedded wheels."""
    monkeypatch.setenv("RAGCORTEX_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr("ragcortex.readers.embedded._installed", lambda: None)
    monkeypatch.setattr("ragcortex.geometry.embedders.embedded._installed", lambda: None)
    return tmp_path / "cache"


@pytest.fixture
def use_made_model(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """Let this test load the made embedder and its score model."""
    use_words(monkeypatch, tmp_path / "model")
    return tmp_path / "model"


def test_models_list_says_what_is_missing(command: Command, empty_caches: Path) -> None:
    result = command("models", "list")
    reader, embedder = (line.split(maxsplit=3) for line in result.out.splitlines()[:2])

    assert (result.code, result.err) == (EXIT_OK, "")
    assert reader == [
        "embedded", "embedded", "-", "not ready  not here; `ragcortex models pull embedded` fetches it",
    ]  # fmt: skip
    assert embedder == [
        "embedder", "embedded", "-", "not ready  not here; `ragcortex models pull embedder` fetches it",
    ]  # fmt: skip


def test_models_list_shows_unpacked_files(command: Command, empty_caches: Path) -> None:
    folder = empty_caches / "readers" / "gguf-0123456789abcdef"
    folder.mkdir(parents=True)
    (folder / "source.json").write_text(json.dumps({"source": "other.gguf", "source_sha256": "0123"}))
    (folder / "model.safetensors").write_bytes(bytes(2_000_000))

    assert "other.gguf  gguf       2.0 MB  ready      unpacked\n" in command("models", "list").out


def test_a_damaged_embedded_reader_is_not_ready(command: Command, empty_caches: Path) -> None:
    from ragcortex.readers.embedded import GGUF_NAME

    (empty_caches / "readers").mkdir(parents=True)
    (empty_caches / "readers" / GGUF_NAME).write_bytes(b"not it")

    assert "not ready  the embedded reader's file SmolLM2-135M-Instruct.Q4_1.gguf has SHA-256 " in (
        command("models", "list").out
    )


def test_a_damaged_embedded_encoder_is_not_ready(command: Command, empty_caches: Path) -> None:
    (empty_caches / "embedders" / "all-MiniLM-L6-v2").mkdir(parents=True)

    assert "not ready  the embedded embedding model has no file 1_Pooling/config.json; delete " in (
        command("models", "list").out
    )


@pytest.mark.weights
def test_models_info_of_the_embedded_encoder(command: Command) -> None:
    result = command("models", "info", "embedder")
    facts = dict(line.split(maxsplit=1) for line in result.out.splitlines())

    assert (result.code, facts["id"], facts["dimension"], facts["licence"]) == (
        EXIT_OK,
        "embedded",
        "384",
        "Apache-2.0",
    )
    assert (facts["window"], facts["size"]) == ("256 tokens; longer texts are read in pieces", "91 MB")


def test_models_info_needs_no_weights(command: Command, tiny_reader_folder: Path) -> None:
    result = command("models", "info", tiny_reader_folder)
    facts = dict(line.split(maxsplit=1) for line in result.out.splitlines())

    assert result.code == EXIT_OK
    assert (facts["id"], facts["architecture"], facts["layers"], facts["width"]) == ("tiny-llama", "llama", "4", "32")
    assert (facts["window"], facts["licence"]) == ("1,024 tokens", "not stated in its files")
    assert len(facts["fingerprint"]) == 64


def test_models_info_reads_the_licence(command: Command, tiny_reader_folder: Path) -> None:
    card = tiny_reader_folder / "README.md"
    card.write_text('---\nlanguage: en\nlicense: "apache-2.0"\n---\n# Tiny\n', encoding="utf-8")
    try:
        assert "licence       apache-2.0\n" in command("models", "info", tiny_reader_folder).out
    finally:
        card.unlink()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ["info", "some/model"],
            "reader 'some/model' is not on this machine; fetch it with `ragcortex models pull some/model`",
        ),
        (
            ["info", "embedder"],
            "the embedded embedding model is not on this machine; run `ragcortex models pull embedder`",
        ),
        (["info", "no.gguf"], "reader file 'no.gguf' does not exist"),
        (["pull", "some/model"], "reader 'some/model' cannot be fetched from the hub: "),
    ],
)
def test_models_errors(command: Command, empty_caches: Path, arguments: list[str], message: str) -> None:
    result = command("models", *arguments)

    assert (result.code, result.out) == (EXIT_MODEL, "")
    assert result.err.splitlines()[-1].startswith(f"ragcortex: {message}")


def test_detectors_info_shows_the_card(command: Command, careful_detector: Path) -> None:
    result = command("detectors", "info", careful_detector)

    assert (result.code, result.err) == (EXIT_OK, "")
    assert result.out == (careful_detector / "README.md").read_text(encoding="utf-8")
    assert result.out.startswith("# careful\n\nA ragcortex detector, version 1: ")


def test_detectors_info_needs_no_card(command: Command, careful_detector: Path) -> None:
    card = careful_detector / "README.md"
    text = card.read_text(encoding="utf-8")
    card.unlink()
    try:
        assert command("detectors", "info", careful_detector).out == text
    finally:
        card.write_text(text, encoding="utf-8")


def test_detectors_list_names_each(command: Command, careful_detector: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ragcortex.detectors.registry._BUNDLES", careful_detector.parent)
    result = command("detectors", "list")

    assert result.out == (
        "careful  version 1, recipe reference-gain, any reader; thresholds from hand-written answers\n"
    )
    assert command("detectors", "info", "carefull").err == (
        "ragcortex: detector: 'carefull' is neither a shipped detector nor a folder; did you mean 'careful'?\n"
    )


def test_detectors_that_ship_say_whether_they_hold_both_witnesses(command: Command) -> None:
    lines = dict(line.split(maxsplit=1) for line in command("detectors", "list").out.splitlines())
    assert lines["fusion"].startswith("version 1, both witnesses: reads with `cortex`, compares facts; calibrated on ")
    assert lines["cortex"].startswith("version ")
    assert ", recipe cortex-states, reader " in lines["cortex"]
    assert "both witnesses" not in lines["cortex"]
    assert command("detectors", "info", "fusion").out.startswith("# fusion\n")


def test_doctor_tries_both_witnesses(command: Command, mine: list[object], use_made_model: Path) -> None:
    result = command("doctor", *mine)

    assert (result.code, result.err) == (EXIT_OK, "")
    assert "✓ trial check          mine with reader tiny-llama and encoder words on cpu: loaded in " in result.out
    # The made score model stands for the one that ships here, which the shipped fusions were fitted on.
    assert (
        "✗ fusion               it was fitted on another geometric score model than the one that ships\n" in result.out
    )


def test_doctor_finds_a_machine_that_works(command: Command, tiny_reader_folder: Path, careful_detector: Path) -> None:
    result = command("doctor", "--reader", tiny_reader_folder, "--detector", careful_detector)

    assert (result.code, result.err) == (EXIT_OK, "")
    assert [line.split()[1] for line in result.out.splitlines() if "->" not in line][:4] == [
        "Python", "libraries", "devices", "threads",
    ]  # fmt: skip
    assert "✓ trial check          careful with reader tiny-llama on cpu: loaded in " in result.out
    assert "✓ fusion               loads; reads with cortex, fitted on reader " in result.out


def test_doctor_says_what_is_missing(command: Command, empty_caches: Path, careful_detector: Path) -> None:
    result = command("doctor", "--json", "--detector", careful_detector)
    document = json.loads(result.out)
    found = {finding["name"]: finding for finding in document["findings"]}

    assert result.code == EXIT_MODEL
    assert document["works"] is False
    assert found["embedded reader"] == {
        "name": "embedded reader", "ok": False, "detail": "not here", "remedy": "run `ragcortex models pull embedded`",
    }  # fmt: skip
    assert found["embedded encoder"] == {
        "name": "embedded encoder", "ok": False, "detail": "not here; the geometric witness needs it",
        "remedy": "run `ragcortex models pull embedder`",
    }  # fmt: skip
    assert found["cache"]["ok"] is True
    assert found["trial check"]["detail"] == (
        "the embedded reader is not on this machine; run `ragcortex models pull embedded`"
    )


def test_an_unexpected_error_is_one_sentence(command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken() -> None:
        raise ZeroDivisionError("one\ntwo")

    monkeypatch.setattr("ragcortex.readers.catalogue.readers_here", broken)
    result = command("models", "list")

    assert result.code == EXIT_INTERNAL
    assert result.err == "ragcortex: internal error: ZeroDivisionError: one two; `ragcortex --debug …` shows where\n"
    assert "Traceback" in command("--debug", "models", "list").err


def test_an_interrupt_is_one_sentence(command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted() -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("ragcortex.readers.catalogue.readers_here", interrupted)
    result = command("models", "list")

    assert (result.code, result.err) == (EXIT_INTERRUPTED, "ragcortex: interrupted\n")


def test_foreign_text_in_a_message_cannot_act_on_the_terminal(command: Command) -> None:
    result = command("check", "--answer", "x\x1b[2J.txt")

    assert result.code == EXIT_INPUT
    assert "\x1b" not in result.err


@pytest.mark.parametrize(
    ("n_bytes", "text"),
    [(0, "0 bytes"), (999, "999 bytes"), (1000, "1.0 kB"), (538_000_000, "538 MB"), (9_900_000_000, "9.9 GB")],
)
def test_sizes(n_bytes: int, text: str) -> None:
    assert size_text(n_bytes) == text


def test_plurals() -> None:
    assert [plural(n, "row") for n in (0, 1, 1200)] == ["0 rows", "1 row", "1,200 rows"]
