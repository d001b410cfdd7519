"""Labels as names of files."""

import hashlib


def safe_name(label: str) -> str:
    """Return a label as a file name; labels that differ have names that differ.

    What is not a letter, digit or dash becomes an underscore, and then a digest of the label is appended.
    """
    plain = "".join(letter if letter.isalnum() or letter == "-" else "_" for letter in label)
    return plain if plain == label else f"{plain}-{hashlib.sha256(label.encode()).hexdigest()[:8]}"
