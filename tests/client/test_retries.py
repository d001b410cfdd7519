"""When requests are sent again, and what a refusal becomes; the network alone is made up."""

import itertools
import json
from collections.abc import Callable
from typing import Any

import httpx
import pytest

from ragcortex.client import ClientError, Retries
from ragcortex.client.call import Answer
from ragcortex.client.exchange import error_of
from ragcortex.errors import InputError

URL = "http://service.test:8765"
EAGER = Retries(n=2, first_wait=0, longest_wait=1)
NO_CORPORA = httpx.Response(200, json={"corpora": []})


class Network:
    """Answers requests one after the other with what it was given: responses, or errors to raise."""

    def __init__(self, *outcomes: httpx.Response | type[httpx.RequestError]) -> None:
        self.outcomes = list(outcomes)
        self.requests: list[httpx.Request] = []

    def __call__(self, request: httpx.Request) -> httpx.Response:
        self.requests.append(request)
        outcome = self.outcomes.pop(0)
        if isinstance(outcome, httpx.Response):
            return httpx.Response(outcome.status_code, headers=outcome.headers, content=outcome.content)
        raise outcome("made up", request=request)


@pytest.fixture
def connect(make_client: Callable[..., Any]) -> Callable[..., tuple[Any, Network]]:
    """Return what makes a client of a made-up network."""

    def connected(*outcomes: Any, retries: Retries = EAGER) -> tuple[Any, Network]:
        network = Network(*outcomes)
        return make_client(URL, "rck_a_secret", retries=retries, transport=httpx.MockTransport(network)), network

    return connected


def busy(status: int, seconds: str | None) -> httpx.Response:
    problem = {"title": "Busy", "status": status, "detail": "too much at once"}
    return httpx.Response(status, json=problem, headers={"Retry-After": seconds} if seconds is not None else {})


@pytest.mark.parametrize("status", [429, 503])
def test_what_is_refused_for_now_is_sent_again(connect: Any, status: int) -> None:
    client, network = connect(busy(status, "0"), busy(status, "0"), NO_CORPORA)
    assert client.corpora.list() == ()
    assert len(network.requests) == 3


def test_a_request_that_must_not_be_repeated_is_sent_again_where_it_was_refused(connect: Any) -> None:
    made = {"id": "k", "name": "n", "scopes": ["check"], "rate_per_minute": None, "created_at": "2026-01-05T09:30:00Z"}
    made |= {"expires_at": None, "revoked_at": None, "replaced_by": None, "secret": "rck_new"}
    client, network = connect(busy(429, "0"), httpx.Response(201, json=made))
    assert client.keys.create("n", ["check"]).secret == "rck_new"
    assert network.requests[0].content == network.requests[1].content


@pytest.mark.parametrize(
    ("outcomes", "n_sent"),
    [
        ([busy(429, "0")] * 3, 3),
        ([busy(429, "2")], 1),
        ([busy(503, None)], 1),
        ([busy(429, "soon")], 1),
        ([busy(500, "0")], 1),
        ([httpx.Response(409, json={}, headers={"Retry-After": "0"})], 1),
    ],
    ids=["too often", "too long a wait", "no time named", "no time", "an error", "a conflict"],
)
def test_waiting_has_bounds(connect: Any, outcomes: list[httpx.Response], n_sent: int) -> None:
    client, network = connect(*outcomes)
    with pytest.raises(ClientError) as caught:
        client.corpora.list()
    assert caught.value.status == outcomes[-1].status_code
    assert len(network.requests) == n_sent


def test_a_day_may_be_named_instead_of_seconds(connect: Any) -> None:
    client, _ = connect(busy(429, "Wed, 21 Oct 2015 07:28:00 GMT"), NO_CORPORA)
    assert client.corpora.list() == ()


def test_a_check_whose_connection_broke_is_sent_again_under_the_same_name(connect: Any) -> None:
    client, network = connect(httpx.ReadError, httpx.ReadTimeout, httpx.Response(422, json={"detail": "no"}))
    with pytest.raises(ClientError, match=r"^422 Unprocessable E?n?t?i?t?y?C?o?n?t?e?n?t?: no$"):
        client.check(None, ["a"], "b")
    names = {request.headers["Idempotency-Key"] for request in network.requests}
    assert (len(network.requests), len(names)) == (3, 1)
    other, its_network = connect(httpx.Response(422, json={"detail": "no"}))
    with pytest.raises(ClientError):
        other.check(None, ["a"], "b")
    assert its_network.requests[0].headers["Idempotency-Key"] not in names


def test_what_may_have_been_done_is_not_sent_again(connect: Any) -> None:
    client, network = connect(httpx.ReadError)
    with pytest.raises(ClientError) as caught:
        client.corpora.create("coast", ["text"])
    assert str(caught.value) == (
        f"No connection: {URL} cannot be reached (ReadError); check its address and that it runs"
    )
    assert caught.value.status is None
    assert len(network.requests) == 1


def test_what_cannot_have_arrived_is_sent_again(connect: Any) -> None:
    client, network = connect(httpx.ConnectError, httpx.ConnectTimeout, httpx.Response(422, json={"detail": "no"}))
    with pytest.raises(ClientError):
        client.corpora.create("coast", ["text"])
    assert len(network.requests) == 3


def test_giving_up_says_how_often_it_was_tried(connect: Any) -> None:
    client, _ = connect(*[httpx.ReadTimeout] * 3)
    with pytest.raises(ClientError) as caught:
        client.health()
    assert str(caught.value) == (
        f"No answer in time: {URL} did not answer in time after 3 tries; give the client a longer timeout, or send less"
    )


