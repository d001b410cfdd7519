"""The geometric witness: an answer among its references in an embedding space, and its facts compared with theirs."""
