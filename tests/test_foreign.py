"""Questions, answers and passages read from what other libraries write."""

from pathlib import Path
from types import SimpleNamespace

import pytest
from langchain_core.documents import Document
from langchain_core.load import dumpd
from langchain_core.messages import AIMessage, HumanMessage, messages_to_dict

from ragcortex.errors import InputError
from ragcortex.example import Reference
from ragcortex.foreign import first_key, last_message, reference_of, references_of, source_of, text_of


@pytest.mark.parametrize(
    "value",
    [
        "Yes.",
        AIMessage("Yes."),
        AIMessage([{"type": "text", "text": "Ye"}, {"type": "image_url", "image_url": "x"}, {"text": "s."}]),
        ["Ye", "s."],
        {"role": "assistant", "content": "Yes."},
        {"role": "assistant", "content": [{"type": "output_text", "text": "Yes."}]},
        {"type": "ai", "data": {"content": "Yes."}},
        dumpd(AIMessage("Yes.")),
        messages_to_dict([AIMessage("Yes.")])[0],
        SimpleNamespace(text="Yes."),
    ],
    ids=repr,
)
def test_a_text_is_found_in_any_kind_of_message(value):
    assert text_of("answer", value) == "Yes."


@pytest.mark.parametrize("value", [5, None, [], [{"type": "image"}], {"n": 1}, b"x"], ids=repr)
def test_what_has_no_text_is_refused(value):
    with pytest.raises(InputError) as error:
        text_of("answer", value)
    assert str(error.value) == f"answer: must be text or a message with text, got {type(value).__name__}"


MESSAGES = [HumanMessage("One?"), AIMessage("First."), HumanMessage("Two?"), AIMessage("Second."), AIMessage("")]


@pytest.mark.parametrize(
    "messages",
    [
        MESSAGES,
        [MESSAGES],
        messages_to_dict(MESSAGES),
        dumpd(MESSAGES),
        [{"role": "user" if one.type == "human" else "assistant", "content": one.content} for one in MESSAGES],
        [SimpleNamespace(role=SimpleNamespace(value="user"), content="Two?"), MESSAGES[3]],
    ],
    ids=["objects", "batch of one", "dicts", "serialised", "roles", "enumerated roles"],
)
def test_the_last_message_of_a_role_is_found(messages):
    assert last_message("messages", messages, "user") == "Two?"
    assert last_message("messages", messages, "assistant") == "Second."


def test_without_a_message_of_that_role_it_is_refused():
    with pytest.raises(InputError) as error:
        last_message("messages", MESSAGES[:1], "assistant")
    assert str(error.value) == ("messages: must hold a message of the assistant with text, got 1 messages without one")
    with pytest.raises(InputError) as error:
        last_message("messages", "text", "user")
    assert str(error.value) == "messages: must be a list of messages, got str"


@pytest.mark.parametrize(
    "document",
    [
        Document("It is.", id="d1", metadata={"source": "a.md", "page": 2}),
        Document("It is.", metadata={"source": "a.md", "page": 2, "id": "d1"}),
        dumpd(Document("It is.", id="d1", metadata={"source": "a.md", "page": 2})),
        {"page_content": "It is.", "metadata": {"source": "a.md", "page": 2}, "id": "d1"},
        {"text": "It is.", "id": "d1", "source": "a.md, page 2"},
        {"content": "It is.", "meta": {"file_path": Path("a.md"), "page_number": 2}, "id": "d1"},
        SimpleNamespace(node=SimpleNamespace(text="It is.", node_id="d1", metadata={"file_name": "a.md", "page": 2})),
        Reference("It is.", "d1", "a.md, page 2"),
    ],
    ids=repr,
)
def test_a_document_of_any_kind_is_a_reference(document):
    assert reference_of("documents[0]", document) == Reference("It is.", "d1", "a.md, page 2")


def test_documents_come_in_lists_or_as_one_text():
    assert references_of("context", "It is.") == (Reference("It is."),)
    assert references_of("context", iter(["a", {"text": "b", "id": 0}])) == (Reference("a"), Reference("b", "0"))
    for value, message in (
        ({"text": "a"}, "context: must be a list of documents or texts, got dict"),
        (None, "context: must be a list of documents or texts, got NoneType"),
        (["a", None], "context[1]: must be text, or have one of page_content, text, content as text, got NoneType"),
        (["a\ud800"], "text: has a lone surrogate at character 1, which is not text"),
        ([{"text": "a\ud800"}], "context[0].text: has a lone surrogate at character 1, which is not text"),
    ):
        with pytest.raises(InputError) as error:
            references_of("context", value)
        assert str(error.value) == message


@pytest.mark.parametrize(
    ("metadata", "source"),
    [
        ({}, None),
        ({"page": 0}, "page 0"),
        ({"title": "T", "url": "u"}, "u"),
        ({"source": " ", "title": "T"}, "T"),
        ({"source": "a.pdf", "page": 0, "page_label": "i"}, "a.pdf, page i"),
    ],
)
def test_a_source_is_named_with_its_page(metadata, source):
    assert source_of(metadata) == source


def test_the_first_key_with_a_value_counts():
    assert first_key({"b": None, "c": 0}, ("a", "b", "c")) == "c"
    assert first_key({}, ("a",)) is None
