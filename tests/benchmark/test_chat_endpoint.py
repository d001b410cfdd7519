"""The chat endpoint against a real server: what is sent, what is tried again, and what is an error."""

import json
import time
from typing import Any

import pytest
from chat_server import ChatServer, said

from ragcortex.benchmark.chat_endpoint import ChatAnswer, ChatEndpoint, answer_of
from ragcortex.errors import InputError, ModelError

KEY = "sk-very-secret-0123456789"
HOW: dict[str, Any] = {"temperature": 0.0, "top_p": 1.0, "max_tokens": 4}


@pytest.fixture(autouse=True)
def plain_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.delenv(name, raising=False)
    for name in ("URL", "MODEL", "KEY"):
        monkeypatch.delenv(f"RAGCORTEX_CHAT_{name}", raising=False)


def endpoint(server: ChatServer, **options: Any) -> ChatEndpoint:
    return ChatEndpoint(server.url, "m", **{"first_wait": 0.001, **options})


def test_what_is_sent_and_what_comes_back(server: ChatServer) -> None:
    server.replies = [said("Hello", {"Yes": -0.5, " No": -1.5}), said("cut", finish="length")]
    one = endpoint(server, api_key=KEY)
    answer = one.ask("Hi?", temperature=0.7, top_p=0.9, max_tokens=5, seed=11, first_token=True)
    assert answer == ChatAnswer("Hello", True, {"Yes": -0.5, " No": -1.5})
    assert one.ask("Hi?", **HOW) == ChatAnswer("cut", False, None)
    one.close()
    assert server.requests == [
        {
            "path": "/v1/chat/completions", "model": "m", "messages": [{"role": "user", "content": "Hi?"}],
            "temperature": 0.7, "top_p": 0.9, "max_tokens": 5, "seed": 11, "logprobs": True, "top_logprobs": 20,
        },
        {"path": "/v1/chat/completions", "model": "m", "messages": [{"role": "user", "content": "Hi?"}], **HOW},
    ]  # fmt: skip
    assert {headers["Authorization"] for headers in server.headers} == {f"Bearer {KEY}"}


