"""Is a download whole? Files, rows and checksums against cards made for files written by hand."""

import subprocess
from dataclasses import replace

import pytest
from official_helpers import write_json_lines

from ragcortex.datasets import catalogue
from ragcortex.datasets.cards import ExpectedFile
from ragcortex.datasets.download_check import check_download, git_blob
from ragcortex.errors import InputError

ROW = {"knowledge": "k", "question": "q", "right_answer": "r", "hallucinated_answer": "h"}


@pytest.fixture
def folder(tmp_path):
    """Return a folder with the questions of HaluEval, two rows."""
    write_json_lines(tmp_path / "data" / "qa_data.json", [ROW, ROW | {"knowledge": "other"}])
    return tmp_path


@pytest.fixture
def expect(monkeypatch):
    """Return a function that lets the card of HaluEval expect these files."""

    def expecting(*files):
        known, loader = catalogue._REGISTRY["halueval"]
        version = "v" if any(file.git_blob for file in files) else None
        card = replace(known, files=files, version=version)
        monkeypatch.setitem(catalogue._REGISTRY, "halueval", (card, loader))

    return expecting


def test_the_id_of_a_file_is_that_of_git(tmp_path):
    for content in (b"", "é\r\n😀".encode(), bytes(3_000_000)):
        file = tmp_path / "file"
        file.write_bytes(content)
        told = subprocess.run(
            ["git", "hash-object", "--no-filters", str(file)], check=True, capture_output=True, text=True
        )
        assert git_blob(file) == told.stdout.strip()


def test_a_whole_download(folder, expect):
    file = folder / "data" / "qa_data.json"
    expect(ExpectedFile("data/qa_data.json", 2, git_blob(file)), ExpectedFile("data/other.json", 9, "0" * 40))
    found = check_download("halueval", folder)

    assert found.problems == ()
    assert len(found.loaded.examples) == 4
    here, absent = found.files
    assert (here.name, here.found, here.n_rows, here.expected_rows, here.checksum) == (str(file), True, 2, 2, "right")
    assert (absent.name, absent.found, absent.n_rows, absent.expected_rows, absent.checksum) == (
        "data/other.json",
        False,
        None,
        9,
        "not checked",
    )


def test_every_problem_names_the_file_and_what_to_do(folder, expect):
    file, url = folder / "data" / "qa_data.json", "https://github.com/RUCAIBox/HaluEval"
    expect(ExpectedFile("data/qa_data.json", 3))
    assert check_download("halueval", folder).problems == (
        f"{file} has 2 rows where 3 are published; get it again from {url}",
    )
    expect(ExpectedFile("data/qa_data.json", 2, "0" * 40), ExpectedFile("data/more.json", needed=True))
    assert check_download("halueval", folder).problems == (
        f"{file} is not the published one (its git id is not {'0' * 40}), although its number of rows is right; "
        f"changed line ends do this too; get it again from {url}",
        f"data/more.json is not in {folder}; get it from {url}",
    )


def test_a_damaged_file_is_one_problem(folder, expect):
    file = write_json_lines(folder / "data" / "qa_data.json", [ROW, "{"])
    expect(ExpectedFile("data/qa_data.json", 2))
    found = check_download("halueval", folder)

    assert found.problems == (
        "row: is not JSON: Expecting property name enclosed in double quotes at character 2 "
        f"({file}, line 2); download the file again",
    )
    assert (found.loaded, found.files[0].n_rows) == (None, None)


def test_an_empty_folder_and_a_single_file(tmp_path, folder):
    (tmp_path / "empty").mkdir()
    found = check_download("halueval", tmp_path / "empty")
    assert found.problems == (
        f"{tmp_path / 'empty'} holds no data/qa_data.json or data/dialogue_data.json or "
        "data/summarization_data.json or data/general_data.json; give the folder of the download; get it from https://github.com/RUCAIBox/HaluEval",
    )
    assert not any(state.found for state in found.files)
    single = check_download("halueval", folder / "data" / "qa_data.json")
    assert [state.found for state in single.files] == [True, False, False, False]
    assert single.loaded is not None


def test_options_reach_the_loader(folder):
    assert len(check_download("halueval", folder, {"seed": 3}).loaded.examples) == 4
    with pytest.raises(InputError) as error:
        check_download("halueval", folder, {"part": "chat"})
    assert str(error.value) == "part: must be one of qa, dialogue, summarization, general, got 'chat'"
