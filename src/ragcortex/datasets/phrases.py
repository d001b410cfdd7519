"""Hand-written phrases of answers: how they open, go on, and say more than they know. Data only."""

from typing import Final

CONNECTIVES: Final = ("Additionally,", "Also,", "In addition,", "Furthermore,", "Moreover,")

OPENERS: Final = (
    "According to the passages,",
    "Based on the given passages,",
    "According to the provided information,",
    "Based on the context,",
    "The passages state that",
)

LIST_INTROS: Final = (
    "Based on the provided passages, here is what is known:",
    "Here is what the passages say:",
    "According to the given information:",
    "The passages give the following details:",
    "Here is an answer based on the given context:",
)

# Endings of a sentence that say more than its sources: plausible, general, and of no particular text.
ELABORATIONS: Final = (
    ", which makes it a popular choice among experts",
    ", which is widely regarded as one of the best of its kind",
    ", making it easier for people to understand",
    ", making it one of the most important of its time",
    ", which has been confirmed by several studies",
    ", which can lead to serious problems over time",
    ", which helps to reduce costs in the long run",
    ", especially among younger people",
    ", especially in rural areas",
    ", especially during the summer months",
    ", particularly in the United States",
    ", particularly for beginners",
    ", including several that are still in use today",
    ", including many from abroad",
    ", depending on the season and the weather",
    ", depending on the size and the location",
    ", although this can vary from person to person",
    ", although experts disagree about the details",
    ", as long as the necessary conditions are met",
    ", with most of them taking place in the spring",
    ", with an average cost of around $200",
    ", with about a third of the total coming from private donors",
    ", thanks to its convenient location",
    ", thanks to its long history and rich culture",
    ", resulting in widespread criticism at the time",
    ", resulting in higher prices for consumers",
    ", allowing visitors to experience it first hand",
    ", allowing for greater flexibility and control",
    ", leading to a significant increase in demand",
    ", followed by a short period of recovery",
    ", as well as a number of smaller ones nearby",
    " because of its historical significance",
    " because it is easier to maintain",
    " because there was no other option available",
    " due to concerns about safety",
    " due to its unique shape and size",
    " due to changes in the climate",
    " in order to protect the environment",
    " in order to attract more visitors",
    " in order to avoid further complications",
    " so that it can be used by everyone",
    " for up to two weeks at a time",
    " on a regular basis throughout the year",
    " with the help of local volunteers",
    " without the need for special equipment",
    " and is considered a national treasure",
    " and remains popular to this day",
    " and has won several international awards",
    " and can be found in most parts of the world",
    " and was later adopted by many other countries",
)
