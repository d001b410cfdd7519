"""Processes killed in the middle: nothing half-written is taken for whole, and the same command ends the work."""

import os
from typing import Any

import pytest

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
Left = dict[str, dict[str, Any]]


def test_score_writes_each_row_once(left: Left) -> None:
    found = left["score"]
    assert found["killed"] == [True, True, True]
    assert found["code"] == 0
    assert found["ids"] == [f"row-{n}" for n in range(60)]
    assert found["left"] == ["scored.jsonl"]


def test_train_goes_on_where_it_stopped_to_a_whole_detector(left: Left) -> None:
    found = left["train"]
    assert found["killed"] == [True, True]
    assert found["nothing_yet"] == [True, True]
    assert found["code"] == 0


def test_a_detector_is_replaced_whole_at_each_step(left: Left) -> None:
    """Before the first renaming and the second, and without a kill: the older one is in place, or whole beside it."""
    assert left["train"]["steps"] == [["older", None, "1"], [None, "older", "1"], ["1", None, "1"]]


def test_a_corpus_build_goes_on_to_the_same_corpus(left: Left) -> None:
    found = left["corpus"]
    assert found["killed"] == [True]
    assert len(found["steps"]) > 5
    assert set(found["steps"]) <= {None, found["whole"]}, "whole or not there, at each step"
    assert found["built"] == found["whole"]


def test_an_addition_to_a_corpus_is_done_whole_or_not_at_all(left: Left) -> None:
    found = left["corpus"]
    assert len(found["adding"]) > 5
    assert set(found["adding"]) == {found["built"]}
    assert found["n_added"] == 300 + 9


def test_a_migration_is_done_whole_or_not_at_all(left: Left) -> None:
    found = left["migration"]
    assert any(found["killed"])
    assert all(found["whole_or_none"])
    assert all(found["complete"])
