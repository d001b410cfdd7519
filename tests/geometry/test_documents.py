import json
import os
from pathlib import Path

import pytest

from made_pdf import made_pdf
from ragcortex.errors import InputError
from ragcortex.geometry.documents import Document, Unreadable, file_documents, read_documents


def read(*paths: Path, **options: int) -> tuple[list[Document], list[Unreadable]]:
    items = list(read_documents(paths, **options))
    return (
        [item for item in items if isinstance(item, Document)],
        [item for item in items if isinstance(item, Unreadable)],
    )


def jsonl(path: Path, *rows: object) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def test_a_folder_is_walked_in_order_and_everything_else_is_recorded(tmp_path: Path) -> None:
    root = tmp_path / "sources"
    (root / "b" / "c").mkdir(parents=True)
    (root / ".git").mkdir()
    (root / ".git" / "config.txt").write_text("hidden")
    (root / "b" / "c" / "one.md").write_text("# One\n\n*two*")
    (root / "b" / "Two.HTM").write_text("<p>x<p>y")
    (root / "a.txt").write_bytes(b"kept\r\nas\0 it is ")
    (root / "z.pdf").write_bytes(made_pdf([("Page one.",), ("Page two.",)]))
    (root / "blank.text").write_text(" \n")
    (root / "table.xlsx").write_bytes(b"x")
    (root / "LICENSE").write_text("x")
    os.mkfifo(root / "pipe.txt")
    documents, unreadable = read(root)
    assert documents == [
        Document("a.txt", "kept\r\nas\0 it is ", "a.txt"),
        Document("b/Two.HTM", "x\n\ny", "b/Two.HTM"),
        Document("b/c/one.md", "One\n\ntwo", "b/c/one.md"),
        Document("z.pdf", "Page one.\n\nPage two.", "z.pdf", page_starts=(0, 11)),
    ]
    known = ".txt, .text, .md, .markdown, .html, .htm, .xhtml, .pdf, .jsonl, .ndjson, .json"
    assert [(item.source.removeprefix(f"{root}/"), item.reason, item.message) for item in unreadable] == [
        (".git", "hidden", "was passed over: its name begins with a dot"),
        ("LICENSE", "ending", f"has no ending; known are {known}"),
        ("blank.text", "empty", "has no text"),
        ("pipe.txt", "damaged", "is neither a file nor a folder"),
        ("table.xlsx", "ending", f"has the unknown ending '.xlsx'; known are {known}"),
    ]


def test_links_are_followed_only_to_files_of_the_same_folder(tmp_path: Path) -> None:
    root = tmp_path / "sources"
    (root / ".data").mkdir(parents=True)
    (tmp_path / "outside.txt").write_text("secret")
    (root / ".data" / "real.txt").write_text("mounted")
    (root / "a.txt").symlink_to(root / ".data" / "real.txt")
    (root / "b.txt").symlink_to(root / ".data" / "real.txt")
    (root / "c.txt").symlink_to(tmp_path / "outside.txt")
    (root / "d").symlink_to(root)
    (root / "e.txt").symlink_to(root / "nothing")
    (root / "f.txt").symlink_to(root / "f.txt")
    documents, unreadable = read(root)
    assert [(document.id, document.text) for document in documents] == [("a.txt", "mounted")]
    assert [item.reason for item in unreadable] == ["hidden", "repeated", "link", "link", "link", "link"]
    assert unreadable[1].message == f"is the same file as {root}/a.txt, which was read"
    assert unreadable[2].message == (
        "was not followed: it is a link that leaves the folder; give its target itself if it belongs here"
    )
    assert read(root / "c.txt")[0][0].text == "secret"


