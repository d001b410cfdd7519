"""The interface's texts: the same in every language, and there for everything that a page can say."""

import datetime
import json
import re
from pathlib import Path
from typing import Any

import pytest

from ragcortex.geometry.calibration_report import CalibrationReport
from ragcortex.rendering import words
from ragcortex.report import VERDICTS
from ragcortex.report_parts import REASONS, STATES
from ragcortex.service.keys import SCOPES
from ragcortex.service.pages import wording
from ragcortex.service.pages.history_view import QUEUES
from ragcortex.service.pages.queue_view import WHYS
from ragcortex.service.pages.wording import LANGUAGES, best_language, texts_in
from ragcortex.service.triage import ACTIONS

PAGES = Path(wording.__file__).parent
ALL = {language: texts_in(language).entries for language in LANGUAGES}
# A call of the texts with the key as it is written, as the beginning of one, or about a number of things.
_CALL = re.compile(r"\bt(?P<some>\.some)?\(\s*(?P<f>f?)\"(?P<key>[a-z0-9_.]+)(?P<rest>[\"{])(?P<more>\s*~)?")


def called() -> tuple[set[str], set[str]]:
    """Return the keys that templates and modules name, and the beginnings of keys that they put together."""
    keys, beginnings = set(), set()
    for file in (*PAGES.glob("*.py"), *PAGES.glob("templates/*.html")):
        for found in _CALL.finditer(file.read_text(encoding="utf-8")):
            if found["more"] or found["rest"] == "{":
                beginnings.add(found["key"])
            elif found["some"]:
                keys |= {f"{found['key']}.one", f"{found['key']}.many"}
            else:
                keys.add(found["key"])
    return keys, beginnings


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_language_has_the_same_keys_and_places(language: str) -> None:
    assert ALL[language].keys() == ALL["en"].keys()
    for key, text in ALL[language].items():
        assert text.strip(), key
        places = sorted(set(re.findall(r"\{\w*\}", text)))
        assert places == sorted(set(re.findall(r"\{\w*\}", ALL["en"][key]))), key


def test_no_key_stands_twice_in_a_file() -> None:
    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        assert len({name for name, _ in pairs}) == len(pairs), pairs
        return dict(pairs)

    for language in LANGUAGES:
        json.loads((PAGES / f"texts/{language}.json").read_text(encoding="utf-8"), object_pairs_hook=once)


def test_every_text_that_is_asked_for_is_there_and_every_other_one_is_used() -> None:
    keys, beginnings = called()
    assert keys <= ALL["en"].keys()
    spoken = {"said.", "error.", "absent.", "review.script."}
    families = tuple(beginnings | spoken)
    unused = [key for key in ALL["en"] if key not in keys and not key.startswith(families)]
    # These are chosen by an expression within the call.
    assert {key for key in unused if not key.startswith(("label.", "login.", "calibration.switch", "audit."))} == set()


@pytest.mark.parametrize(
    ("family", "codes"),
    [
        ("verdict.", VERDICTS),
        ("state.", STATES),
        ("reason.", REASONS),
        ("action.", ACTIONS),
        ("result.action.", ACTIONS),
        ("why_here.", WHYS),
        ("queue_state.", QUEUES),
        ("keys.scope_", SCOPES),
        ("witness.", ("both", "internal", "cascade", "geometry")),
        ("calibration.method_", ("f1", "manual")),
        ("error.", ("403", "404", "405", "409", "413", "422", "429", "500", "503", "504")),
    ],
)
def test_there_is_a_text_for_every_code(family: str, codes: tuple[str, ...]) -> None:
    assert {f"{family}{code}" for code in codes} <= ALL["en"].keys()


def test_said_texts_are_those_that_pages_say() -> None:
    said = set()
    for file in PAGES.glob("*.py"):
        said |= set(re.findall(r"\"(said\.[a-z_]+)\"", file.read_text(encoding="utf-8")))
    said |= {"said.feedback_right", "said.feedback_wrong"}
    assert said == {key for key in ALL["en"] if key.startswith("said.")}


def test_english_verdicts_states_and_reasons_are_those_of_the_report() -> None:
    english = texts_in("en")
    assert {code: english(f"verdict.{code}") for code in VERDICTS} == words.VERDICTS
    assert {code: english(f"state.{code}") for code in STATES} == words.STATES
    for code in REASONS:
        assert english(f"reason.{code}") == words.explain_reason(code)
        key = f"absent.{code}" if english.has(f"absent.{code}") else f"reason.{code}"
        assert english(key) == words.explain_reason(code, contradicted=False)


@pytest.mark.parametrize(
    ("accepted", "language"),
    [
        ("", "en"),
        ("ja", "ja"),
        ("ja-JP,ja;q=0.9,en;q=0.8", "ja"),
        ("fr, de;q=0.7", "en"),
        ("fr, zh-CN;q=0.5, en;q=0.4", "zh"),
        ("en;q=0.2, zh-TW;q=0.9", "zh"),
        ("ja;q=0, en", "en"),
        ("*", "en"),
        (";q=x,,;;q=1,ja", "ja"),
        ("x" * 10_000, "en"),
    ],
)
def test_the_language_that_a_browser_wants_most(accepted: str, language: str) -> None:
    assert best_language(accepted) == language


def test_numbers_and_times_as_each_language_writes_them() -> None:
    moment = datetime.datetime(2030, 5, 7, 9, 5, tzinfo=datetime.UTC)
    shown = {language: texts_in(language).moment(moment) for language in LANGUAGES}
    assert shown == {
        "en": "7 May 2030, 09:05:00 UTC",
        "ja": "2030/05/07 9:05:00 UTC",
        "zh": "2030年5月7日 09:05:00 UTC",
    }
    assert [texts_in(language).span_of_time(7300) for language in LANGUAGES] == ["2 hours", "2 時間", "2小时"]
    english = texts_in("en")
    assert (english.count(12_345), english.share(0.4567), english.share(None)) == ("12,345", "45.7%", "–")
    assert (english.some("queue.waiting", 1), english.some("queue.waiting", 2_000)) == (
        "1 answer waits",
        "2,000 answers wait",
    )


def test_what_is_filled_in_is_never_read_as_a_place() -> None:
    assert texts_in("en")("said.named", name="{n} {0.__class__}") == "You now review as {n} {0.__class__}."


def test_figures_of_a_proposal_have_names() -> None:
    for name in ("precision", "recall", "f1", "auroc"):
        assert f"calibration.{name}" in ALL["en"]
        assert any(field.startswith(name) for field in CalibrationReport.__dataclass_fields__)
