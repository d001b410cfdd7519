"""Numbers with the signs of Chinese and Japanese, alone or mixed with digits: 三十五, 1億2000万, 三分之二."""

from collections.abc import Iterator
from decimal import Decimal
from typing import Final

import regex

from ragcortex.geometry.facts.amount_digits import EXACT, fraction, literal_value
from ragcortex.geometry.facts.amount_numeral import Numeral
from ragcortex.geometry.facts.fact import Language

_DIGITS: Final = {
    **{sign: value for value, sign in enumerate("〇一二三四五六七八九")},
    "零": 0, "两": 2, "兩": 2, "壹": 1, "贰": 2, "叁": 3, "弐": 2, "参": 3,
}  # fmt: skip
_TENS: Final = {"十": 10, "百": 100, "千": 1000, "拾": 10, "佰": 100, "仟": 1000}
_MYRIADS: Final = {"万": 10**4, "萬": 10**4, "亿": 10**8, "億": 10**8, "兆": 10**12}
_SIGNS: Final = "".join((*_DIGITS, *_TENS, *_MYRIADS))
_LITERAL: Final = r"[0-9]+(?:,[0-9]{3})*(?:\.[0-9]+)?"
# 千 before a unit of the metric system belongs to the unit: 千克, 千米, 兆赫, 百帕.
_METRIC: Final = r"(?![千百兆](?:字节|赫|瓦|帕|焦|米|克|卡|伏|比特|像素))"
_NUMBER: Final = rf"(?:(?:{_LITERAL}|{_METRIC}[{_SIGNS}])(?:[ ]?{_METRIC}[{_SIGNS}]|(?<=[{_SIGNS}]){_LITERAL})*)"
_BEFORE: Final = r"(?<![0-9A-Za-z.,_-])"
_SHARE: Final = regex.compile(rf"(?P<base>百|千|万)分之(?P<value>{_NUMBER}(?:点[{_SIGNS}]+)?)")
_FRACTION: Final = regex.compile(rf"{_BEFORE}(?P<below>{_NUMBER})分(?:之|の)(?P<above>{_NUMBER})")
_HALF: Final = regex.compile(
    r"一半|半分|半数|半(?=年|天|日|个月|個月|月|小时|小時|時間|分钟|公里|斤|世纪|世紀|百|打|ダース)"
)
_PLAIN: Final = regex.compile(
    rf"{_BEFORE}(?P<value>{_NUMBER})(?P<point>点[〇零一二三四五六七八九]+)?(?P<half>[个個]半(?=小?时|小?時|月|钟头|星期))?"
)
_TWO_ENDS: Final = regex.compile(r"一二|两三|二三|三四|三五|四五|五六|六七|七八|八九")
_SEVERAL_BEFORE: Final = regex.compile(r"(?:[数數几幾何上好第每]|第 )$")
_RANK_BEFORE: Final = regex.compile(r"第 ?$")
_RANK_AFTER: Final = regex.compile("番目|つ目|世[纪紀]")
# Words and names that begin with a number sign and count nothing.
_NO_NUMBER: Final = regex.compile(
    r"零下|十分(?!钟|鐘|間|之)|十全|十足|万一|万[能歳岁]|百[货貨度姓科]|千葉|千代|千歳|千万(?=別|别|不)"
    r"|一[般样樣些起直定切旦致共并向带面方部番度緒生種体體边邊位名人家]"
    r"|一[个個](?!半?(?:小?[时時]|月|星期|礼拜|季度|世纪|工作日|钟头|营业日|百分点|自然日))"
    r"|二酸化|二氧化|三[角国重菱井]|三明治|三日月|四[角国川]|四日市|五[角輪]|五反田|六本木|六月|七面鳥|七夕"
    r"|八百屋|八王子|八卦|九州|九龙|十日町"
)
# 十五五: after ten and a digit a second digit has no place; two names side by side.
_NO_PLACE: Final = regex.compile(r"[十百千][〇零]?[一二三四五六七八九]{2}")
_COUNTER: Final = regex.compile(
    r"[个個名人位次年只頭头本枚匹台冊册階层層歳岁倍つ件家座所条條张張辆輛艘部项項种種类類组組章节節门門间間轮輪届屆场場份封幅颗顆块块批"
    r"期篇句代口户戶州国國點点回度社校杯軒棟店室席票曲話巻点隻箱袋滴戦勝敗]|か所|カ国|か国|ヶ国|ヶ所|カ所|番|分の|割|以上|以下|以内|未満|多|余"
)
_WORDY: Final = regex.compile(r"[\p{Han}\p{Hiragana}\p{Katakana}]")


def sign_numerals(text: str, language: Language) -> Iterator[Numeral]:
    """Yield the numbers that hold at least one number sign, by position; nothing for European languages."""
    if language not in ("zh", "ja"):
        return
    position = 0
    while (start := _next(text, position)) is not None:
        found = _share(text, start) or _part(text, start) or _half(text, start) or _plain(text, start, language)
        if isinstance(found, Numeral):
            yield found
            position = found.end
        else:
            match = _PLAIN.match(text, start)
            position = match.end() if match else start + 1


def _next(text: str, position: int) -> int | None:
    match = _START.search(text, position)
    return match.start() if match else None


_START: Final = regex.compile(rf"{_BEFORE}{_LITERAL}(?=[ ]?[{_SIGNS}]|分[之の])|[{_SIGNS}半]")


