"""A typed client of the service, for programs that wait for its answers and for those that do not.

>>> from ragcortex.client import Client
>>> with Client("http://127.0.0.1:8765") as client:  # doctest: +SKIP
...     checked = client.check("Where?", ["It is in Paris."], "It is in Lyon.")
...     print(checked.report.verdict, checked.action)
"""

from ragcortex.client.answers import (
    Action,
    Agreement,
    Batch,
    BatchItem,
    Calibration,
    CheckDetail,
    Checked,
    CheckPage,
    CheckSummary,
    Health,
    Key,
    NewKey,
    Policy,
    Problem,
    Queue,
    Readiness,
    Review,
)
from ragcortex.client.async_client import AsyncClient
from ragcortex.client.async_stream import AsyncAnswerStream
from ragcortex.client.check_calls import CheckRequest
from ragcortex.client.corpus_answers import (
    Conflict,
    CorpusChange,
    CorpusDetail,
    CorpusInfo,
    DocumentInfo,
    FoundChunk,
    Passage,
    Unread,
)
from ragcortex.client.errors import ClientError
from ragcortex.client.events import (
    AnswerChecked,
    StreamedSentence,
    StreamedSpan,
    StreamedToken,
    StreamEvent,
    TokensScored,
)
from ragcortex.client.exchange import Retries
from ragcortex.client.sync_client import Client
from ragcortex.client.sync_stream import AnswerStream
from ragcortex.example import Reference, Span

__all__ = [
    "Action",
    "Agreement",
    "AnswerChecked",
    "AnswerStream",
    "AsyncAnswerStream",
    "AsyncClient",
    "Batch",
    "BatchItem",
    "Calibration",
    "CheckDetail",
    "CheckPage",
    "CheckRequest",
    "CheckSummary",
    "Checked",
    "Client",
    "ClientError",
    "Conflict",
    "CorpusChange",
    "CorpusDetail",
    "CorpusInfo",
    "DocumentInfo",
    "FoundChunk",
    "Health",
    "Key",
    "NewKey",
    "Passage",
    "Policy",
    "Problem",
    "Queue",
    "Readiness",
    "Reference",
    "Retries",
    "Review",
    "Span",
    "StreamEvent",
    "StreamedSentence",
    "StreamedSpan",
    "StreamedToken",
    "TokensScored",
    "Unread",
]