def test_address_model_and_key_come_from_the_environment(server: ChatServer, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(InputError) as caught:
        ChatEndpoint.of_settings()
    assert str(caught.value) == "url: is missing; a chat endpoint needs its base address: set RAGCORTEX_CHAT_URL"
    monkeypatch.setenv("RAGCORTEX_CHAT_URL", server.url)
    with pytest.raises(InputError) as caught:
        ChatEndpoint.of_settings()
    assert str(caught.value) == "model: is missing; a chat endpoint needs its model's name: set RAGCORTEX_CHAT_MODEL"
    monkeypatch.setenv("RAGCORTEX_CHAT_MODEL", "from-environment")
    monkeypatch.setenv("RAGCORTEX_CHAT_KEY", KEY)
    one = ChatEndpoint.of_settings()
    one.ask("a", **HOW)
    other = ChatEndpoint.of_settings(model="given")
    other.ask("a", **HOW)
    assert [request["model"] for request in server.requests] == ["from-environment", "given"]
    assert server.headers[0]["Authorization"] == f"Bearer {KEY}"
    assert KEY not in repr(one)
    one.close()
    other.close()


@pytest.mark.parametrize("status", [429, 500, 502, 503, 504])
def test_a_busy_endpoint_is_asked_again(server: ChatServer, status: int) -> None:
    server.replies = [(status, b'{"error": {"message": "busy"}}', {}), (status, b"", {"Retry-After": "0.01"})]
    one = endpoint(server)
    assert one.ask("a", **HOW).text == "Yes"
    one.close()
    assert len(server.requests) == 3


def test_retries_are_bounded_and_long_waits_refused(server: ChatServer) -> None:
    server.replies = [(500, b'{"error": {"message": "out of\\nmemory"}}', {})] * 3
    one = endpoint(server, retries=2)
    with pytest.raises(ModelError) as caught:
        one.ask("a", **HOW)
    place = f"the chat endpoint {server.url}/chat/completions"
    assert str(caught.value) == f"{place} answered 500 with an error after 3 tries: 'out of memory'"
    server.replies = [(429, b"{}", {"Retry-After": "3600"})]
    with pytest.raises(ModelError) as caught:
        one.ask("a", **HOW)
    one.close()
    assert str(caught.value) == (
        f"{place} answered 429 with a request to wait 3600 s, longer than 60 s; try again later, what is there is kept"
    )
    assert len(server.requests) == 4


@pytest.mark.parametrize(
    ("status", "body", "message"),
    [
        (401, f'{{"error": {{"message": "{KEY} is bad"}}}}', "answered 401 with an error: '(key) is bad'; set "
         "RAGCORTEX_CHAT_KEY to a valid key"),
        (404, "<html>not\nhere</html>", "answered 404 with an error: '<html>not here</html>'"),
        (200, "<html>hello</html>", "answered 200 with something that is not JSON: '<html>hello</html>'"),
        (200, "[" * 100_000, f"answered 200 with something that is not JSON: '{'[' * 200}'"),
        (200, "[]", "answered in another form: expected an object with a list `choices` of one object"),
        (200, '{"choices": [{"message": {"content": null}}]}', "answered in another form: expected text in "
         "`choices[0].message.content`, got NoneType"),
    ],
)  # fmt: skip
def test_errors_are_not_tried_again(server: ChatServer, status: int, body: str, message: str) -> None:
    server.replies = [(status, body.encode(), {})]
    one = endpoint(server, api_key=KEY)
    with pytest.raises(ModelError) as caught:
        one.ask("a", **HOW)
    one.close()
    assert str(caught.value) == f"the chat endpoint {server.url}/chat/completions {message}"
    assert len(server.requests) == 1


def test_a_text_that_is_too_long_is_the_inputs_fault(server: ChatServer) -> None:
    server.replies = [(400, b'{"error": {"message": "maximum context length is 10 tokens"}}', {})]
    one = endpoint(server)
    with pytest.raises(InputError) as caught:
        one.ask("a", **HOW)
    one.close()
    assert str(caught.value) == (
        f"prompt: the chat endpoint {server.url}/chat/completions answered 400 with 'maximum context length is 10 "
        "tokens'"
    )


def test_a_slow_endpoint_and_none_at_all_are_not_waited_for(server: ChatServer) -> None:
    server.delay = 5.0
    one = endpoint(server, timeout=0.2)
    started = time.monotonic()
    with pytest.raises(ModelError) as caught:
        one.ask("a", **HOW)
    one.close()
    assert str(caught.value) == (
        f"the chat endpoint {server.url}/chat/completions did not answer within 0.2 s; give a longer timeout"
    )
    gone = ChatEndpoint("http://user:secret@127.0.0.1:9/v1/", "m", api_key=KEY, first_wait=30)
    with pytest.raises(ModelError) as caught:
        gone.ask("a", **HOW)
    gone.close()
    assert str(caught.value) == (
        "the chat endpoint http://127.0.0.1:9/v1/chat/completions cannot be reached (ConnectError); "
        "check its address and that it runs"
    )
    assert time.monotonic() - started < 4
    assert len(server.requests) == 1


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"url": "ftp://a"}, "url: must be an http:// or https:// address, got 'ftp://a'"),
        ({"model": " "}, "model: must not be blank"),
        ({"timeout": 0}, "timeout: must be a number of seconds greater than 0, got 0"),
        ({"retries": -1}, "retries: must be a whole number from 0 on, got -1"),
        ({"first_wait": -1.0}, "first_wait: must be a number of seconds from 0 on, got -1.0"),
    ],
)
def test_options_are_checked(options: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError) as caught:
        ChatEndpoint(**{"url": "http://localhost/v1", "model": "m", **options})
    assert str(caught.value) == message


@pytest.mark.parametrize(
    "log_probs",
    [
        None,
        {"content": []},
        {"content": [{"top_logprobs": None}]},
        {"content": ["x"]},
        {"content": [{"top_logprobs": [{"token": "Yes"}]}]},
        {"content": [{"top_logprobs": [{"token": "Yes", "logprob": 0.5}]}]},
        {"content": [{"top_logprobs": ["Yes"]}]},
    ],
)
def test_log_probabilities_of_another_form_are_none(log_probs: object) -> None:
    document = {"choices": [{"message": {"content": "Yes"}, "logprobs": log_probs}]}
    assert answer_of(json.loads(json.dumps(document))).first_token is None
