"""Headers of GGUF files that say more than the file holds: refused at once, whatever they would make a library do."""

import struct
from collections.abc import Iterator
from pathlib import Path

import pytest
from fuzz_seeds import ggufs
from time_limits import limited

from ragcortex.errors import ModelError
from ragcortex.readers.gguf_header import GgufContents, gguf_contents
from ragcortex.readers.models import locate

UINT8, UINT32, STRING, LIST, F32 = 0, 4, 8, 9, 0


@pytest.fixture(autouse=True)
def no_hang() -> Iterator[None]:
    with limited(60):
        yield


def text(value: str, order: str = "<") -> bytes:
    return struct.pack(f"{order}Q", len(value)) + value.encode()


def header(values: bytes = b"", n_values: int = 0, tensors: bytes = b"", n_tensors: int = 0, order: str = "<") -> bytes:
    return b"GGUF" + struct.pack(f"{order}IQQ", 3, n_tensors, n_values) + values + tensors


def one(kind: int, value: bytes) -> bytes:
    return header(text("k") + struct.pack("<I", kind) + value, 1)


def tensor(*sizes: int, kind: int = F32, offset: int = 0) -> bytes:
    dimensions = struct.pack(f"<I{len(sizes)}Q", len(sizes), *sizes)
    return text("t") + dimensions + struct.pack("<IQ", kind, offset)


def a_list(kind: int, n: int, items: bytes = b"") -> bytes:
    return one(LIST, struct.pack("<IQ", kind, n) + items)


CUT_OFF = "its header ends after {n:,} bytes, in the middle; it was cut off"
HEADERS: dict[str, tuple[bytes, str]] = {
    "empty": (b"", "it cannot be opened: cannot mmap an empty file"),
    "another kind": (b"PK\x03\x04" * 20, "it does not begin with GGUF"),
    "version": (b"GGUF" + bytes(60), "it has version 0; versions 2 and 3 are read"),
    "many values": (
        header(n_values=2**62), "its header says 0 tensors and 4,611,686,018,427,387,904 values; it is damaged",
    ),
    "many tensors": (header(n_tensors=10**6), "its header says 1,000,000 tensors and 0 values; it is damaged"),
    "missing values": (header(n_values=3), CUT_OFF),
    "a long key": (header(struct.pack("<Q", 2**63), 1), CUT_OFF),
    "a long string": (one(STRING, struct.pack("<Q", 2**64 - 1)), CUT_OFF),
    "an endless list": (
        a_list(UINT8, 2**60), "its header says lists of 1,152,921,504,606,846,976 items; at most 5,000,000 are read",
    ),
    "a list that is not there": (a_list(UINT32, 4_000_000), CUT_OFF),
    "strings that are not there": (a_list(STRING, 4_000_000, text("a") * 3), CUT_OFF),
    "a list of lists": (
        a_list(LIST, 1, struct.pack("<IQ", LIST, 1)), "its header says a list of lists, which no model has",
    ),
    "an unknown type": (one(77, bytes(8)), "its header says a value of the unknown type 77"),
    "a list of an unknown type": (a_list(77, 1, bytes(8)), "its header says a value of the unknown type 77"),
    "many dimensions": (
        header(tensors=text("t") + struct.pack("<I", 2**31), n_tensors=1),
        "its header says a tensor of 2,147,483,648 dimensions; it is damaged",
    ),
    "a product beyond 64 bits": (
        header(tensors=tensor(2**32, 2**32), n_tensors=1),
        "its header says 73,786,976,294,838,206,464 bytes of tensors, 0 are there; it was cut off",
    ),
    "an offset": (
        header(tensors=tensor(1, offset=2**62), n_tensors=1),
        "its header says 4,611,686,018,427,387,908 bytes of tensors, 0 are there; it was cut off",
    ),
    "an unknown packing": (
        header(tensors=tensor(1, kind=999), n_tensors=1) + bytes(64),
        "its header says a tensor of the unknown type 999",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", HEADERS)
def test_headers_that_say_too_much_are_refused(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAGCORTEX_CACHE", str(tmp_path / "cache"))
    content, message = HEADERS[name]
    path = tmp_path / "made.gguf"
    path.write_bytes(content)
    for read in (gguf_contents, lambda path: locate(str(path))):
        with pytest.raises(ModelError) as caught:
            read(path)
        assert str(caught.value).endswith(message.format(n=len(content)))
    assert not list((tmp_path / "cache" / "readers").iterdir())


def test_a_header_cut_anywhere_is_refused(tmp_path: Path) -> None:
    content = ggufs()[1]
    path = tmp_path / "made.gguf"
    path.write_bytes(content)
    assert gguf_contents(path) == GgufContents(12, 4632)
    for length in range(0, len(content), 61):
        path.write_bytes(content[:length])
        with pytest.raises(ModelError):
            gguf_contents(path)


def test_the_alignment_is_that_of_the_header(tmp_path: Path) -> None:
    path = tmp_path / "made.gguf"
    for alignment, n_bytes in ((8, 4), (256, 4)):
        value = text("general.alignment") + struct.pack("<II", UINT32, alignment)
        head = header(value, 1, tensor(1), 1)
        content = head + bytes(-len(head) % alignment + n_bytes)
        path.write_bytes(content)
        assert gguf_contents(path) == GgufContents(1, 1)
        path.write_bytes(content[:-1])
        with pytest.raises(ModelError, match="says 4 bytes of tensors, 3 are there"):
            gguf_contents(path)


def test_either_order_of_bytes_is_read(tmp_path: Path) -> None:
    path = tmp_path / "made.gguf"
    for order in "<>":
        value = text("k", order) + struct.pack(f"{order}If", 6, 0.5)
        path.write_bytes(header(value, 1, order=order))
        assert gguf_contents(path) == GgufContents(0, 0)


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("block_count", 2**31, "it describes 2,147,483,648 layers but holds 12 tensors"),
        ("embedding_length", 2**24, "it describes a model of "),
        ("feed_forward_length", 2**31 - 8, "it describes a model of "),
    ],
)
def test_a_model_much_larger_than_its_file_is_refused(
    name: str, value: int, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Otherwise the weights that are missing would be made up, in memory."""
    monkeypatch.setenv("RAGCORTEX_CACHE", str(tmp_path / "cache"))
    content = ggufs()[1]
    key = text(f"llama.{name}") + struct.pack("<I", UINT32)
    place = content.index(key) + len(key)
    path = tmp_path / "made.gguf"
    path.write_bytes(content[:place] + struct.pack("<I", value) + content[place + 4 :])
    with pytest.raises(ModelError) as caught:
        locate(str(path))
    assert str(caught.value).startswith(f"the GGUF file 'made.gguf' cannot be read: {message}")
