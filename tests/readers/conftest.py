"""Fixtures of the reader tests."""

import pytest
import torch


@pytest.fixture(scope="session", autouse=True)
def one_thread() -> None:
    """Run tiny models on one thread: they are no faster on more, and other tests are left room."""
    torch.set_num_threads(1)
