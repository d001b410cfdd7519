"""What the self-checks read; fixed, since values of it are kept."""

from typing import Final

from ragcortex.example import Example

QUESTION: Final = "How do I store fresh basil, and how long does it keep?"
_SOURCE: Final = (
    "Fresh basil keeps for 7 to 10 days in a glass of water at room temperature. Change the water every two days.",
    "Basil is sensitive to cold: below 10 °C the leaves turn black within a day or two.",
)
SUPPORTED: Final = Example.of(QUESTION, _SOURCE, "Basil keeps for 7 to 10 days in a glass of water.")
UNSUPPORTED: Final = Example.of(
    QUESTION,
    _SOURCE,
    "Basil keeps for 7 to 10 days in a glass of water. Washing the leaves in vinegar doubles their shelf life, and "
    "many chefs wrap the stems in aluminium foil to preserve the aroma.",
)
SHORT: Final = Example.of("Cold?", ["No."], "No.")
LONG: Final = Example.of(
    "What is known of the lighthouse at Cape Arden?",
    [
        f"In {year} the lighthouse was painted anew, and its keeper counted {year - 1700} ships in one month."
        for year in range(1874, 1880)
    ],
    "The lighthouse was painted anew in 1874 and in each of the five years after that, as its keeper wrote down.",
)
EMBEDDED_TEXTS: Final = (
    "The lighthouse at Cape Arden was built in 1874.",
    "Basil is sensitive to cold.",
    "灯台は1874年に建てられた。",
)
