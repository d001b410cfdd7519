"""The tree of errors, its exit codes and HTTP status."""

import doctest

import pytest

from ragcortex import errors
from ragcortex.errors import (
    BundleError,
    InputError,
    ModelError,
    ModelMissingError,
    OutOfMemoryError,
    RagcortexError,
    ReadingError,
    StoreError,
    TrainingError,
    exit_code,
    http_status,
)


@pytest.mark.parametrize(
    ("error", "code", "status"),
    [
        (InputError("answer", "is missing"), 2, 422),
        (TrainingError("no data"), 2, 422),
        (ModelError("broken"), 3, 503),
        (ModelMissingError("not here"), 3, 503),
        (BundleError("damaged"), 3, 503),
        (ReadingError("not finite"), 70, 500),
        (OutOfMemoryError("too long"), 70, 500),
        (StoreError("disk full"), 70, 500),
        (RagcortexError("something"), 70, 500),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, Exception) else None,
)
def test_codes(error: RagcortexError, code: int, status: int) -> None:
    assert (exit_code(error), http_status(error)) == (code, status)
    assert isinstance(error, RagcortexError)


def test_an_error_of_elsewhere_has_its_nearest_ancestor_s_code() -> None:
    class OddModelError(ModelMissingError):
        pass

    assert (exit_code(OddModelError("x")), http_status(OddModelError("x"))) == (3, 503)


def test_every_error_is_in_the_drawing_and_has_its_own_codes() -> None:
    kinds = [value for value in vars(errors).values() if isinstance(value, type) and issubclass(value, RagcortexError)]
    assert len(kinds) == 9
    assert all(f" {kind.__name__}" in errors.__doc__ for kind in kinds)
    assert set(errors._CODES) == set(kinds)


def test_input_errors_name_their_field() -> None:
    error = InputError("references[2].text", "is missing")
    assert str(error) == "references[2].text: is missing"
    assert (error.field, error.message) == ("references[2].text", "is missing")


def test_examples_in_the_docstrings() -> None:
    assert doctest.testmod(errors).failed == 0
