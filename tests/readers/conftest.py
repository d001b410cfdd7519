"""Fixtures of the reader tests."""

import pytest
import torch

from architectures import CONFIGS, loaded_model
from ragcortex.readers.models import LoadedModel


@pytest.fixture(scope="session", autouse=True)
def one_thread() -> None:
    """Run tiny models on one thread: they are no faster on more, and other tests are left room."""
    torch.set_num_threads(1)


@pytest.fixture(scope="module", params=sorted(CONFIGS))
def architecture(request: pytest.FixtureRequest) -> str:
    """Return each supported architecture in turn."""
    return str(request.param)


@pytest.fixture(scope="module")
def loaded(architecture: str) -> LoadedModel:
    """Return a tiny model of the architecture with random weights."""
    return loaded_model(architecture)