def test_files_given_themselves(tmp_path: Path) -> None:
    (tmp_path / ".note.txt").write_text("read, as it was asked for")
    (tmp_path / "big.txt").write_text("x" * 101)
    documents, unreadable = read(tmp_path / ".note.txt", tmp_path / ".note.txt", tmp_path / "big.txt", max_bytes=100)
    assert [document.id for document in documents] == [".note.txt"]
    assert [item.reason for item in unreadable] == ["repeated", "size"]
    assert str(unreadable[1]) == (
        f"{tmp_path}/big.txt: has 101 bytes, more than the limit of 100; split it or raise it"
    )


def test_rows(tmp_path: Path) -> None:
    path = jsonl(
        tmp_path / "rows.jsonl",
        {"id": "a", "text": "one", "source": "http://x", "extra": 1},
        {"text": "two"},
        {
            "id": 7,
            "question": "?",
            "references": ["three", {"id": "r", "text": "four", "source": "s"}, 5, {"text": " "}],
        },
        {"context": "five"},
        {"context": ["six"]},
        {"id": "a", "text": "other"},
        {"id": "a", "text": "one"},
        {"id": True, "text": "x"},
        {"id": " ", "text": "x"},
        {"text": 5},
        {"answer": "x"},
        {"text": "x", "references": []},
        {"references": []},
        {"references": "x"},
        ["x"],
        {"text": ""},
        {"text": "\ud800"},
    )
    documents, unreadable = read(path)
    assert documents == [
        Document("a", "one", "http://x"),
        Document("rows.jsonl#2", "two", "rows.jsonl"),
        Document("7#1", "three", "rows.jsonl"),
        Document("r", "four", "s"),
        Document("rows.jsonl#4#1", "five", "rows.jsonl"),
        Document("rows.jsonl#5#1", "six", "rows.jsonl"),
    ]
    assert [(item.line, item.field, item.reason, item.message) for item in unreadable] == [
        (3, "references[2]", "row", "must be a string or an object with text, got a number"),
        (3, "references[3].text", "empty", "has no text"),
        (
            None, None, "repeated",
            "id 'a' occurs twice, with different texts; only the first is read: rename one, or give the folder that "
            "holds both",
        ),
        (None, None, "repeated", "id 'a' occurs twice, with the same text"),
        (8, "id", "row", "must be a string or a whole number, got a truth value"),
        (9, "id", "row", "must not be blank; leave it out where there is none"),
        (10, "text", "row", "must be a string, got int"),
        (11, "text", "row", "is missing; a row needs text, or references"),
        (12, "text", "row", "is given beside references; give one of the two"),
        (13, "references", "empty", "has no passages"),
        (14, "references", "row", "must be a list of passages, got a string"),
        (15, None, "row", "must be an object with text, got a list"),
        (16, "text", "empty", "has no text"),
        (17, "text", "row", "has a lone surrogate at character 0, which is not text"),
    ]  # fmt: skip
    assert str(unreadable[0]) == (
        f"{path}, line 3: references[2]: must be a string or an object with text, got a number"
    )


def test_lines_that_are_no_json(tmp_path: Path) -> None:
    path = tmp_path / "rows.ndjson"
    path.write_bytes(b'\xef\xbb\xbf{"text": "one"}\r\n\n{"text": \n\xff\xfe\n' + b"[" * 100_000 + b'\n{"text": "two"}')
    documents, unreadable = read(path)
    assert [(document.id, document.text) for document in documents] == [
        ("rows.ndjson#1", "one"),
        ("rows.ndjson#6", "two"),
    ]
    assert [(item.line, item.message) for item in unreadable[:2]] == [
        (3, "is not JSON: Expecting value at character 10"),
        (4, "is not UTF-8: byte 1 of the line is 0xff"),
    ]
    assert unreadable[2].line == 5
    assert unreadable[2].message.startswith("is JSON that cannot be read: ")
    path.write_text('{"text": "one"}\n', encoding="utf-16")
    assert [item.message for item in read(path)[1]] == ["is UTF-16, but JSON lines are UTF-8; save it as UTF-8"]


