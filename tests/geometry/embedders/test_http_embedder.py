"""The endpoint embedder against a real server on the loopback interface: order, retries, long texts."""

import json
import time
from email.utils import formatdate
from typing import Any

import numpy as np
import pytest
from scripted_server import KEY, WIDTH, Scripted, answer, raw_vectors, usual, vector

from ragcortex.errors import InputError, ModelError
from ragcortex.geometry.embedders.http import HttpEmbedder, _pieces
from ragcortex.geometry.embedders.load import load_embedder


def test_vectors_identity_and_what_is_sent(server: Scripted, http_embedder: Any) -> None:
    one = http_embedder(batch_size=2, api_key=KEY)
    texts = ["a", "b", "c"]
    made = one.embed(texts)
    np.testing.assert_allclose(raw_vectors(made), [vector(text) for text in texts], rtol=1e-5)
    assert (one.identity.id, one.identity.revision, one.identity.dimension) == ("m", None, WIDTH)
    assert [request["input"] for request in server.requests[2:]] == [["a", "b"], ["c"]]
    assert {(request["path"], request["model"]) for request in server.requests} == {("/v1/embeddings", "m")}
    assert all("dimensions" not in request for request in server.requests)
    assert {headers["Authorization"] for headers in server.headers} == {f"Bearer {KEY}"}
    assert one.embed([]).unit.shape == (0, WIDTH)
    with pytest.raises(InputError) as caught:
        one.embed([" "])
    assert str(caught.value) == "texts[0]: must not be blank"


