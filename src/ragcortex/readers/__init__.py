"""Readers: open-weight models that read an answer with and without its references. Hugging Face stays in here."""

import warnings

# In a notebook, transformers' bars ask for ipywidgets when they are imported; none of them is ever shown.
warnings.filterwarnings("ignore", message="IProgress not found")
