"""An answer put back where a LangChain chain had it: a text, a message, or the last of a list of messages."""

from typing import Any

from langchain_core.messages import AIMessage, BaseMessage


def replaced(value: Any, answer: str) -> Any:
    """Return a value of a chain with this answer in place of its own; what it was given is not changed.

    A message keeps all that is not its content. Of a list of messages the last one of the model is replaced.
    """
    if isinstance(value, BaseMessage):
        return value if value.text == answer else value.model_copy(update={"content": answer})
    if isinstance(value, list):
        last = max((index for index, one in enumerate(value) if isinstance(one, AIMessage)), default=None)
        return value if last is None else [*value[:last], replaced(value[last], answer), *value[last + 1 :]]
    return answer