def test_the_key_comes_from_the_environment(
    server: Scripted, http_embedder: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    http_embedder().warm_up()
    assert "Authorization" not in server.headers[-1]
    monkeypatch.setenv("RAGCORTEX_EMBEDDINGS_KEY", KEY)
    http_embedder().warm_up()
    assert server.headers[-1]["Authorization"] == f"Bearer {KEY}"


def test_order_of_the_answer_is_that_of_its_indices(server: Scripted, http_embedder: Any) -> None:
    one = http_embedder()
    one.warm_up()
    texts = ["a", "b", "c", "d"]
    shuffled = answer(texts)
    shuffled["data"] = [shuffled["data"][place] for place in (2, 0, 3, 1)]
    server.next(200, shuffled)
    np.testing.assert_allclose(raw_vectors(one.embed(texts)), [vector(text) for text in texts], rtol=1e-5)


@pytest.mark.parametrize("status", [429, 500, 502, 503, 504])
def test_a_busy_endpoint_is_asked_again(server: Scripted, http_embedder: Any, status: int) -> None:
    one = http_embedder()
    one.warm_up()
    server.next(status, {"error": {"message": "busy"}})
    server.next(status, b"")
    np.testing.assert_allclose(raw_vectors(one.embed(["a"])), [vector("a")], rtol=1e-5)
    assert len(server.requests) == 4


def test_retry_after_is_honoured(server: Scripted, http_embedder: Any) -> None:
    one = http_embedder(first_wait=30.0)
    one.warm_up()
    server.next(429, {}, Retry_After="0.2")
    server.next(429, {}, Retry_After=formatdate(time.time() - 5, usegmt=True))
    started = time.monotonic()
    one.embed(["a"])
    assert 0.2 <= time.monotonic() - started < 5


def test_long_texts_are_pieces_weighted_by_their_length(server: Scripted, http_embedder: Any) -> None:
    """L5: every character is sent once; 20 tokens are taken to be 60 bytes."""
    text = "The lighthouse was built in 1874. It stands above the sea, on a cape. 灯台は海の上に立っている。" * 3
    one = http_embedder(max_tokens=20, batch_size=3)
    one.warm_up()
    made = one.embed(["short", text])
    sent = [piece for request in server.requests[1:] for piece in request["input"]]
    assert (sent[0], "".join(sent[1:])) == ("short", text)
    sizes = [len(piece.encode()) for piece in sent[1:]]
    assert max(sizes) <= 60
    expected = sum(size * np.array(vector(piece)) for size, piece in zip(sizes, sent[1:], strict=True)) / sum(sizes)
    np.testing.assert_allclose(raw_vectors(made), [vector("short"), expected], rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize(
    ("status", "message"),
    [
        (400, "This model's maximum context length is 8 tokens, however you requested 99 tokens"),
        (413, "payload"),
        (422, "input is too long: 99 > 8"),
    ],
)
def test_what_the_endpoint_refuses_as_too_long_is_halved(
    server: Scripted, http_embedder: Any, status: int, message: str
) -> None:
    def strict(payload: dict[str, Any]) -> tuple[int, bytes, dict[str, str]]:
        if any(len(text) > 60 for text in payload["input"]):
            return status, message.encode(), {}
        return usual(payload)

    server.usual = strict
    one = http_embedder()
    text = "The lighthouse was built in 1874 at Cape Arden. " * 4
    made = one.embed(["a", text, "b"])
    sent = [piece for request in server.requests for piece in request["input"] if len(piece) <= 60]
    parts = [piece for piece in dict.fromkeys(sent) if piece in text and piece not in ("a", "b")]
    assert "".join(piece for piece in sent if piece in parts) == text
    np.testing.assert_allclose(raw_vectors(made)[[0, 2]], [vector("a"), vector("b")], rtol=1e-5)
    pieces = [piece for piece in sent if piece in parts]
    expected = sum(len(piece) * np.array(vector(piece)) for piece in pieces) / len(text)
    np.testing.assert_allclose(raw_vectors(made)[1], expected, rtol=1e-3, atol=1e-5)


def test_halving_ends(server: Scripted, http_embedder: Any) -> None:
    server.usual = lambda _: (413, b'{"error": "too large"}', {})
    with pytest.raises(ModelError) as caught:
        http_embedder().warm_up()
    assert str(caught.value).startswith(
        f"the embeddings endpoint {server.url}/embeddings answered 413 with 'too large', for a text of "
    )
    assert len(server.requests) < 8


def test_white_space_alone_is_not_sent() -> None:
    assert _pieces("a" * 9 + " " * 30 + "b" * 9, 10) == ["a" * 9 + " ", "b" * 9]
    assert _pieces("👩‍🚀" * 2, 4) == ["👩‍🚀", "👩‍🚀"]


def test_the_fingerprint_tells_models_apart_but_bears_noise(server: Scripted, http_embedder: Any) -> None:
    first = http_embedder().identity.fingerprint
    assert http_embedder().identity.fingerprint == first
    rng = np.random.default_rng(1)

    def altered(scale: float, seed: str) -> Any:
        def answered(payload: dict[str, Any]) -> tuple[int, bytes, dict[str, str]]:
            data = [{"embedding": (vector(text, seed) + rng.normal(size=WIDTH) * scale).tolist()}
                    for text in payload["input"]]  # fmt: skip
            return 200, json.dumps({"data": data}).encode(), {}

        return answered

    for _ in range(5):
        server.usual = altered(1e-4, "")
        assert http_embedder().identity.fingerprint == first
    server.usual = altered(0.0, "another model")
    assert http_embedder().identity.fingerprint != first


def test_load_by_address(server: Scripted, http_embedder: Any) -> None:
    loaded = load_embedder(server.url, model="m", dimension=WIDTH)
    assert isinstance(loaded, HttpEmbedder)
    assert loaded.identity.dimension == WIDTH
    loaded.close()
    for options, message in (
        ({}, "model: is missing; an endpoint needs the name of its embedding model: set RAGCORTEX_EMBEDDINGS_MODEL"),
        ({"model": "m", "device": "cpu"}, "device: does not go with an endpoint, got 'cpu'; leave it out"),
    ):
        with pytest.raises(InputError) as caught:
            load_embedder(server.url, **options)
        assert str(caught.value) == message
