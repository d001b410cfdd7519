"""Inputs to begin with, one or a few of each kind, all made here."""

import io
import json
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from fuzz_folders import CORPUS_PARTS, made_bundle_folder, made_corpus_folder, n_values

from made_pdf import made_pdf

_STEP = 9  # the fuzzer makes the edits between them
_ROW = {"id": "1", "question": "When?", "references": ["Built in 1874."], "answer": "In 1875, at sea. 灯台"}


def rows() -> list[bytes]:
    """Return files of JSON lines: plain rows, labelled ones, rows of RAGAS and runs of LangSmith."""
    labelled = {
        "id": 7, "context": "Built in 1874.", "answer": "In 1875.", "spans": [{"start": 3, "end": 7, "type": "date"}],
        "label": 1, "group": "g", "model": "m", "task": "qa", "split": "train",
    }  # fmt: skip
    with_objects = _ROW | {"references": [{"text": "Built in 1874.", "id": 1, "source": "a.txt"}], "label": 0}
    ragas = {"user_input": "When?", "retrieved_contexts": ["Built in 1874."], "response": "In 1875.", "id": "r"}
    as_text = {"question": "When?", "contexts": "['Built in 1874.']", "answer": "In 1875."}
    found = [{"page_content": "Built in 1874.", "metadata": {"source": "a", "page": 1}, "type": "Document"}]
    messages = [{"lc": 1, "id": ["x", "HumanMessage"], "kwargs": {"content": [{"type": "text", "text": "When?"}]}}]
    run = {
        "id": "a", "parent_run_id": None, "run_type": "chain", "inputs": {"messages": messages},
        "outputs": {"answer": "In 1875."}, "error": None, "start_time": "1",
        "child_runs": [{"id": "b", "run_type": "retriever", "inputs": {}, "outputs": {"documents": found}}],
    }  # fmt: skip
    files = [[_ROW, labelled, with_objects], [labelled], [ragas, as_text], [run]]
    return [
        *(b"".join(json.dumps(row, ensure_ascii=False).encode() + b"\n" for row in file) for file in files),
        b"\xef\xbb\xbf" + json.dumps(_ROW).encode() + b"\r\n\r\n{}\n[]\nnull\n",
    ]


def texts() -> list[bytes]:
    """Return files of every kind in the order of `fuzz_targets.ENDINGS`, each after the byte that chooses it."""
    html = (
        "<!DOCTYPE html><html><head><meta charset='utf-8'><title>A page</title><style>p{}</style></head><body><h1>One"
        "</h1><p>Two&nbsp;<b>three</b> 10<sup>6</sup><br>x<ol start=3><li>a<li value=9>b</ol><table><tr><td>1<td>"
        "<table><tr><th>2</table></table><pre>  a\n b</pre><img alt='c'><ruby>x<rt>y</rt></ruby><script>1</script>"
    )
    xhtml = '<?xml version="1.0" encoding="utf-8"?><html><body><div/><p title="a/b">x<br/>y</p></body></html>'
    markdown = (
        "---\na: b\n---\n# One\n\nTwo *three* `four` [five](six) ![seven](eight)\n\n1. a\n2. b\n   - c\n\n> d\n\n"
        "| e | f |\n|---|---|\n| g | h |\n\n```\ni\n```\n<div>j</div>\n\n[k]: l\n"
    )
    listed = json.dumps([{"id": 1, "text": "One."}, {"references": ["Two.", {"text": "Three."}]}, {"context": "Four."}])
    lines = '{"text": "One.", "source": "a"}\n{"references": ["Two."]}\n'
    plain = "Une journée à Genève.\n"
    return [
        *(bytes([index]) + text.encode() for index, text in enumerate((plain, html, xhtml, markdown, listed, lines))),
        *(b"\0" + plain.encode(encoding) for encoding in ("latin-1", "utf-16", "utf-16-le", "utf-32")),
        b"\1<meta charset=shift_jis>" + "灯台".encode("shift_jis"),
    ]


def pdfs() -> list[bytes]:
    """Return PDF files of two pages and of one, and one whose text is packed."""
    import zlib

    plain = made_pdf([["The lighthouse was", "built in 1874, with a light-", "house."], []])
    content = b"BT /F1 11 Tf 50 740 Td (Packed.) Tj ET"
    one = made_pdf([["Packed."]])
    start, end = one.index(b"<< /Length"), one.index(b"\nendstream")
    packed = zlib.compress(content)
    stream = b"<< /Length %d /Filter /FlateDecode >>\nstream\n" % len(packed) + packed
    return [plain, one, one[:start] + stream + one[end:]]


def sentences() -> list[bytes]:
    """Return sentences with numbers, dates and times, each after the byte that chooses its language."""
    each = {
        1: "It rose by 12.5 % to $5.9 million on March 3rd, 1889, at 5:30 pm; 3-5 ft 2 in.\0Two thirds, since 1874.",
        2: "Am 31. März 1889 kosteten 1.200,50 € rund zwanzig Meter, halb neun bis 17 Uhr.\0Höchstens 5,9 Mio.",
        3: "Le 1er mai 1889, à 17 h 30, environ 1 200,5 kg; quatre-vingt-dix-sept pour cent.\0Entre 3 et 5 ans.",
        4: "El 3 de mayo de 1889, a las 5 y media, unos 2.500 km; veintiún días.\0Del 3 al 5 de junio.",
        5: "1889年3月31日下午2点至5点，约590万人，百分之八十五，三千二百五十公里。\0不超过两年。",
        6: "明治22年3月31日午後5時半、約590万円、八割、3.5キロメートル、二千三百人。\0二時間半以内。",
    }
    return [bytes([index]) + text.encode() for index, text in each.items()] + [b"\0" + each[1].encode()]


