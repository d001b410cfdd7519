"""Which language a text is in: by its script, and in Latin script by its letter sequences and function words."""

import re
import unicodedata
from collections import Counter
from functools import lru_cache
from typing import TYPE_CHECKING, Final, cast

import regex

from ragcortex.geometry.facts.fact import LANGUAGES, Language
from ragcortex.geometry.facts.function_words import FUNCTION_WORDS

if TYPE_CHECKING:
    from py3langid.langid import LanguageIdentifier

# The languages a text in Latin script is told apart by. Fewer than the model knows: each further one costs certainty.
LATIN_LANGUAGES: Final = (
    "en", "de", "fr", "es", "it", "pt", "nl", "sv", "da", "no", "pl", "cs", "sk", "hu", "ro", "fi", "tr", "ca", "hr",
    "sl", "et", "lv", "lt", "id", "vi",
)  # fmt: skip
# Measured on short sentences of the covered languages: right ones lie above, names and fragments below.
SURE: Final = 0.8
# Characters of a text that decide; more change nothing and cost time.
_READ_CHARS: Final = 400
_FEW_WORDS: Final = 2

_SCRIPTS: Final = (
    ("kana", r"\p{Hiragana}\p{Katakana}"), ("han", r"\p{Han}"), ("latin", r"\p{Latin}"), ("ko", r"\p{Hangul}"),
    ("cyrillic", r"\p{Cyrillic}"), ("arabic", r"\p{Arabic}"), ("hi", r"\p{Devanagari}"), ("el", r"\p{Greek}"),
    ("th", r"\p{Thai}"), ("he", r"\p{Hebrew}"), ("hy", r"\p{Armenian}"), ("ka", r"\p{Georgian}"),
    ("bn", r"\p{Bengali}"), ("ta", r"\p{Tamil}"), ("te", r"\p{Telugu}"), ("kn", r"\p{Kannada}"),
    ("ml", r"\p{Malayalam}"), ("gu", r"\p{Gujarati}"), ("pa", r"\p{Gurmukhi}"), ("si", r"\p{Sinhala}"),
    ("km", r"\p{Khmer}"), ("lo", r"\p{Lao}"), ("my", r"\p{Myanmar}"), ("am", r"\p{Ethiopic}"),
)  # fmt: skip
_LETTERS = regex.compile("|".join(f"(?P<{name}>[{letters}]+)" for name, letters in _SCRIPTS), flags=regex.V1)
_ADDRESS = re.compile(
    r"(?:https?://|www\.)\S+|\S+@\S+\.\S+|\b[\w-]+(?:\.[\w-]+)*\.(?:com|org|net|de|fr|es|cn|jp"
    r"|io)\b"
)
_LATIN_WORD = regex.compile(r"\p{Latin}[\p{Latin}\p{M}'’]*")
# Forms that only Japanese writes, and forms that it never does.
_JAPANESE_HAN: Final = frozenset(
    "営対図駅発売広変帰転軽鉄応検気実続経験関戦団県両単価圏拡込働枠払労戻齢辺従処覚総様権歳歩毎浜産畳稲穏"
    "窓聴脳臓芸薬訳譲賛遅釈録険隠雑頼黒黙済読円弾挙沢"
)
_CHINESE_HAN: Final = frozenset(
    "这這你他她它们們吗嗎呢吧啊也还很从为个說说时间开关门馆东车书让对过进给么样图无费须应该处产业务单优选请问"
)


def covered(code: str | None) -> Language | None:
    """Return `code` as a Language whose facts can be read, None for any other.

    >>> covered("de"), covered("sv")
    ('de', None)
    """
    return cast(Language, code) if code in LANGUAGES else None


@lru_cache(maxsize=4096)
def language_of(text: str, fallback: Language | None = None) -> str | None:
    """Return the ISO 639-1 code of the text's language; `fallback` (the other side's language) where it does not show.

    The script with most letters decides; Han with kana is Japanese, and so is Han alone if its forms are Japanese ones
    or `fallback` is, unless it has Chinese forms. Latin text, without addresses and numbers, takes the likeliest of
    LATIN_LANGUAGES if its probability is at least SURE and either two words are no names (in lower case) or one is and
    is no function word; else the covered language of which it has most function words, two at least, the likelier one
    in a tie. Names («University of Oxford»), numbers and addresses alone are `fallback`. The first 400 characters
    decide.
    """
    head = text[:_READ_CHARS]
    without_addresses = _ADDRESS.sub(" ", head)
    counts = Counter[str]()
    for match in _LETTERS.finditer(without_addresses):
        counts[cast(str, match.lastgroup)] += len(match.group())
    if not counts:
        return fallback
    # A Han character says about as much as three letters; a Latin product name must not outweigh a Chinese sentence.
    weights = {name: count * (3 if name in ("han", "kana") else 1) for name, count in counts.items()}
    script = max(weights, key=lambda name: (weights[name], name))
    if script in ("han", "kana"):
        return _east_asian(without_addresses, counts, fallback)
    if script == "latin":
        return _latin(without_addresses, fallback)
    if script == "cyrillic":
        return "uk" if re.search("[іїєґІЇЄҐ]", head) else "ru"
    if script == "arabic":
        return "ur" if re.search("[ٹڈڑے]", head) else "fa" if re.search("[پچژگ]", head) else "ar"
    return script


def _east_asian(text: str, counts: Counter[str], fallback: Language | None) -> str:
    """Return ja or zh: by kana, else by the forms of the Han characters, else by the other side."""
    kana, han = counts["kana"], counts["han"]
    if kana and kana * 10 >= han:
        return "ja"
    if _CHINESE_HAN.intersection(text):
        return "zh"
    return "ja" if fallback == "ja" or _JAPANESE_HAN.intersection(text) else "zh"


def _latin(text: str, fallback: Language | None) -> str | None:
    words = [match.group() for match in _LATIN_WORD.finditer(unicodedata.normalize("NFC", text))]
    if all(word.isupper() for word in words) and len(words) > _FEW_WORDS:
        words = [word.lower() for word in words]
    common = [word for word in words if word[0].islower()]
    if not common:
        return fallback
    ranking: list[tuple[str, float]] = _identifier().rank(" ".join(words))
    best, probability = ranking[0]
    named = len(common) < _FEW_WORDS and any(common[0] in listed for listed in FUNCTION_WORDS.values())
    if probability >= SURE and not named:
        return best
    return _by_function_words(words, dict(ranking)) or fallback


def _by_function_words(words: list[str], probabilities: dict[str, float]) -> str | None:
    lowered = [word.lower().replace("’", "'") for word in words]
    hits = {code: sum(word in listed for word in lowered) for code, listed in FUNCTION_WORDS.items()}
    code = max(hits, key=lambda code: (hits[code], probabilities[code]))
    return code if hits[code] >= _FEW_WORDS else None


@lru_cache(maxsize=1)
def _identifier() -> "LanguageIdentifier":
    """Return the n-gram model, loaded once (about a third of a second)."""
    from py3langid.langid import MODEL_FILE, LanguageIdentifier

    identifier = LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)
    identifier.set_languages(LATIN_LANGUAGES)
    return identifier
