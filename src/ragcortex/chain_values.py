"""What a chain gives and takes: question, documents and answer in a mapping, whichever of the usual keys they have."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ragcortex.checks import check_text
from ragcortex.errors import InputError
from ragcortex.example import Example, Reference
from ragcortex.foreign import (
    ANSWER_KEYS,
    DOCUMENT_KEYS,
    MESSAGES,
    QUESTION_KEYS,
    first_key,
    last_message,
    references_of,
    text_of,
)


@dataclass(frozen=True, slots=True)
class ChainKeys:
    """Under which keys a chain's values stand; those that are None are looked for under the usual names.

    Attributes:
        question: by default the first of question, input, query, user_input that is there; else the last message of the
            user in `messages`; a chain without any has no question.
        documents: by default the first of context, source_documents, documents, retrieved_contexts, contexts,
            references.
        answer: by default the first of answer, response, output, result, text; else the assistant's last message in
            `messages`.

    Raises:
        InputError: a key is no text, or blank.
    """

    question: str | None = None
    documents: str | None = None
    answer: str | None = None

    def __post_init__(self) -> None:
        for name in ("question", "documents", "answer"):
            if getattr(self, name) is not None:
                check_text(f"{name}_key", getattr(self, name), filled=True)

    def question_in(self, values: Mapping[str, Any]) -> str | None:
        """Return the question of a chain's values.

        Raises:
            InputError: the key that was given is missing, or what it has is no text.
        """
        key = self.question or first_key(values, QUESTION_KEYS)
        if key is None:
            return last_message(MESSAGES, values[MESSAGES], "user") if values.get(MESSAGES) else None
        return text_of(key, _value(values, key))

    def answer_in(self, values: Mapping[str, Any]) -> str:
        """Return the answer in a chain's values.

        Raises:
            InputError: there is none, or it is no text.
        """
        key = self.answer_key(values)
        return last_message(key, values[key], "assistant") if key == MESSAGES else text_of(key, _value(values, key))

    def answer_key(self, values: Mapping[str, Any]) -> str:
        """Return the key of the answer, `messages` where it is the last message.

        Raises:
            InputError: there is none.
        """
        key = self.answer or first_key(values, (*ANSWER_KEYS, MESSAGES))
        if key is None:
            raise InputError("answer", f"is missing; {_told('answer', values)}")
        return key

    def references_in(self, values: Mapping[str, Any]) -> tuple[Reference, ...]:
        """Return the documents in a chain's values as references, in order.

        Raises:
            InputError: there are none, or one has no text.
        """
        key = self.documents or first_key(values, DOCUMENT_KEYS)
        if key is None:
            raise InputError("documents", f"is missing; {_told('documents', values)}")
        return references_of(key, _value(values, key))

    def example_in(self, values: object) -> Example:
        """Return question, documents and answer of a chain's values; `Evidence.reference` counts the documents.

        Raises:
            InputError: a value is missing or cannot be read; the message names its key.
        """
        if not isinstance(values, Mapping):
            kind = type(values).__name__
            raise InputError("input", f"must be a mapping with question, documents and answer, got {kind}")
        return Example(self.question_in(values), self.references_in(values), self.answer_in(values))


def _value(values: Mapping[str, Any], key: str) -> object:
    if key not in values:
        raise InputError(key, f"is missing; there are {', '.join(map(str, values))}")
    return values[key]


def _told(name: str, values: Mapping[str, Any]) -> str:
    return f"say with {name}_key which of {', '.join(map(str, values)) or '(nothing)'} it is"
