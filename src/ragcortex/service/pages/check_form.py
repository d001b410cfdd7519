"""The form of one answer to be checked: what was filled in, and the request it stands for."""

from dataclasses import dataclass, replace
from typing import Any, Final

from pydantic import ValidationError
from starlette.datastructures import FormData

from ragcortex.errors import InputError
from ragcortex.service.pages.access import as_typed, field
from ragcortex.service.schemas import CheckIn

FIELDS: Final = ("question", "references", "answer", "corpus", "witness", "policy", "generator", "group")
_MOST_REFERENCES: Final = 100


@dataclass(frozen=True, slots=True)
class CheckForm:
    """What the form holds; empty texts are not given. There is always at least one field for a reference."""

    question: str = ""
    references: tuple[str, ...] = ("",)
    answer: str = ""
    corpus: str = ""
    witness: str = ""
    policy: str = ""
    generator: str = ""
    group: str = ""

    @classmethod
    def of(cls, form: FormData) -> "CheckForm":
        """Return the form as it was sent; texts stay as they were typed."""
        references = tuple(as_typed(value) for value in form.getlist("reference") if isinstance(value, str))
        answer = form.get("answer")
        return cls(
            question=field(form, "question"),
            references=references[:_MOST_REFERENCES] or ("",),
            answer=as_typed(answer) if isinstance(answer, str) else "",
            **{name: field(form, name, most=200) for name in ("corpus", "witness", "policy", "generator", "group")},
        )

    def changed(self, change: str) -> "CheckForm":
        """Return the form with one more field for a reference (`add`), or without one (`remove-INDEX`)."""
        if change == "add":
            return replace(self, references=(*self.references, "")[:_MOST_REFERENCES])
        _, _, place = change.partition("remove-")
        if not place.isascii() or not place.isdigit():
            return self
        kept = tuple(text for index, text in enumerate(self.references) if index != int(place))
        return replace(self, references=kept or ("",))

    def request(self) -> CheckIn:
        """Return the request that the form stands for.

        Raises:
            InputError: there is no answer, or a value is not one that a request may have.
        """
        if not self.answer.strip():
            raise InputError("answer", "is empty; paste the text to be checked")
        given = [text for text in self.references if text.strip()]
        values: dict[str, Any] = {name: getattr(self, name) or None for name in FIELDS}
        values["references"] = None if self.corpus and not given else given
        try:
            return CheckIn.model_validate(values)
        except ValidationError as error:
            first = error.errors()[0]
            raise InputError(str(first["loc"][0]), str(first["msg"])) from None


def wrong_field(error: Exception) -> str:
    """Return which field of the form an error is about, "" where it is about none."""
    name = error.field.partition("[")[0].partition(".")[0] if isinstance(error, InputError) else ""
    return name if name in FIELDS else ""
