"""Thirty labelled answers to fifteen sources, and the command that trains a fusion on them with the tiny reader."""

from typing import Any

from made_geometry import labelled_answers

# References, a grounded answer, a hallucinated one with its invented part between «».
_MORE = (
    (
        "The ferry to Sand Island sails at 8:30 and 17:15. A return ticket costs 14 euros.",
        "The ferry sails at 8:30 and 17:15. A return ticket costs 14 euros.",
        "A return ticket costs 14 euros. «Dogs travel free of charge in the captain's cabin.»",
    ),
    (
        "The bridge at Orlo was opened in 1932. It is 310 metres long and carries two railway tracks.",
        "The bridge is 310 metres long. It was opened in 1932.",
        "The bridge was opened in 1932. It is «450» metres long.",
    ),
    (
        "Moss roses need full sun and little water. They flower from June to September.",
        "Moss roses flower from June to September. They need full sun.",
        "Moss roses need full sun. «Their seeds were used as currency by shepherds.»",
    ),
    (
        "The clinic is closed on Sundays. Blood samples are taken between 7 and 10 in the morning.",
        "Blood samples are taken between 7 and 10 in the morning. The clinic is closed on Sundays.",
        "The clinic is closed on «Mondays». Blood samples are taken between 7 and 10 in the morning.",
    ),
    (
        "The printer prints 24 pages a minute. Its tray holds 250 sheets of paper.",
        "Its tray holds 250 sheets. The printer prints 24 pages a minute.",
        "The printer prints 24 pages a minute. «A voice assistant orders new ink automatically.»",
    ),
    (
        "The choir rehearses on Thursdays at seven. New singers may join until the end of October.",
        "New singers may join until the end of October. The choir rehearses on Thursdays.",
        "The choir rehearses on Thursdays. «It won three gold medals in Vienna last spring.»",
    ),
    (
        "The battery lasts 18 hours. Charging it takes 90 minutes with the cable supplied.",
        "The battery lasts 18 hours. Charging takes 90 minutes.",
        "Charging takes 90 minutes. The battery lasts «36» hours.",
    ),
    (
        "Parcels up to 20 kilograms are delivered within three days. Heavier ones need a carrier.",
        "Parcels up to 20 kilograms are delivered within three days.",
        "Heavier parcels need a carrier. «Every customer also receives a voucher for chocolates.»",
    ),
    (
        "The observatory stands at 2,100 metres. Visitors may look through the small telescope on Fridays.",
        "Visitors may look through the small telescope on Fridays. The observatory stands at 2,100 metres.",
        "The observatory stands at 2,100 metres. «Its dome was a present from a Danish princess.»",
    ),
)


def labelled_rows() -> list[dict[str, Any]]:
    """Return the thirty rows: half of them have a hallucinated span."""
    rows = [
        {
            "id": f"{one.group}-{one.label}",
            "references": [reference.text for reference in one.references],
            "answer": one.answer,
            "spans": [{"start": span.start, "end": span.end} for span in one.spans or ()],
            "group": one.group,
        }
        for one in labelled_answers()
    ]
    for number, (reference, grounded, wrong) in enumerate(_MORE):
        start, end = wrong.index("«"), wrong.index("»") - 1
        usual = {"references": [reference], "group": f"more-{number}"}
        rows.append({"id": f"more-{number}-0", "answer": grounded, "spans": []} | usual)
        answer = wrong.replace("«", "").replace("»", "")
        rows.append({"id": f"more-{number}-1", "answer": answer, "spans": [{"start": start, "end": end}]} | usual)
    return rows
