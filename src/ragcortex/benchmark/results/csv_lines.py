"""Lines of CSV that can be read again to the last character."""

import csv
import io
from collections.abc import Iterable, Sequence


def csv_text(rows: Iterable[Sequence[object]]) -> str:
    """Return rows as CSV, a line feed after each; None is an empty field, numbers are in full precision."""
    return "".join(map(_line, rows))


def _line(fields: Sequence[object]) -> str:
    stream = io.StringIO(newline="")
    # With both characters as the line's end, the writer quotes a field that has either of them.
    csv.writer(stream, lineterminator="\r\n").writerow(fields)
    return stream.getvalue().removesuffix("\r\n") + "\n"
