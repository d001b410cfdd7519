"""Embedding models behind one small interface: sentence-transformers, the embedded one, an HTTP endpoint."""