def test_a_corpus_that_is_gone_after_a_broken_deletion_was_deleted(connect: Any) -> None:
    gone = httpx.Response(404, json={"detail": "no corpus is called 'coast'"})
    client, _ = connect(httpx.ReadError, gone)
    assert client.corpora.delete("coast") is None
    other, _ = connect(gone)
    with pytest.raises(ClientError):
        other.corpora.delete("coast")


def test_not_being_ready_is_an_answer(connect: Any) -> None:
    values = {"status": "not ready", "problems": ["models are not warm"]}
    client, network = connect(httpx.Response(503, json=values))
    answer = client.ready()
    assert (answer.ready, answer.problems, len(network.requests)) == (False, ("models are not warm",), 1)


def test_requests_carry_key_and_agent_and_quote_their_paths(connect: Any) -> None:
    client, network = connect(httpx.Response(404, json={}), httpx.Response(404, json={}))
    with pytest.raises(ClientError):
        client.corpora.remove("my handbook", "a/b?c#d")
    with pytest.raises(ClientError):
        client.corpora.upload("coast", [("a.txt", b"text")], create=True)
    first, second = network.requests
    assert first.url.raw_path == b"/v1/corpora/my%20handbook/documents/a%2Fb%3Fc%23d"
    assert first.headers["Authorization"] == "Bearer rck_a_secret"
    assert first.headers["User-Agent"].startswith("ragcortex/")
    assert second.url.raw_path == b"/v1/corpora/coast/files?create=true"
    assert b'name="files"; filename="a.txt"' in second.content
    assert "rck_a_secret" not in repr(client)


def test_a_path_before_the_service_s_own_is_kept(make_client: Any) -> None:
    network = Network(NO_CORPORA)
    client = make_client(f"{URL}/behind/a/proxy/", transport=httpx.MockTransport(network))
    client.corpora.list()
    assert network.requests[0].url.raw_path == b"/behind/a/proxy/v1/corpora"
    assert "Authorization" not in network.requests[0].headers


@pytest.mark.parametrize("body", [b"", b"<html>", b"[]", b"{}", b'{"corpora": [{}]}', b"[" * 100_000])
def test_an_answer_of_another_form_is_an_error(connect: Any, body: bytes) -> None:
    client, _ = connect(httpx.Response(200, content=body))
    with pytest.raises(
        ClientError, match=r"^200 Unexpected answer: the answer is not what this version of the client "
    ):
        client.corpora.list()


@pytest.mark.parametrize(
    ("body", "text"),
    [
        (b"", "502 Bad Gateway: no reason given"),
        (b"<h1>Bad gateway</h1>", "502 Bad Gateway: <h1>Bad gateway</h1>"),
        (b'{"title": "T", "detail": "D", "field": "f", "request_id": "r"}', "502 T: f: D"),
        (b'{"title": 3, "detail": []}', '502 Bad Gateway: {"title": 3, "detail": []}'),
        (b"[1]", "502 Bad Gateway: [1]"),
    ],
)
def test_refusals_of_any_form_become_errors(body: bytes, text: str) -> None:
    assert str(error_of(Answer(502, {}, body))) == text


def test_a_stream_that_is_refused_for_now_is_asked_for_again(connect: Any) -> None:
    events = [("stream", {"id": "s"}), ("later kind", {}), ("problem", {"status": 504, "title": "T", "detail": "D"})]
    lines = ": a comment\n\n" + "".join(f"event: {name}\ndata: {json.dumps(data)}\n\n" for name, data in events)
    client, network = connect(busy(429, "0"), httpx.Response(200, text=lines))
    with pytest.raises(ClientError, match=r"^504 T: D$"):
        list(client.check_stream(None, ["a"], "b"))
    assert len(network.requests) == 2


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('event: stream\ndata: {"id": "s"}\n\n', "The stream broke off: it ended without a report; "),
        ('event: report\ndata: {}\n\n', "200 Unexpected answer: the answer is not what this version "),
        ('event: tokens\ndata: {"final": false, "tokens": [], "spans": []}\n\n', "Unexpected answer: the stream of "),
    ],
)  # fmt: skip
def test_a_stream_of_another_form_is_an_error(connect: Any, text: str, message: str) -> None:
    client, _ = connect(httpx.Response(200, text=text))
    with pytest.raises(ClientError) as caught:
        list(client.check_stream(None, ["a"], "b"))
    assert str(caught.value).startswith(message)


@pytest.mark.parametrize("url", ["", "service.test", "ftp://service.test", "http://"])
def test_an_address_that_is_none_is_refused(make_client: Any, url: str) -> None:
    with pytest.raises(InputError, match=r"^base_url: must be an http:// or https:// address, got "):
        make_client(url)


def test_options_out_of_range_are_refused(make_client: Any) -> None:
    with pytest.raises(InputError, match=r"^timeout: must be seconds greater than 0, got 0$"):
        make_client(URL, timeout=0)
    with pytest.raises(InputError, match=r"^retries.n: must be a whole number from 0 on, got -1$"):
        Retries(n=-1)
    with pytest.raises(InputError, match=r"^retries.longest_wait: must be seconds from 0 on, got -1$"):
        Retries(longest_wait=-1)


def test_waits_grow_up_to_a_bound() -> None:
    retries = Retries(first_wait=1, longest_wait=5)
    for n_failed, bound in ((1, 1), (2, 2), (3, 4), (4, 5), (9, 5)):
        waits = [retries.wait(n_failed) for _ in itertools.repeat(None, 50)]
        assert bound / 2 <= min(waits) <= max(waits) <= bound
