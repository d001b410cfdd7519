"""Sequences in one row: each is found again along its branch, what begins alike stands once, rows keep their size."""

from hypothesis import given
from hypothesis import strategies as st

from ragcortex.readers.packed_row import PackedRow, Segment, packed_rows

TOKENS = st.lists(st.integers(0, 2), min_size=1, max_size=30)
SEQUENCES = st.lists(st.tuples(TOKENS, TOKENS), min_size=1, max_size=10)


def _row(sequences: list[tuple[list[int], list[int]]]) -> PackedRow:
    row = PackedRow()
    for prefix, answer in sequences:
        expected = len(row) + row.n_new(prefix) + len(answer)
        row.add(prefix, answer)
        assert len(row) == expected
    return row


@given(SEQUENCES)
def test_every_sequence_is_what_its_branch_spells(sequences: list[tuple[list[int], list[int]]]) -> None:
    row = _row(sequences)
    segments = row.segments()
    assert [(one.start, one.stop) for one in segments] == [
        (one.start, stop) for one, stop in zip(segments, [*(one.start for one in segments[1:]), len(row)], strict=True)
    ]
    answers = {one.sequence: one for one in segments if one.sequence is not None}
    for number, (prefix, answer) in enumerate(sequences):
        segment, place = answers[number], row.places[number]
        before = [token for start, stop in segment.before for token in row.ids[start:stop]]
        assert before == prefix
        assert row.ids[segment.start : segment.stop] == answer
        assert (place.row, place.start, place.stop) == (0, segment.start, segment.stop)
        assert segment.before[-1][1] - 1 == place.previous
        assert segment.position == len(prefix)


def test_shared_beginnings_stand_once_and_short_ones_are_read_again() -> None:
    opening, references = list(range(20)), list(range(50, 90))
    row = _row([([*opening, *references, 7], [1, 2]), ([*opening, *references, 7], [3]), ([*opening, 7], [1, 2])])
    assert len(row) == 20 + 41 + 2 + 1 + 1 + 2
    assert row.segments() == [
        Segment(0, 20),
        Segment(20, 61, ((0, 20),)),
        Segment(61, 63, ((0, 61),), 0),
        Segment(63, 64, ((0, 61),), 1),
        Segment(64, 65, ((0, 20),)),
        Segment(65, 67, ((0, 20), (64, 65)), 2),
    ]
    assert len(_row([([1, 2, 3, 4, 5], [0]), ([1, 2, 3, 4, 6], [0])])) == 12


@given(SEQUENCES, st.integers(1, 80))
def test_rows_hold_every_sequence_once_and_keep_their_size(
    sequences: list[tuple[list[int], list[int]]], n_tokens: int
) -> None:
    rows = list(packed_rows(sequences, n_tokens))
    assert sorted(index for row in rows for index in row) == list(range(len(sequences)))
    for indices in rows:
        row = _row([sequences[index] for index in indices])
        assert len(row) <= n_tokens or len(indices) == 1
