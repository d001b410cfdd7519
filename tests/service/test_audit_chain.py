"""Exports of the audit trail: any character and any line that was touched gives itself away."""

import json
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragcortex.errors import InputError
from ragcortex.service.audit_chain import GENESIS, AuditProblem, digest_of, verify


def _chain(n: int) -> list[str]:
    """Return an export of n entries, written without the code under test."""
    lines, previous = [], GENESIS
    for number in range(1, n + 1):
        said = {
            "actor": "Zoë", "at": "2025-03-01T12:30:15.000000+00:00", "data": {"score": number / 3},
            "kind": "check.judged", "number": number, "subject": f"check-{number}",
        }  # fmt: skip
        body = json.dumps(said, ensure_ascii=False, separators=(",", ":"))
        digest = digest_of(previous, body)
        line = {"body": body, "digest": digest, "previous": previous}
        lines.append(json.dumps(line, ensure_ascii=False, separators=(",", ":")))
        previous = digest
    return lines


def test_the_digest_is_what_sha256sum_says() -> None:
    # printf '%s\n%s' abc def | sha256sum
    assert digest_of("abc", "def") == "d53d6b91af7caf8fe3d8021f116270137c0079d579a1e16965da80c2ed138ffb"


def test_an_untouched_chain_is_unbroken() -> None:
    lines = _chain(4)
    last = json.loads(lines[-1])["digest"]
    for export in (lines, [line + "\n" for line in lines]):
        verdict = verify(iter(export))
        assert (verdict.n_entries, verdict.last_digest, verdict.problems, verdict.unbroken) == (4, last, (), True)
    empty = verify([])
    assert (empty.n_entries, empty.last_digest, empty.unbroken) == (0, None, True)


@settings(max_examples=600, deadline=None)
@given(st.data())
def test_every_single_character_is_watched(data: st.DataObject) -> None:
    lines = _chain(data.draw(st.integers(1, 4), label="entries"))
    number = data.draw(st.integers(0, len(lines) - 1), label="line")
    line = lines[number]
    place = data.draw(st.integers(0, len(line)), label="place")
    character = data.draw(st.characters() | st.sampled_from(' \t\n\r"\\{}[]:,0aA'), label="character")
    how = data.draw(st.sampled_from(["changed", "inserted", "removed"]), label="how")
    rest = place if how == "inserted" else place + 1
    changed = line[:place] + ("" if how == "removed" else character) + line[rest:]
    if changed in (line, line + "\n"):
        return
    lines[number] = changed
    verdict = verify(lines)
    assert not verdict.unbroken
    assert verdict.problems[0].line in (number + 1, number + 2)


def test_no_character_of_a_small_chain_can_be_replaced() -> None:
    lines = _chain(2)
    for number, line in enumerate(lines):
        for place, old in enumerate(line):
            for new in ("0" if old != "0" else "1", " ", "é"):
                altered = [*lines[:number], line[:place] + new + line[place + 1 :], *lines[number + 1 :]]
                assert not verify(altered).unbroken, (number, place, new)


@settings(max_examples=200, deadline=None)
@given(st.data())
def test_every_line_is_watched(data: st.DataObject) -> None:
    n = data.draw(st.integers(2, 6), label="entries")
    lines = _chain(n)
    first = data.draw(st.integers(0, n - 1), label="first")
    second = data.draw(st.integers(0, n - 1), label="second")
    how = data.draw(st.sampled_from(["removed", "swapped", "inserted", "emptied", "cut"]), label="how")
    altered = list(lines)
    match how:
        case "removed":
            del altered[min(first, n - 2)]  # an end that is missing is what `noted` is for
        case "swapped":
            altered[first], altered[second] = altered[second], altered[first]
        case "inserted":
            altered.insert(second, lines[first])
        case "emptied":
            altered.insert(first, "")
        case "cut":
            altered = altered[first:] if first else altered[1:]
    assert (altered == lines) == verify(altered).unbroken
    assert verify(altered, noted=json.loads(lines[-1])["digest"]).unbroken == (altered == lines)


def test_an_end_that_is_missing_or_written_anew_shows_by_a_noted_digest() -> None:
    lines = _chain(4)
    noted = json.loads(lines[2])["digest"]
    assert verify(lines, noted=noted).unbroken
    assert verify(lines[:3], noted=noted).unbroken
    verdict = verify(lines[:2], noted=noted)
    assert verdict.problems == (
        AuditProblem(0, "no entry has the digest that was noted: the trail ends before it, or was written anew"),
    )
    with pytest.raises(InputError, match=r"^noted: must be a digest of 64 hexadecimal digits, got 'abc'$"):
        verify(lines, noted="abc")


def _altered(lines: list[str], number: int, change: Callable[[dict[str, str]], None]) -> list[str]:
    entry = json.loads(lines[number])
    change(entry)
    changed = json.dumps(entry, ensure_ascii=False, separators=(",", ":"), sort_keys=True)
    return [*lines[:number], changed, *lines[number + 1 :]]


def test_what_problems_say() -> None:
    lines = _chain(5)

    def found(altered: list[str]) -> list[tuple[int, str]]:
        return [(problem.line, problem.what) for problem in verify(altered).problems]

    def other_score(entry: dict[str, str]) -> None:
        entry["body"] = entry["body"].replace('"score":1.0', '"score":0.1')

    def consistently(entry: dict[str, str]) -> None:
        other_score(entry)
        entry["digest"] = digest_of(entry["previous"], entry["body"])

    def other_body(entry: dict[str, str]) -> None:
        entry["body"] = "{}"
        entry["digest"] = digest_of(entry["previous"], entry["body"])

    assert found(_altered(lines, 2, other_score)) == [
        (3, "entry 3 was altered: its digest is not that of its body and of the digest before it")
    ]
    assert found(_altered(lines, 2, consistently)) == [
        (4, "entry 4 does not follow from entry 3 as it is here: one of them was altered")
    ]
    assert found(_altered(lines, 2, other_body)) == [(3, "is no audit entry: its body is not what the service writes")]
    assert found([lines[0], *lines[2:]]) == [(2, "entry 3 follows entry 1: entry 2 is missing")]
    assert found([lines[0], *lines[4:]]) == [(2, "entry 5 follows entry 1: entries 2 to 4 are missing")]
    assert found(lines[2:]) == [(1, "the trail begins with entry 3: its beginning is missing or was replaced")]
    assert found([lines[1], lines[0]]) == [
        (1, "the trail begins with entry 2: its beginning is missing or was replaced"),
        (2, "entry 1 follows entry 2: entries were moved or repeated"),
    ]
    assert found([lines[0], "nonsense", lines[1]]) == [(2, "is no audit entry: it is not JSON")]
    assert found(['{"body": "x"}']) == [(1, "is no audit entry: expected an object with body, previous and digest")]
    assert found([lines[0].replace(",", ", ", 1), *lines[1:]]) != []
    assert found([lines[0] + " ", *lines[1:]]) == [(1, "entry 1 is not written as an export writes it")]


@pytest.mark.parametrize(
    "line", ["[" * 100_000, "9" * 5000, '"\\ud800"', "\ud800", '{"body":"\\ud800","digest":"","previous":""}', "NaN"]
)
def test_hostile_lines_are_problems_too(line: str) -> None:
    assert verify([line]).n_problems >= 1


def test_of_many_problems_the_first_are_kept() -> None:
    verdict = verify("nonsense" for _ in range(100_000))
    assert (verdict.n_problems, len(verdict.problems), verdict.n_entries) == (100_000, 100, 0)
