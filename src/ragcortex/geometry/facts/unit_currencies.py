"""Currencies: their signs, the short names of the common ones, and their hundredths. CLDR gives the full names."""

from typing import Final

# Signs that stand before or after the number. Longer ones are tried first.
SIGNS: Final[dict[str, str]] = {
    "US$": "USD", "$US": "USD", "USD$": "USD", "U.S.$": "USD", "$": "USD", "A$": "AUD", "AU$": "AUD", "$AU": "AUD",
    "C$": "CAD", "CA$": "CAD", "$CA": "CAD", "NZ$": "NZD", "HK$": "HKD", "NT$": "TWD", "S$": "SGD", "R$": "BRL",
    "MX$": "MXN", "€": "EUR", "£": "GBP", "₹": "INR", "Rs.": "INR", "Rs": "INR", "₩": "KRW", "₽": "RUB", "₺": "TRY",
    "₫": "VND", "฿": "THB", "₱": "PHP", "₪": "ILS", "₴": "UAH", "₦": "NGN", "₸": "KZT", "₡": "CRC", "₲": "PYG",
    "₵": "GHS", "₼": "AZN", "₾": "GEL", "CN¥": "CNY", "RMB": "CNY", "JP¥": "JPY", "Fr.": "CHF", "SFr.": "CHF",
    "Fr": "CHF", "zł": "PLN", "Kč": "CZK",
}  # fmt: skip
YEN_SIGN: Final[dict[str, str]] = {"zh": "CNY", "ja": "JPY", "en": "JPY", "de": "JPY", "fr": "JPY", "es": "JPY"}
# Codes that are ordinary words in capitals; they count after a number only where nothing else does.
WORDLIKE_CODES: Final = frozenset(
    {"ALL", "TOP", "CUP", "MOP", "PEN", "SOS", "BAM", "TRY", "MAD", "COP", "BOB", "LAK", "AMD", "GEL", "ANG", "ARS"}
)
# Names people use instead of CLDR's full ones, by language.
SHORT_NAMES: Final[dict[str, dict[str, str]]] = {
    "en": {
        "USD": "dollar, dollars, U.S. dollar, U.S. dollars, buck, bucks", "EUR": "euro, euros", "JPY": "yen",
        "CNY": "yuan, renminbi, rmb", "GBP": "pound sterling, pounds sterling, quid", "CHF": "franc, francs",
        "INR": "rupee, rupees", "KRW": "Korean won", "RUB": "rouble, roubles, ruble, rubles", "PLN": "zloty, zlotys",
        "BRL": "reais", "ILS": "shekel, shekels", "THB": "baht", "TRY": "lira, liras",
    },
    "de": {
        "USD": "Dollar, Dollars, US-Dollar, US-Dollars", "EUR": "Euro, Euros", "JPY": "Yen", "CNY": "Yuan, Renminbi",
        "GBP": "Pfund Sterling, britische Pfund, britischen Pfund", "CHF": "Franken, Schweizer Franken, Fränkli",
        "INR": "Rupien, Rupie", "KRW": "Won", "RUB": "Rubel", "PLN": "Zloty, Złoty", "DEM": "DM, D-Mark, Mark",
    },
    "fr": {
        "USD": "dollar, dollars, dollar américain, dollars américains", "EUR": "euro, euros, d'euros, d’euros",
        "JPY": "yen, yens", "CNY": "yuan, yuans, renminbi", "GBP": "livre sterling, livres sterling",
        "CHF": "franc, francs, francs suisses", "INR": "roupie, roupies", "KRW": "won, wons", "RUB": "rouble, roubles",
    },
    "es": {
        "USD": "dólar, dólares, dólares estadounidenses", "EUR": "euro, euros", "JPY": "yen, yenes",
        "CNY": "yuan, yuanes, renminbi", "GBP": "libra esterlina, libras esterlinas", "CHF": "franco, francos",
        "INR": "rupia, rupias", "KRW": "won, wones", "RUB": "rublo, rublos", "MXN": "pesos mexicanos",
    },
    "zh": {
        "USD": "美元, 美金", "EUR": "欧元, 歐元", "JPY": "日元, 日圆, 円", "CNY": "元, 人民币, 元人民币, 块钱, 块, 圆",
        "GBP": "英镑", "CHF": "瑞士法郎, 瑞郎, 法郎", "HKD": "港元, 港币", "KRW": "韩元, 韩圆", "INR": "卢比",
        "RUB": "卢布", "TWD": "新台币", "AUD": "澳元", "CAD": "加元, 加币", "SGD": "新元, 新加坡元",
    },
    "ja": {
        "USD": "ドル, 米ドル, アメリカドル", "EUR": "ユーロ", "JPY": "円, 日本円", "CNY": "元, 人民元, 中国元",
        "GBP": "英ポンド, 英国ポンド, スターリングポンド", "CHF": "フラン, スイスフラン", "KRW": "ウォン, 韓国ウォン",
        "INR": "ルピー", "RUB": "ルーブル", "AUD": "豪ドル, オーストラリアドル", "CAD": "カナダドル", "HKD": "香港ドル",
    },
}  # fmt: skip
# Hundredths (tenths for 角): the amount is given in the currency itself, so that 50 cents equal $0.50.
MINOR_NAMES: Final[dict[str, dict[str, str]]] = {
    "en": {"USD": "cent, cents, ¢", "GBP": "penny, pence", "CHF": "rappen, centimes"},
    "de": {"EUR": "Cent, Cents, Eurocent", "CHF": "Rappen"},
    "fr": {"EUR": "centime, centimes, cent, cents, centimes d'euro, centimes d’euro"},
    "es": {"EUR": "céntimo, céntimos", "USD": "centavo, centavos"},
    "zh": {"USD": "美分", "EUR": "欧分"},
    "ja": {"USD": "セント"},
}
TENTH_NAMES: Final[dict[str, dict[str, str]]] = {"zh": {"CNY": "角, 毛钱"}}
# Pounds are money where the amount is in millions or such a word stands near; else they weigh.
MONEY_WORDS: Final = (
    r"£|\b(?:GBP|cost\w*|pric\w+|pay\w*|paid|fee\w*|fine\w*|charg\w+|worth|earn\w*|salar\w+|budget\w*|donat\w+"
    r"|spen[dt]\w*|"
    r"ticket\w*|refund\w*|fund\w*|tax\w*|loan\w*|debt\w*|invest\w*|profit\w*|sales|revenue\w*|bill\w*|wage\w*"
    r"|rent)\b|料金|価格|費用"
)