def test_json_lists(tmp_path: Path) -> None:
    path = tmp_path / "rows.json"
    path.write_text('[{"text": "one"}, {"references": ["two"]}, 3]', encoding="utf-16")
    documents, unreadable = read(path)
    assert [document.id for document in documents] == ["rows.json#1", "rows.json#2#1"]
    assert [(item.line, item.message) for item in unreadable] == [(3, "must be an object with text, got a number")]
    path.write_text('{"text": "one"}')
    assert [item.message for item in read(path)[1]] == [
        "must hold a list of rows, each an object with text, got an object"
    ]
    path.write_text('[\n{"text": }]')
    assert [item.message for item in read(path)[1]] == ["is not JSON: Expecting value at line 2, character 10"]


def test_damaged_files_are_recorded_and_the_others_read(tmp_path: Path) -> None:
    (tmp_path / "a.pdf").write_bytes(made_pdf([()]))
    (tmp_path / "b.txt").write_text("fine")
    (tmp_path / "c.pdf").write_bytes(b"%PDF-1.4 nothing more")
    documents, unreadable = read(tmp_path)
    assert [document.id for document in documents] == ["b.txt"]
    assert [item.reason for item in unreadable] == ["damaged", "damaged"]
    assert "is damaged or not a PDF: " in unreadable[1].message


def test_a_name_that_is_no_text(tmp_path: Path) -> None:
    with (tmp_path / os.fsdecode(b"caf\xe9.txt")).open("w") as stream:
        stream.write("x")
    assert read(tmp_path)[0][0].id == "caf\\xe9.txt"


@pytest.mark.parametrize(
    ("paths", "options", "message"),
    [
        ((), {}, "paths: must name at least one file or folder"),
        ((Path("no/such"),), {}, "paths: no/such does not exist"),
        ((Path(),), {"max_bytes": 0}, "max_bytes: must be a whole number from 1 on, got 0"),
    ],
)
def test_arguments_are_refused_by_the_call(paths: tuple[Path, ...], options: dict[str, int], message: str) -> None:
    with pytest.raises(InputError) as caught:
        read_documents(paths, **options)
    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"id": " "}, "id: must not be blank"),
        ({"text": "\n"}, "text: must not be blank"),
        ({"source": 3}, "source: must be a string or null, got int"),
        ({"notes": ["x"]}, "notes: must be a tuple of strings, got list"),
        ({"notes": ("",)}, "notes[0]: must not be blank"),
        ({"page_starts": (1,)}, "page_starts: must ascend from 0 to at most the text's length 3, got (1,)"),
        ({"page_starts": (0, 4)}, "page_starts: must ascend from 0 to at most the text's length 3, got (0, 4)"),
        ({"page_starts": (0, -1)}, "page_starts[1]: must be a whole number from 0 on, got -1"),
    ],
)
def test_documents_check_themselves(fields: dict[str, object], message: str) -> None:
    with pytest.raises(InputError) as caught:
        Document(**{"id": "a", "text": "abc", **fields})  # type: ignore[arg-type]
    assert str(caught.value) == message


def test_pages_of_offsets() -> None:
    assert Document("a", "abc").page(0) is None
    with pytest.raises(InputError, match=r"^offset: must be below the text's length 3, got 3$"):
        Document("a", "abc").page(3)
    with pytest.raises(InputError, match=r"^reason: must be one of hidden, link, .* got 'odd'$"):
        Unreadable("a", "b", "odd")  # type: ignore[arg-type]


def test_one_file_is_read_under_another_name(tmp_path: Path) -> None:
    (tmp_path / "upload.jsonl").write_text('{"text": "One."}\n{"text": ""}\n')
    document, unreadable = file_documents(tmp_path / "upload.jsonl", "rows of ada")
    assert document == Document("rows of ada#1", "One.", "rows of ada")
    assert str(unreadable) == "rows of ada, line 2: text: has no text"