def bundles() -> list[bytes]:
    """Return each file of a sound detector, and edits of values to what JSON alone can say."""
    from ragcortex.geometry.model import FILE_NAME

    with tempfile.TemporaryDirectory() as temporary:
        folder = made_bundle_folder(Path(temporary) / "made")
        whole = [(folder / name).read_bytes() for name in ("detector.json", FILE_NAME, "fusion.json")]
        tensors = (folder / "heads.safetensors").read_bytes()
    files = [b"\0" + tensors, *(bytes([1 + index]) + content for index, content in enumerate(whole))]
    return files + [edit for index, content in enumerate(whole) for edit in edits(4 + index, content)[::_STEP]]


def corpora() -> list[bytes]:
    """Return each file of a sound corpus, and edits of the manifest's values to what JSON alone can say."""
    with tempfile.TemporaryDirectory() as temporary:
        folder = made_corpus_folder(Path(temporary) / "made")
        manifest = (folder / "corpus.json").read_bytes()
        parts = [next(folder.glob(f"{part}-*")).read_bytes() for part in CORPUS_PARTS]
    objects = io.BytesIO()
    np.savez(objects, a=np.arange(3))
    return [
        b"\0" + manifest,
        *edits(1, manifest)[::_STEP],
        *(bytes([2 + index]) + content for index, content in enumerate(parts)),
        b"\5" + objects.getvalue(),
    ]


def edits(which: int, document: bytes) -> list[bytes]:
    """Return an edit of every value of a document, to one after the other of what JSON alone can say."""
    return [
        bytes([which]) + number.to_bytes(2) + _VALUES[number % len(_VALUES)] for number in range(n_values(document))
    ]


_VALUES = (
    b"null", b"true", b"-1", b"0.5", b"1e999", b"-1e999", b"1" + b"0" * 400, b'""', b'"\\ud800"', b"[]", b"{}", b"[[]]",
    b'{"a": 1}', b"9223372036854775808",
)  # fmt: skip


def bodies() -> list[bytes]:
    """Return bodies of every route of `fuzz_service.ROUTES`, each after the byte that chooses it."""
    check = {"question": "When?", "references": ["Built in 1874."], "answer": "Built in 1875.", "id": "x"}
    with_objects: dict[str, Any] = {"references": [{"text": "a", "id": "b", "source": "c"}], "answer": "d", "task": "e"}
    calibration = {"name": "a", "hallucinated_threshold": 0.5, "review_threshold": 0.4}
    by_json: dict[int, dict[str, Any]] = {
        0: check, 1: {"checks": [check, with_objects]}, 2: check, 3: {"text": "a", "end": True},
        4: {"rating": "right", "comment": "a"}, 5: {"label": 1, "spans": [{"start": 0, "end": 1}]}, 6: calibration,
        7: {"name": "b", "documents": [{"text": "c"}]}, 8: {"documents": [{"text": "d", "id": "e"}]},
        10: {"name": "f", "scopes": ["check"]},
    }  # fmt: skip
    form = (
        b'--b\r\nContent-Disposition: form-data; name="files"; filename="a.md"\r\n\r\n# One\n\r\n'
        b'--b\r\nContent-Disposition: form-data; name="files"; filename="b.jsonl"\r\n\r\n{"text": "c"}\r\n--b--\r\n'
    )
    return [
        *(bytes([index]) + json.dumps(body).encode() for index, body in by_json.items()),
        b"\0" + json.dumps({"corpus": "made", "answer": "Built in 1874."}).encode(),
        b"\x09" + form,
        b"\x0bkey=rck_x&next=%2F",
    ]


def ggufs() -> list[bytes]:
    """Return a GGUF file of a Llama with one layer, and one with a value of every type and nothing else."""
    from gguf import GGUFWriter

    with tempfile.TemporaryDirectory() as temporary:
        path = Path(temporary) / "made.gguf"
        writer = GGUFWriter(path, "llama")
        for name, value in (
            ("block_count", 1), ("context_length", 64), ("embedding_length", 8), ("feed_forward_length", 8),
            ("head_count", 2), ("head_count_kv", 2), ("layer_norm_rms_eps", 1e-5), ("vocab_size", 260),
        ):  # fmt: skip
            getattr(writer, f"add_{name}")(value)
        letters = [chr(256 + number) for number in range(256)]
        tokens = ["<unk>", "<s>", "</s>", *letters, letters[0] + letters[1]]
        writer.add_tokenizer_model("gpt2")
        writer.add_token_list(tokens)
        writer.add_token_types([3] * 3 + [1] * 257)
        writer.add_token_merges([f"{letters[0]} {letters[1]}"])
        writer.add_bos_token_id(1)
        writer.add_eos_token_id(2)
        for name, shape in _TENSORS.items():
            writer.add_tensor(name, np.full(shape, 0.1, np.float32))
        sound = _written(writer, path)
        writer = GGUFWriter(path, "llama")
        writer.add_bool("a", True)
        writer.add_float32("b", 0.5)
        writer.add_uint64("c", 7)
        writer.add_string("d", "text")
        writer.add_array("e", [1, 2, 3])
        writer.add_array("f", ["one", "two"])
        return [_written(writer, path), sound]


_TENSORS = {
    "token_embd.weight": (260, 8), "output_norm.weight": (8,), "output.weight": (260, 8),
    "blk.0.attn_norm.weight": (8,), "blk.0.ffn_norm.weight": (8,),
    **{f"blk.0.{name}.weight": (8, 8) for name in ("attn_q", "attn_k", "attn_v", "attn_output")},
    **{f"blk.0.{name}.weight": (8, 8) for name in ("ffn_gate", "ffn_up", "ffn_down")},
}  # fmt: skip


def _written(writer: Any, path: Path) -> bytes:
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path.read_bytes()
