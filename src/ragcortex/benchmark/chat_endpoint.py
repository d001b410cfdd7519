"""Chat models behind an HTTP endpoint in the OpenAI form: one question, one checked answer."""

import json
import math
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import urlsplit

from ragcortex.checks import check_text
from ragcortex.errors import InputError, ModelError
from ragcortex.geometry.embedders.endpoint import (
    _LONGEST_WAIT,
    _RETRIED,
    _TOO_LONG,
    _TOO_LONG_STATUSES,
    _message,
    _wait,
    _without_secrets,
)
from ragcortex.settings import settings

_TOP_LOG_PROBS: Final = 20


@dataclass(frozen=True, slots=True)
class ChatAnswer:
    """What a chat model answered.

    Attributes:
        text: what it wrote; may be empty.
        ended: whether it ended by itself; False where it was stopped at the most tokens allowed.
        first_token: log-probabilities of the likeliest first tokens by their text; None where it gives none.
    """

    text: str
    ended: bool
    first_token: Mapping[str, float] | None = None


class ChatEndpoint:
    """A chat model behind `POST {url}/chat/completions`; safe to use from several threads.

    Answers 429, 500, 502, 503 and 504 are asked again up to `retries` times, after the time that `Retry-After` names
    or, without it, after `first_wait` seconds, doubled each time. A connection that fails or takes longer than
    `timeout` is not tried again: without a network nothing waits. No message contains the key.
    """

    def __init__(
        self,
        url: str,
        model: str,
        *,
        api_key: str | None = None,
        timeout: float = 120.0,
        retries: int = 4,
        first_wait: float = 0.5,
    ) -> None:
        """Describe the endpoint; nothing is sent yet.

        Args:
            url: the base address, `/chat/completions` is appended: `https://api.example.com/v1`.
            model: the model's name at the endpoint.
            api_key: sent as a bearer token; by default `RAGCORTEX_CHAT_KEY`, and none if that is not set.
            timeout: seconds to wait for an answer.
            retries: how often a request is repeated when the endpoint is busy or fails.
            first_wait: seconds before the first repetition where the endpoint names no time; doubled each time.

        Raises:
            InputError: an argument is out of range, or the address is none.
        """
        import httpx

        check_text("model", model, filled=True)
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise InputError("url", f"must be an http:// or https:// address, got {_without_secrets(url)!r}")
        if isinstance(retries, bool) or not isinstance(retries, int) or retries < 0:
            raise InputError("retries", f"must be a whole number from 0 on, got {retries!r}")
        if not timeout > 0:
            raise InputError("timeout", f"must be a number of seconds greater than 0, got {timeout!r}")
        if not first_wait >= 0:
            raise InputError("first_wait", f"must be a number of seconds from 0 on, got {first_wait!r}")
        path = parts.path.rstrip("/")
        place = path if path.endswith("/chat/completions") else f"{path}/chat/completions"
        self._target = parts._replace(path=place, fragment="").geturl()
        self.shown = _without_secrets(self._target)
        self.model = model
        self._timeout, self._retries, self._first_wait = timeout, retries, first_wait
        self._key = api_key if api_key is not None else settings().chat_key
        headers = {"Authorization": f"Bearer {self._key}"} if self._key else {}
        self._client = httpx.Client(timeout=timeout, headers=headers)

    @classmethod
    def of_settings(cls, url: str | None = None, model: str | None = None) -> "ChatEndpoint":
        """Return the endpoint that the arguments or else the environment name.

        Raises:
            InputError: neither names an address or a model.
        """
        found = settings()
        url, model = url or found.chat_url, model or found.chat_model
        if url is None:
            raise InputError("url", "is missing; a chat endpoint needs its base address: set RAGCORTEX_CHAT_URL")
        if model is None:
            raise InputError("model", "is missing; a chat endpoint needs its model's name: set RAGCORTEX_CHAT_MODEL")
        return cls(url, model)

    def __repr__(self) -> str:
        return f"ChatEndpoint({self.shown!r}, {self.model!r})"

    def close(self) -> None:
        """Close the connections."""
        self._client.close()

    def ask(
        self,
        text: str,
        *,
        temperature: float,
        top_p: float,
        max_tokens: int,
        seed: int | None = None,
        first_token: bool = False,
    ) -> ChatAnswer:
        """Return the answer to one user message.

        Args:
            text: the message.
            temperature, top_p, max_tokens, seed: as the endpoint understands them; a seed of None is not sent.
            first_token: ask for the log-probabilities of the first token as well.

        Raises:
            InputError: the endpoint says that the text is longer than its model reads.
            ModelError: it cannot be reached, refuses, or answers in another form.
        """
        payload: dict[str, Any] = {
            "model": self.model,
            "messages": [{"role": "user", "content": text}],
            "temperature": temperature,
            "top_p": top_p,
            "max_tokens": max_tokens,
        }
        if seed is not None:
            payload["seed"] = seed
        if first_token:
            payload |= {"logprobs": True, "top_logprobs": _TOP_LOG_PROBS}
        body = self._asked(payload)
        try:
            document = json.loads(body)
        except ValueError:
            raise ModelError(f"{self._said(200)} something that is not JSON: {self._excerpt(body)}") from None
        try:
            return answer_of(document)
        except ValueError as error:
            raise ModelError(f"the chat endpoint {self.shown} answered in another form: {error}") from None

    def _asked(self, payload: Mapping[str, Any]) -> bytes:
        """Return the body of the first answer that is not an error."""
        for attempt in range(self._retries + 1):
            response = self._posted(payload)
            status: int = response.status_code
            content: bytes = response.content
            if status == 200:
                return content
            message = self._excerpt(content)
            if status in _TOO_LONG_STATUSES and (status == 413 or _TOO_LONG.search(message)):
                raise InputError("prompt", f"{self._said(status)} {message}")
            if status not in _RETRIED or attempt == self._retries:
                break
            wait = _wait(response.headers.get("Retry-After"))
            if wait is not None and wait > _LONGEST_WAIT:
                raise ModelError(
                    f"{self._said(status)} a request to wait {wait:.0f} s, longer than {_LONGEST_WAIT:.0f} s; "
                    "try again later, what is there is kept"
                )
            time.sleep(self._first_wait * 2**attempt if wait is None else wait)
        tries = f" after {attempt + 1} tries" if attempt else ""
        hint = "; set RAGCORTEX_CHAT_KEY to a valid key" if status in (401, 403) else ""
        raise ModelError(f"{self._said(status)} an error{tries}: {message}{hint}")

    def _posted(self, payload: Mapping[str, Any]) -> Any:
        import httpx

        try:
            return self._client.post(self._target, json=payload)
        except httpx.TimeoutException:
            raise ModelError(
                f"the chat endpoint {self.shown} did not answer within {self._timeout:g} s; give a longer timeout"
            ) from None
        except httpx.HTTPError as error:
            raise ModelError(
                f"the chat endpoint {self.shown} cannot be reached ({type(error).__name__}); "
                "check its address and that it runs"
            ) from None

    def _excerpt(self, body: bytes) -> str:
        """Return what an endpoint says, as one line, without the key, which some repeat."""
        line = _message(body)
        line = line.replace(self._key, "(key)") if self._key else line
        return repr(line[:200]) if line else "nothing"

    def _said(self, status: int) -> str:
        return f"the chat endpoint {self.shown} answered {status} with"


