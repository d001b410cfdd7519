"""What goes wrong at an endpoint: each a clear error, never the key, never an endless wait."""

import time
from typing import Any

import pytest
from scripted_server import KEY, WIDTH, Scripted

from ragcortex.errors import InputError, ModelError, ReadingError
from ragcortex.geometry.embedders.endpoint import vectors_of
from ragcortex.geometry.embedders.http import HttpEmbedder


def test_a_longer_wait_than_is_sensible_is_an_error(server: Scripted, http_embedder: Any) -> None:
    one = http_embedder()
    server.next(429, {"error": "quota"}, Retry_After="3600")
    with pytest.raises(ModelError) as caught:
        one.warm_up()
    assert str(caught.value) == (
        f"the embeddings endpoint {server.url}/embeddings answered 429 with a request to wait 3600 s, longer than "
        "60 s; try again later"
    )
    assert len(server.requests) == 1


def test_retries_are_bounded(server: Scripted, http_embedder: Any) -> None:
    server.usual = lambda _: (500, b'{"error": {"message": "out of\\nmemory"}}', {})
    with pytest.raises(ModelError) as caught:
        http_embedder(retries=2).embed(["a"])
    assert str(caught.value) == (
        f"the embeddings endpoint {server.url}/embeddings answered 500 with an error after 3 tries: 'out of memory'"
    )
    assert len(server.requests) == 3


@pytest.mark.parametrize(
    ("status", "body", "message"),
    [
        (401, {"error": {"message": "bad key"}}, "answered 401 with an error: 'bad key'; set RAGCORTEX_EMBEDDINGS_KEY "
         "to a valid key"),
        (404, b"<html>not\nhere</html>", "answered 404 with an error: '<html>not here</html>'"),
        (400, {"detail": "unknown model"}, "answered 400 with an error: \"{'detail': 'unknown model'}\""),
        (301, b"", "answered 301 with an error: nothing"),
        (200, b"<html>hello</html>", "answered 200 with something that is not JSON: '<html>hello</html>'"),
        (200, [], "answered in another form: expected an object with a list `data`"),
        (200, {"data": []}, "answered in another form: expected 3 vectors, got 0"),
    ],
)  # fmt: skip
def test_errors_are_not_tried_again(
    server: Scripted, http_embedder: Any, status: int, body: object, message: str
) -> None:
    server.next(status, body)
    with pytest.raises(ModelError) as caught:
        http_embedder(api_key=KEY).warm_up()
    assert str(caught.value) == f"the embeddings endpoint {server.url}/embeddings {message}"
    assert len(server.requests) == 1


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ([{"embedding": [1.0]}], "expected 2 vectors, got 1"),
        ([{"embedding": [1.0]}, {"embedding": "AAAA"}], "expected a list `embedding` in every item of `data`"),
        ([{"index": 0, "embedding": [1]}, {"index": 0, "embedding": [1]}], "expected each `index` from 0 to 1 once"),
        ([{"index": 0, "embedding": [1.0]}, {"embedding": [1.0]}], "expected each `index` from 0 to 1 once"),
        ([{"embedding": [1.0]}, {"embedding": [1.0, 2.0]}], "expected vectors of one length, got 1, 2"),
        ([{"embedding": []}, {"embedding": []}], "expected vectors of one length, got 0"),
        ([{"embedding": [1.0]}, {"embedding": [True]}], "expected numbers in every `embedding`"),
        ([{"embedding": [1.0]}, {"embedding": [None]}], "expected numbers in every `embedding`"),
        ([{"embedding": [1]}, {"embedding": [10**400]}], "expected numbers that a float can hold in every `embedding`"),
    ],
)  # fmt: skip
def test_answers_of_another_form(data: list[Any], message: str) -> None:
    with pytest.raises(ValueError, match="expected") as caught:
        vectors_of({"data": data}, 2)
    assert str(caught.value) == message


def test_answers_without_indices_are_in_order() -> None:
    assert vectors_of({"data": [{"embedding": [1, 2]}, {"embedding": [3.5, 4]}]}, 2).tolist() == [[1, 2], [3.5, 4]]


