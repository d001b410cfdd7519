"""The pictures of a run: which there are, that they have the same bytes, and that odd input does not stop them."""

import io

import made_document as made
import numpy as np
import pytest
from PIL import Image

from ragcortex.benchmark.results.drawn import ReliabilityBins, Sweep
from ragcortex.benchmark.results.plot_style import LOOKS, MOST_NAMED, drawable, named, others_note, picture
from ragcortex.benchmark.results.plots import curve_pictures, forest_pictures, run_pictures, strength, write_pictures
from ragcortex.benchmark.results.reliability_plots import reliability_pictures
from ragcortex.benchmark.results.sweep_plots import sweep_pictures
from ragcortex.evaluation.reliability import reliability


def test_a_run_with_everything_has_every_picture_in_two_forms(tmp_path):
    pictures = run_pictures(made.whole())
    assert [one.name for one in pictures] == [
        "curves-token", "curves-answer", "figures-token", "figures-answer", "sweep-layer-token-smoothed-validation",
        "sweep-p-stay-token-smoothed-validation", "reliability-token-smoothed",
    ]  # fmt: skip
    for one in pictures:
        pixels = np.asarray(Image.open(io.BytesIO(one.png)).convert("L"))
        # Something is drawn, and most of the paper is left.
        assert 0.005 < (pixels < 200).mean() < 0.3
        assert one.svg.startswith(b"<?xml")
        assert b"<dc:date>" not in one.svg
    paths = write_pictures(pictures[:1], tmp_path)
    assert [path.name for path in paths] == ["curves-token.png", "curves-token.svg"]
    assert paths[0].read_bytes() == pictures[0].png


def few():
    methods = [made.method(name, name, strength) for name, strength in (("a", 0.2), ("b", 0.4))]
    bins = tuple(ReliabilityBins(one.name, "token", "smoothed", reliability(*made.scored(0.5)).bins) for one in methods)
    sweeps, curves = made.sweeps(methods), made.curves(methods)
    return made.plain(methods, sweeps=sweeps, curves=curves, reliability=bins)


@pytest.mark.parametrize("make", [curve_pictures, forest_pictures, sweep_pictures, reliability_pictures])
def test_the_same_run_gives_the_same_bytes_whatever_style_a_user_has_set(make):
    import matplotlib as mpl

    first = next(iter(make(few())))
    with mpl.rc_context({"font.size": 20, "lines.linewidth": 9, "axes.facecolor": "red"}):
        again = next(iter(make(few())))
        assert mpl.rcParams["font.size"] == 20
    assert again == first


def test_a_run_without_numbers_has_no_picture():
    failed = made.method("a", "A", 0, figures=(), failure="it stopped")
    assert run_pictures(made.plain([failed])) == ()


def test_titles_of_any_script_length_and_dollars_are_drawn_without_a_warning():
    titles = ("$\\frac{1}{0}$", "灯台 method", "a very long title " * 5, "\x1b[31mred", "50 % & <b>")
    document = made.plain([made.method(f"m{n}", title, 0.1 * n) for n, title in enumerate(titles)])
    assert [one.name for one in run_pictures(document)] == ["figures-token", "figures-answer"]
    assert drawable("灯 $x$\x1b") == "<U+706F> $x$<U+001B>"


def test_a_sweep_with_undefined_values_and_one_setting_is_drawn():
    method = made.method("a", "A", 0.5)
    sweeps = (
        Sweep("layer", "a", "token", "raw", "auroc", (1.0, 2.0, 3.0), (0.5, None, 0.6), (2.0, 3.0), "test"),
        Sweep("p_stay", "a", "token", "smoothed", "auroc", (0.9,), (None,)),
    )
    pictures = list(sweep_pictures(made.plain([method], sweeps=sweeps)))
    assert [one.name for one in pictures] == ["sweep-layer-token-raw-test", "sweep-p-stay-token-smoothed-validation"]


def test_few_lines_are_named_and_the_reference_is_always_among_them():
    names = [f"m{n}" for n in range(30)]
    assert list(named(names, None)) == names[:MOST_NAMED]
    assert list(named(names, "m20")) == [*names[: MOST_NAMED - 1], "m20"]
    assert list(named(names, "m2")) == names[:MOST_NAMED]
    assert list(named(names[:3], "not there")) == names[:3]
    assert others_note(7, 30, "AP") == "grey: the other 23; named: the best by AP, and the reference"
    assert others_note(3, 3, "AP") == ""


def luminance(colour):
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def test_each_look_differs_in_colour_and_marker_and_is_seen_on_white():
    assert len({one.colour for one in LOOKS}) == len({one.marker for one in LOOKS}) == len(LOOKS)
    for one in LOOKS:
        assert 1.05 / (luminance(one.colour) + 0.05) > 2


def test_methods_are_sorted_by_smoothed_ap_where_it_is_there():
    assert strength(made.method("a", "A", 0.5), "token") == pytest.approx(0.37)
    assert strength(made.method("b", "B", 0.4, figures=made.figures(0.4, tokens=False)), "answer") == pytest.approx(0.4)
    assert strength(made.method("c", "C", 0, figures=(), failure="x"), "token") == -1
    assert strength(None, "token") == -1


def test_a_picture_is_as_large_as_asked():
    one = picture("n", "Title", (4.0, 3.0), lambda canvas: canvas.subplots())
    assert Image.open(io.BytesIO(one.png)).size == (600, 450)
