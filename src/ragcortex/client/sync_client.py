"""The client that waits for its answers."""

import time
from collections.abc import Iterable, Iterator
from types import TracebackType
from typing import Any, Self, TypeVar

import httpx

from ragcortex.client import check_calls, corpus_calls, operation_calls
from ragcortex.client.call import Call
from ragcortex.client.check_calls import StreamedCall
from ragcortex.client.events import StreamEvent
from ragcortex.client.exchange import Exchange, Retries
from ragcortex.client.methods import begins, exports, sends
from ragcortex.client.sync_stream import AnswerStream, lines_of
from ragcortex.client.transport import answer_of, line_of, options, request_of, shown
from ragcortex.errors import InputError

T = TypeVar("T")


class Client:
    """Calls of a ragcortex service, safe to use from several threads.

    >>> with Client("http://127.0.0.1:8765") as client:  # doctest: +SKIP
    ...     client.check("Where?", ["It is in Paris."], "It is in Lyon.").report.verdict
    'hallucinated'

    Requests that the service refuses as too many are sent again when it says so, and so are those that cannot have
    been done twice: reading, and checks, which carry a name by which the service knows them again.

    Attributes:
        base_url: the service's address.
        checks, corpora, calibrations, keys: calls about each.
    """

    def __init__(
        self,
        base_url: str,
        key: str | None = None,
        *,
        timeout: float = 60.0,
        retries: Retries | None = None,
        transport: httpx.BaseTransport | None = None,
    ) -> None:
        """Describe the service; nothing is sent yet.

        Args:
            base_url: the service's address, `http://127.0.0.1:8765`.
            key: `rck_…`, where the service asks for one.
            timeout: seconds without an answer after which a request is given up.
            retries: how often and how patiently requests are sent again.
            transport: of httpx, instead of its own.

        Raises:
            InputError: the address is none, or the timeout is not above 0.
        """
        self.base_url = shown(base_url)
        self._retries = retries or Retries()
        self._http = httpx.Client(transport=transport, **options(base_url, key, timeout))
        self.checks = ChecksCalls(self)
        self.corpora = CorporaCalls(self)
        self.calibrations = CalibrationsCalls(self)
        self.keys = KeysCalls(self)

    def __repr__(self) -> str:
        return f"Client({self.base_url!r})"

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the connections."""
        self._http.close()

    def _send(self, call: Call[T]) -> T:
        return call.read(answer_of(self._respond(call)))

    def _export(self, call: Call[T]) -> Iterator[T]:
        for line in lines_of(self._respond(call, stream=True)):
            if line:
                yield call.read(line_of(line))

    def _opened(self, streamed: StreamedCall) -> AnswerStream:
        return AnswerStream(self._send, self._respond(streamed.call, stream=True))

    def _checked(self, streamed: StreamedCall) -> Iterator[StreamEvent]:
        pieces = streamed.pieces
        if pieces is not None and not isinstance(pieces, Iterable):
            raise InputError("answer", "comes asynchronously; give its pieces to AsyncClient, or ordinary ones here")
        with self._opened(streamed) as stream:
            if pieces is not None:
                stream.push_all(pieces)
            yield from stream

    def _respond(self, call: Call[Any], *, stream: bool = False) -> httpx.Response:
        """Return the good answer to a call, its body not read yet if it streams."""
        exchange = Exchange(call, self._retries, self.base_url)
        while True:
            try:
                response = self._http.send(request_of(self._http, call), stream=stream)
                if exchange.is_good(response.status_code):
                    return response
                response.read()
            except httpx.RequestError as error:
                wait = exchange.after_failure(error)
            else:
                wait = exchange.after_refusal(answer_of(response))
            time.sleep(wait)

    check = sends(check_calls.check)
    check_batch = sends(check_calls.check_batch)
    check_stream = begins(check_calls.check_stream, _checked)
    open_stream = begins(check_calls.open_stream, _opened)
    feedback = sends(check_calls.feedback)
    queue = sends(check_calls.queue)
    claim = sends(check_calls.claim)
    review = sends(check_calls.review)
    agreement = sends(check_calls.agreement)
    export_labels = exports(check_calls.export_labels)
    policies = sends(operation_calls.policies)
    audit_export = exports(operation_calls.export_audit)
    health = sends(operation_calls.health)
    ready = sends(operation_calls.ready)
    metrics = sends(operation_calls.metrics)


class _Calls:
    """Calls about one kind of thing."""

    def __init__(self, client: Client) -> None:
        self._send = client._send


class ChecksCalls(_Calls):
    """Calls about what was judged."""

    list = sends(check_calls.list_checks)
    get = sends(check_calls.get_check)
    delete_text = sends(check_calls.delete_text)


class CorporaCalls(_Calls):
    """Calls about corpora."""

    list = sends(corpus_calls.list_corpora)
    create = sends(corpus_calls.create)
    add = sends(corpus_calls.add)
    upload = sends(corpus_calls.upload)
    get = sends(corpus_calls.get)
    delete = sends(corpus_calls.delete)
    remove = sends(corpus_calls.remove)
    search = sends(corpus_calls.search)
    map_html = sends(corpus_calls.map_html)


class CalibrationsCalls(_Calls):
    """Calls about thresholds."""

    list = sends(operation_calls.list_calibrations)
    create = sends(operation_calls.create_calibration)
    activate = sends(operation_calls.activate_calibration)
    deactivate = sends(operation_calls.deactivate_calibration)


class KeysCalls(_Calls):
    """Calls about keys."""

    list = sends(operation_calls.list_keys)
    create = sends(operation_calls.create_key)
    revoke = sends(operation_calls.revoke_key)
    rotate = sends(operation_calls.rotate_key)
