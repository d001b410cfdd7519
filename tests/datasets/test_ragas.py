"""Rows of RAGAS, old and new, from files and data frames."""

import csv
import io
import json

import pandas as pd
import pytest
from pydantic import BaseModel

from ragcortex.datasets.ragas import from_ragas_rows
from ragcortex.errors import InputError
from ragcortex.example import Example

NEW = {"user_input": "Where?", "retrieved_contexts": ["In Rome.", "By sea."], "response": "Rome.", "reference": "Rome"}
OLD = {"question": "Where?", "contexts": ["In Rome.", "By sea."], "answer": "Rome.", "ground_truth": "Rome"}
EXAMPLE = Example.of("Where?", ["In Rome.", "By sea."], "Rome.")


class Sample(BaseModel):
    """As RAGAS's own samples are: fields without a value are None."""

    user_input: str | None = None
    retrieved_contexts: list[str] | None = None
    response: str | None = None
    reference: str | None = None


def test_rows_of_both_kinds_are_examples():
    assert from_ragas_rows([NEW, OLD, Sample(**NEW)]) == [EXAMPLE] * 3
    assert from_ragas_rows([]) == []
    assert from_ragas_rows([{**NEW, "id": 7}])[0].id == "7"


def test_rows_come_through_files_and_data_frames():
    frame = pd.DataFrame([NEW, {**NEW, "question": "not read"}])
    assert from_ragas_rows(frame.to_dict("records")) == [EXAMPLE] * 2
    for write in (str, json.dumps):
        stream = io.StringIO()
        writer = csv.DictWriter(stream, list(NEW))
        writer.writeheader()
        writer.writerow({**NEW, "retrieved_contexts": write(NEW["retrieved_contexts"])})
        assert from_ragas_rows(csv.DictReader(io.StringIO(stream.getvalue()))) == [EXAMPLE]


@pytest.mark.parametrize(
    ("row", "message"),
    [
        (5, "rows[1]: must be a row of RAGAS, got int"),
        ({"n": 1}, "rows[1].user_input: is missing, and so is question; there are n"),
        ({**NEW, "response": None}, "rows[1].response: is missing, and so is answer; there are user_input, "),
        ({**NEW, "response": float("nan")}, "rows[1].response: is missing, and so is answer; "),
        ({**NEW, "retrieved_contexts": "In Rome."}, "rows[1].retrieved_contexts: must be a list of passages, got text"),
        ({**NEW, "retrieved_contexts": ["In Rome.", 5]}, "rows[1].retrieved_contexts[1]: must be text, or have one of"),
        ({**OLD, "contexts": 5}, "rows[1].contexts: must be a list of documents or texts, got int"),
        ({**NEW, "response": 5}, "rows[1].response: must be text, got int"),
        (
            {**NEW, "user_input": [{"content": "Where?", "type": "human"}]},
            "rows[1].user_input: holds a conversation; give the turn to be checked as a row of its own, got list",
        ),
    ],
)
def test_what_is_wrong_is_named_with_its_row(row, message):
    with pytest.raises(InputError) as error:
        from_ragas_rows([NEW, row])
    assert str(error.value).startswith(message)