def answer_of(document: object) -> ChatAnswer:
    """Return the answer in a decoded reply.

    Raises:
        ValueError: what was expected and what was found.
    """
    choices = document.get("choices") if isinstance(document, dict) else None
    if not isinstance(choices, list) or len(choices) != 1 or not isinstance(choices[0], dict):
        raise ValueError("expected an object with a list `choices` of one object")
    message = choices[0].get("message")
    content = message.get("content") if isinstance(message, dict) else None
    if not isinstance(content, str):
        raise ValueError(f"expected text in `choices[0].message.content`, got {type(content).__name__}")
    return ChatAnswer(content, choices[0].get("finish_reason") != "length", _first_token(choices[0].get("logprobs")))


def _first_token(log_probs: object) -> dict[str, float] | None:
    """Return log-probabilities of the first token by text, None where there are none or in a form not known."""
    tokens = log_probs.get("content") if isinstance(log_probs, dict) else None
    likeliest = (
        tokens[0].get("top_logprobs") if isinstance(tokens, list) and tokens and isinstance(tokens[0], dict) else None
    )
    if not isinstance(likeliest, list):
        return None
    found: dict[str, float] = {}
    for item in likeliest:
        if not isinstance(item, dict) or not isinstance(item.get("token"), str):
            return None
        value = item.get("logprob")
        if not isinstance(value, int | float) or isinstance(value, bool) or math.isnan(value) or value > 1e-6:
            return None
        found[item["token"]] = float(value)
    return found
