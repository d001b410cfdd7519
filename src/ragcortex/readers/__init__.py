"""Readers: open-weight models that read an answer with and without its references. Hugging Face stays in here."""
