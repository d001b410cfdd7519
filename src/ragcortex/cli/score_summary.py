"""The line that ends a run of `ragcortex score`."""

from ragcortex.cli.console import plural, say
from ragcortex.engines.rows import Tally


def summarise(tally: Tally, n_before: int, seconds: float, saving: str = "") -> None:
    """Say how many rows came out how, those of the interrupted run included, and how fast this run was.

    Args:
        tally: of all rows.
        n_before: how many of them an earlier, interrupted run has scored.
        seconds: that this run took.
        saving: what a cascade has saved, as the line ends.
    """
    from ragcortex.rendering.progress import duration, rate_text
    from ragcortex.report_parts import VERDICTS

    counts = [f"{tally.verdicts[verdict]:,} {verdict}" for verdict in VERDICTS if tally.verdicts[verdict]]
    if tally.n_errors:
        counts.append(plural(tally.n_errors, "error"))
    n_now = tally.n_rows - n_before
    speed = f" ({rate_text(n_now / seconds)})" if n_now and seconds > 0 else ""
    earlier = f", {n_before:,} of them by the interrupted run" if n_before else ""
    detail = f": {', '.join(counts)}" if counts else ""
    say(f"scored {plural(tally.n_rows, 'row')}{earlier}, in {duration(seconds)}{speed}{detail}{saving}")
