"""Questions, answers and passages as other libraries write them: plain texts, messages and documents, objects or JSON.

The names that other libraries use stand here and nowhere else. No library is imported: what has a text is taken for
what it looks like.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from ragcortex.errors import InputError
from ragcortex.example import Reference

QUESTION_KEYS: Final = ("question", "input", "query", "user_input")
ANSWER_KEYS: Final = ("answer", "response", "output", "result", "text")
DOCUMENT_KEYS: Final = ("context", "source_documents", "documents", "retrieved_contexts", "contexts", "references")
MESSAGES: Final = "messages"

_TEXTS: Final = ("page_content", "text", "content")
_METADATA: Final = ("metadata", "meta")
_IDENTIFIERS: Final = ("id", "node_id")
_SOURCES: Final = ("source", "url", "file_path", "file_name", "title")
_PAGES: Final = ("page_label", "page_number", "page")
_ROLES: Final = {
    "human": "user",
    "HumanMessage": "user",
    "HumanMessageChunk": "user",
    "ai": "assistant",
    "AIMessage": "assistant",
    "AIMessageChunk": "assistant",
}


def first_key(values: Mapping[str, Any], names: Sequence[str]) -> str | None:
    """Return the first of these names that has a value other than None; None if none has."""
    return next((name for name in names if values.get(name) is not None), None)


def text_of(field: str, value: object) -> str:
    """Return the text of a string, of a message (an object or JSON), or of a message's list of parts.

    Parts that are no text, such as images, are left out.

    Raises:
        InputError: there is no text in it; the message names the field.
    """
    found = _text(value)
    if found is None:
        raise InputError(field, f"must be text or a message with text, got {type(value).__name__}")
    return found


def last_message(field: str, messages: object, role: str) -> str:
    """Return the text of the last message of `user` or `assistant`.

    Raises:
        InputError: it is no list of messages, or none is of that role and has text.
    """
    if isinstance(messages, str) or not isinstance(messages, Sequence):
        raise InputError(field, f"must be a list of messages, got {type(messages).__name__}")
    if len(messages) == 1 and isinstance(messages[0], list):  # a batch of one
        return last_message(field, messages[0], role)
    for message in reversed(messages):
        if _role(message) == role and (text := _text(message)):
            return text
    raise InputError(field, f"must hold a message of the {role} with text, got {len(messages)} messages without one")


def references_of(field: str, documents: object) -> tuple[Reference, ...]:
    """Return documents as references, in order; a single text is one reference.

    Raises:
        InputError: it is no list, or a document has no text; the message names the field and the document.
    """
    if isinstance(documents, str):
        return (Reference(documents),)
    if isinstance(documents, Mapping) or not isinstance(documents, Iterable):
        raise InputError(field, f"must be a list of documents or texts, got {type(documents).__name__}")
    return tuple(reference_of(f"{field}[{index}]", document) for index, document in enumerate(documents))


def reference_of(field: str, document: object) -> Reference:
    """Return a document (a text, an object, or JSON) as a reference that keeps its id, and its source with the page.

    Raises:
        InputError: it has no text; the message names the field.
    """
    if isinstance(document, Reference):
        return document
    if isinstance(document, str):
        return Reference(document)
    inner = _member(document, "node")  # a node that was found comes with its score
    document = document if inner is None else inner
    members = _unwrapped(document) if isinstance(document, Mapping) else document
    text = next((found for name in _TEXTS if isinstance(found := _member(members, name), str)), None)
    if text is None:
        kind = type(document).__name__
        raise InputError(field, f"must be text, or have one of {', '.join(_TEXTS)} as text, got {kind}")
    metadata = next((found for name in _METADATA if isinstance(found := _member(members, name), Mapping)), {})
    identifier = next((found for name in _IDENTIFIERS if (found := _member(members, name)) is not None), None)
    identifier = metadata.get("id") if identifier is None else identifier
    source = source_of(metadata) or (source_of(members) if isinstance(members, Mapping) else None)
    try:
        return Reference(text, None if identifier is None else str(identifier), source)
    except InputError as error:
        raise InputError(f"{field}.{error.field}", error.message) from None


def source_of(metadata: Mapping[str, Any]) -> str | None:
    """Return where a document comes from, by its metadata: its source and page; None if they do not say.

    A page is named as the metadata do, by its label if there is one: whether a number counts from 0 is not known.

    >>> source_of({"source": "manual.pdf", "page": 3, "page_label": "iv"})
    'manual.pdf, page iv'
    """
    source = _first_filled(metadata, _SOURCES)
    page = _first_filled(metadata, _PAGES)
    if source is None:
        return None if page is None else f"page {page}"
    return source if page is None else f"{source}, page {page}"


def _first_filled(metadata: Mapping[str, Any], names: Sequence[str]) -> str | None:
    texts = (str(metadata[name]).strip() for name in names if metadata.get(name) is not None)
    return next((text for text in texts if text), None)


def _text(value: object) -> str | None:
    if isinstance(value, str):
        return str(value)  # some libraries have kinds of strings of their own
    if isinstance(value, list):
        texts = [text for text in map(_part, value) if text is not None]
        return "".join(texts) if texts else None
    members = _unwrapped(value) if isinstance(value, Mapping) else value
    content = _member(members, "content")
    return _text(content if content is not None else _member(members, "text")) if members is not None else None


def _part(part: object) -> str | None:
    if isinstance(part, str):
        return part
    text = _member(part, "text")
    return text if isinstance(text, str) else None


def _role(message: object) -> str | None:
    members = _unwrapped(message) if isinstance(message, Mapping) else message
    names = [_member(members, name) for name in ("role", "type")]
    if isinstance(message, Mapping) and isinstance(message.get("id"), list):
        names.append(message["id"][-1])  # of an object written as JSON: its module and class
    for name in names:
        word = getattr(name, "value", name)
        if isinstance(word, str) and (word in _ROLES or word in _ROLES.values()):
            return _ROLES.get(word, word)
    return None


def _unwrapped(values: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the members of an object that was written as JSON with its class around them."""
    for name in ("kwargs", "data"):
        inner = values.get(name)
        if isinstance(inner, Mapping) and ("lc" in values or "type" in values):
            return {"type": values.get("type"), **inner}
    return values


def _member(value: object, name: str) -> Any:
    return value.get(name) if isinstance(value, Mapping) else getattr(value, name, None)