@pytest.mark.parametrize("value", ["NaN", "Infinity", "1e999", "0"])
def test_vectors_without_direction_are_refused(server: Scripted, http_embedder: Any, value: str) -> None:
    one = http_embedder()
    one.warm_up()
    server.next(200, b'{"data": [{"embedding": [%s]}]}' % ", ".join([value] * WIDTH).encode())
    with pytest.raises(ReadingError) as caught:
        one.embed(["a"])
    what = "has no length" if value == "0" else "is not finite"
    assert str(caught.value) == (
        f"embedder {one.identity.id!r} gave a vector that {what}, for texts[0] (1 of 1 texts): its weights are "
        "damaged, or its numbers overflow; fetch it anew, or take another embedder"
    )


def test_a_slow_endpoint_is_not_waited_for(server: Scripted, http_embedder: Any) -> None:
    server.delay = 5.0
    started = time.monotonic()
    with pytest.raises(ModelError) as caught:
        http_embedder(timeout=0.2).warm_up()
    assert time.monotonic() - started < 3
    assert str(caught.value) == (
        f"the embeddings endpoint {server.url}/embeddings did not answer within 0.2 s; give a longer timeout or a "
        "smaller batch_size"
    )
    assert len(server.requests) == 1


def test_no_endpoint_at_the_address(http_embedder: Any) -> None:
    """R1: nothing is retried and nothing waits where no one listens; user and password are not shown."""
    gone = HttpEmbedder("http://user:secret@127.0.0.1:9/v1/", "m", api_key=KEY, first_wait=30)
    started = time.monotonic()
    with pytest.raises(ModelError) as caught:
        gone.warm_up()
    gone.close()
    assert time.monotonic() - started < 5
    assert str(caught.value) == (
        "the embeddings endpoint http://127.0.0.1:9/v1/embeddings cannot be reached (ConnectError); check its address "
        "and that it runs"
    )


def test_dimensions_are_asked_for_and_checked(server: Scripted, http_embedder: Any) -> None:
    one = http_embedder(dimensions=WIDTH)
    one.embed(["a"])
    assert {request["dimensions"] for request in server.requests} == {WIDTH}
    with pytest.raises(ModelError) as caught:
        http_embedder(dimensions=5).embed(["a"])
    assert str(caught.value) == (
        f"Endpoint('{server.url}/embeddings', 'm') was asked for vectors of 5 dimensions and gave {WIDTH}; leave "
        "`dimensions` out or take a model that can be truncated"
    )


def test_another_dimension_later_is_an_error(server: Scripted, http_embedder: Any) -> None:
    one = http_embedder()
    one.warm_up()
    server.next(200, {"data": [{"index": 0, "embedding": [1.0, 2.0]}]})
    with pytest.raises(ModelError) as caught:
        one.embed(["a"])
    assert str(caught.value) == f"Endpoint('{server.url}/embeddings', 'm') gave vectors of 2 dimensions, {WIDTH} before"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"model": " "}, "model: must not be blank"),
        ({"url": "ftp://x"}, "url: must be an http:// or https:// address, got 'ftp://x'"),
        ({"url": "http://"}, "url: must be an http:// or https:// address, got 'http://'"),
        ({"max_tokens": 0}, "max_tokens: must be a whole number from 1 on, got 0"),
        ({"dimensions": 1.5}, "dimensions: must be a whole number from 1 on, got 1.5"),
        ({"batch_size": True}, "batch_size: must be a whole number from 1 on, got True"),
        ({"retries": -1}, "retries: must be a whole number from 0 on, got -1"),
        ({"timeout": 0}, "timeout: must be a number of seconds greater than 0, got 0"),
        ({"first_wait": -1}, "first_wait: must be a number of seconds from 0 on, got -1"),
    ],
)
def test_options_out_of_range(options: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError) as caught:
        HttpEmbedder(**{"url": "http://127.0.0.1:9", "model": "m", **options})
    assert str(caught.value) == message


def test_no_text_of_ours_holds_the_key(server: Scripted, http_embedder: Any) -> None:
    one = http_embedder(api_key=KEY)
    assert KEY not in repr(one._endpoint)
    server.next(401, {"error": {"message": f"wrong key {KEY}"}})
    with pytest.raises(ModelError) as caught:
        one.warm_up()
    assert KEY not in str(caught.value)
