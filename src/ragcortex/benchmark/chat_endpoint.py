"""Chat models behind an HTTP endpoint in the OpenAI form: one question, one checked answer."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from ragcortex.checks import check_text
from ragcortex.endpoints import EndpointKind, JsonEndpoint, TooLongError
from ragcortex.errors import InputError
from ragcortex.settings import settings

_CHAT: Final = EndpointKind(
    name="chat endpoint",
    route="/chat/completions",
    key_variable="RAGCORTEX_CHAT_KEY",
    when_busy="try again later, what is there is kept",
)
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

    See `JsonEndpoint` for what is repeated and when; no message contains the key.

    Attributes:
        shown: the address as it may be shown and kept, without what may hold a key.
        model: the model's name at the endpoint.
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
        check_text("model", model, filled=True)
        key = api_key if api_key is not None else settings().chat_key
        self._http = JsonEndpoint(_CHAT, url, api_key=key, timeout=timeout, retries=retries, first_wait=first_wait)
        self.shown, self.model = self._http.shown, model

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
        self._http.close()

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
        try:
            return self._http.ask(payload, answer_of)
        except TooLongError as error:
            raise InputError("prompt", str(error)) from None


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