def _share(text: str, start: int) -> Numeral | None:
    match = _SHARE.match(text, start)
    if match is None:
        return None
    value = _value(match["value"].split("点")[0], "zh")
    if "点" in match["value"]:
        value += after_point(match["value"].split("点")[1])
    unit = {"百": "percent", "千": "permille", "万": "basis_point"}[match["base"]]
    return Numeral(start, match.end(), value, form="signs", unit=unit)


def _part(text: str, start: int) -> Numeral | None:
    match = _FRACTION.match(text, start)
    if match is None:
        return None
    above, below = _value(match["above"], "zh"), _value(match["below"], "zh")
    if below == 0 or above != above.to_integral_value() or below != below.to_integral_value():
        return None
    return Numeral(start, match.end(), fraction(int(above), int(below)), form="signs")


def _half(text: str, start: int) -> Numeral | None:
    match = _HALF.match(text, start)
    if match is None or (start > 0 and text[start - 1] in "前后後上下大个個夜多"):
        return None
    return Numeral(start, match.end(), Decimal("0.5"), form="signs")


def _plain(text: str, start: int, language: Language) -> Numeral | None:
    match = _PLAIN.match(text, start)
    if match is None or not regex.search(f"[{_SIGNS}]", match["value"]):
        return None
    ordinal = _RANK_BEFORE.search(text, max(0, start - 2), start) is not None
    following = _RANK_AFTER.match(text, match.end())
    if not ordinal and (_SEVERAL_BEFORE.search(text, max(0, start - 1), start) or _NO_NUMBER.match(text, start)):
        return None
    if _NO_PLACE.search(match["value"]):
        return None
    value = _value(match["value"], language)
    if match["point"]:
        value += after_point(match["point"][1:])
    if match["half"]:
        value += Decimal("0.5")
    if ordinal or following:
        end = following.end() if following and following[0].endswith("目") else match.end("value")
        return Numeral(start, end, value, ordinal=True, form="signs")
    counts = _counts(match["value"], text, start, match.end())
    return Numeral(start, match.end(), value, form="signs", needs_unit=not counts, scale=_scale(match["value"], value))


def _counts(number: str, text: str, start: int, end: int) -> bool:
    """Return whether number signs are surely a number and no part of a word, even without a unit after them."""
    if regex.search("[0-9]", number):
        return True
    alone = not (start > 0 and _WORDY.match(text[start - 1])) and not (end < len(text) and _WORDY.match(text[end]))
    if alone and len(number) < 3:
        return True
    if number in ("一", "壹"):
        return False
    digits = sum(sign in _DIGITS for sign in number)
    if (digits and digits < len(number)) or regex.fullmatch("[十百][一二三四五六七八九十].*|百十.*", number):
        return True
    if digits == len(number) and (len(number) == 4 or (len(number) > 1 and ("〇" in number or "零" in number))):
        return True
    return (digits < 2 or len(number) < 2) and _COUNTER.match(text, end) is not None


def two_ends(text: str, start: int, end: int) -> tuple[Decimal, Decimal] | None:
    """Return both ends of a stretch such as 两三 (two or three), or None."""
    if not _TWO_ENDS.fullmatch(text, start, end):
        return None
    return Decimal(_DIGITS[text[start]]), Decimal(_DIGITS[text[start + 1]])


def after_point(signs: str) -> Decimal:
    """Return the digits after a decimal point: 八三 is 0.83."""
    return Decimal("0." + "".join(str(_DIGITS.get(sign, 0)) for sign in signs))


def _scale(number: str, value: Decimal) -> Decimal:
    scale = Decimal(1)
    for sign in reversed(number):
        if sign not in _MYRIADS and sign not in _TENS:
            break
        scale *= _MYRIADS.get(sign) or _TENS[sign]
    # 十 in 二十 is no magnitude: «3〜20» does not begin at 30.
    return scale if scale >= 1000 and EXACT.remainder(value, scale) == 0 else Decimal(1)


def _value(number: str, language: Language) -> Decimal:
    """Return the value of a number of signs and digits; 三千五 is 3,500 in Chinese, where 零 would mark a gap."""
    total = section = Decimal(0)
    current: Decimal | None = None
    previous, last_unit, gap = "", 1, False
    for token in regex.findall(rf"{_LITERAL}|[{_SIGNS}]", number):
        if token in _DIGITS:
            current = (
                Decimal(_DIGITS[token]) if current is None or previous not in _DIGITS else current * 10 + _DIGITS[token]
            )
            gap = gap or token in "零〇"
        elif token in _TENS:
            section += (Decimal(1) if current is None else current) * _TENS[token]
            current, last_unit, gap = None, _TENS[token], False
        elif token in _MYRIADS:
            below = section + (current or 0)
            unit = _MYRIADS[token]
            total = EXACT.multiply(total + below, Decimal(unit)) if last_unit >= 10**4 and unit > last_unit else (
                total + EXACT.multiply(below if below or total else Decimal(1), Decimal(unit))
            )  # fmt: skip
            section, current, last_unit, gap = Decimal(0), None, unit, False
        else:
            current = literal_value(token, "zh")
        previous = token
    if (
        current is not None
        and language == "zh"
        and last_unit >= 100
        and not gap
        and len(number) > 1
        and number[-2:-1] not in _DIGITS
        and number[-1] in _DIGITS
    ):
        current *= last_unit // 10
    return total + section + (current or 0)
