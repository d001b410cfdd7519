"""How an adapter talks to the runner: one JSON object a line, in on standard input and out on standard output.

This file and the adapters beside it run inside a peer's own environment: the standard library and the peer, no more.

The runner writes the options first and gets `{"ready": true}` or `{"error": …}`. Then each row, an object with `row,
id, question, references, answer`, gets one reply: `{"row": …, "scores": {METHOD: {"answer", "spans", "sentences"}},
"seconds": …}` or `{"row": …, "error": …, "seconds": …}`. What the peer prints goes to standard error, so it cannot be
taken for a reply.
"""

import json
import os
import time
import traceback


def serve(start):
    """Answer the runner until its input ends.

    `start(options)` makes the peer ready and returns a function from a row to `{method: result(…)}`; whatever either
    raises is reported to the runner, with its traceback on standard error.
    """
    replies = os.fdopen(os.dup(1), "w", encoding="utf-8", newline="\n")
    os.dup2(2, 1)
    requests = open(0, encoding="utf-8", newline="\n", closefd=False)  # noqa: SIM115
    try:
        score = start(json.loads(requests.readline()))
    except Exception as error:
        _write(replies, {"error": _told(error)})
        return
    _write(replies, {"ready": True})
    for line in requests:
        row = json.loads(line)
        began = time.perf_counter()
        try:
            reply = {"row": row["row"], "scores": score(row)}
        except Exception as error:
            reply = {"row": row["row"], "error": _told(error)}
        reply["seconds"] = time.perf_counter() - began
        _write(replies, reply)


def result(answer=None, spans=None, sentences=None):
    """Return one method's scores of a row: higher = more likely hallucinated, offsets in characters of the answer.

    `answer` is a number or None; `spans` and `sentences` are None or lists of `(start, end, score)`.
    """
    return {
        "answer": None if answer is None else float(answer),
        "spans": _objects(spans),
        "sentences": _objects(sentences),
    }


def _objects(spans):
    if spans is None:
        return None
    return [{"start": int(start), "end": int(end), "score": float(score)} for start, end, score in spans]


def _told(error):
    traceback.print_exc()
    return " ".join(f"{type(error).__name__}: {error}".split())


def _write(stream, value):
    stream.write(json.dumps(value) + "\n")
    stream.flush()
