"""The one error that calls of the service raise."""

from ragcortex.errors import RagcortexError


class ClientError(RagcortexError):
    """A call that failed: refused by the service, not answered, or answered in a form that is not understood.

    Attributes:
        status: of HTTP; None where there was no answer.
        title: the kind of problem, in a few words.
        detail: what went wrong, in a sentence.
        field: the field of the request that is wrong, None if it is none of them.
        request_id: the service's name for the request, which its log has too.
    """

    def __init__(
        self,
        title: str,
        detail: str,
        *,
        status: int | None = None,
        field: str | None = None,
        request_id: str | None = None,
    ) -> None:
        begin = title if status is None else f"{status} {title}"
        super().__init__(f"{begin}: {detail}" if field is None else f"{begin}: {field}: {detail}")
        self.title = title
        self.detail = detail
        self.status = status
        self.field = field
        self.request_id = request_id
