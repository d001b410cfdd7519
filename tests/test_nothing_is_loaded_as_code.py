"""Nothing from a request or a file is run: no call in the package could do so, but for those in listed places."""

import ast
import contextlib
import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import ragcortex
from ragcortex.errors import ModelError
from ragcortex.geometry.embedders.load import load_embedder
from ragcortex.readers.catalogue import identify
from ragcortex.readers.models import load_model, locate
from tiny_bert import save_tiny_bert

PACKAGE = Path(ragcortex.__file__).parent
# Modules and functions that run what they are given, or that name what is to be run by a text.
DANGEROUS = {
    "_pickle", "builtins.__import__", "builtins.compile", "builtins.eval", "builtins.exec", "cloudpickle", "code",
    "codeop", "ctypes", "dill", "importlib.import_module", "importlib.machinery", "importlib.metadata.entry_points",
    "importlib.util.module_from_spec", "importlib.util.spec_from_file_location", "joblib.load", "logging.config",
    "marshal", "multiprocessing.connection", "os.execl", "os.execle", "os.execlp", "os.execv", "os.execve", "os.execvp",
    "os.popen", "os.posix_spawn", "os.spawnl", "os.spawnv", "os.startfile", "os.system", "pandas.read_pickle", "pickle",
    "pkgutil.resolve_name", "pty", "runpy", "shelve", "sqlalchemy.create_engine", "subprocess", "torch.compile",
    "torch.hub", "torch.jit", "torch.load", "torch.package", "torch.utils.cpp_extension", "transformers.pipeline",
    "yaml",
}  # fmt: skip
# Where one of them is used all the same, and why nothing foreign is run there.
ALLOWED = {
    ("__init__.py", "importlib.import_module"): "names of a table in the same file",
    ("benchmark/registry.py", "importlib.import_module"): "names of a table in the same file",
    ("datasets/hallurag_files.py", "pickle.Unpickler"): "refuses every name, but a few that stand-ins answer for",
    (
        "geometry/table_source.py",
        "sqlalchemy.create_engine",
    ): "an address that the owner of the table gives, no request",
    ("readers/memory.py", "ctypes.CDLL"): "the C library of this process, by no name",
    ("service/pdf_reading.py", "subprocess.DEVNULL"): "this Python on a module of ours; the upload is a path to it",
    (
        "service/pdf_reading.py",
        "subprocess.TimeoutExpired",
    ): "this Python on a module of ours; the upload is a path to it",
    ("service/pdf_reading.py", "subprocess.run"): "this Python on a module of ours; the upload is a path to it",
    ("service/storage/engines.py", "sqlalchemy.create_engine"): "the database of the service's own settings",
    ("wheels.py", "subprocess.run"): "this Python's pip, which downloads a pinned wheel and installs nothing",
}
# Functions that run a model's own code, or unpickle, unless they are told not to: what each of their calls must say.
TOLD = {
    "from_config": {"trust_remote_code": False},
    "from_pretrained": {"trust_remote_code": False},
    "SentenceTransformer": {"trust_remote_code": False},
    "numpy.load": {"allow_pickle": False},
}
NEVER = {"shell": True, "trust_remote_code": True, "allow_pickle": True, "weights_only": False}


def trees() -> Iterator[tuple[str, ast.Module]]:
    for path in sorted(PACKAGE.rglob("*.py")):
        yield path.relative_to(PACKAGE).as_posix(), ast.parse(path.read_text(encoding="utf-8"))


def full_names(tree: ast.Module) -> Iterator[tuple[ast.AST, str]]:
    """Yield every name that is used, with the module it was imported from put before it; an import counts as a use."""
    imported = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                imported[alias.asname or alias.name.partition(".")[0]] = (
                    alias.name if alias.asname else alias.name.partition(".")[0]
                )
        elif isinstance(node, ast.ImportFrom):
            imported |= {alias.asname or alias.name: f"{node.module}.{alias.name}" for alias in node.names}
            yield from ((node, f"{node.module}.{alias.name}") for alias in node.names)
    for node in ast.walk(tree):
        parts: list[str] = []
        inner = node
        while isinstance(inner, ast.Attribute):
            parts.insert(0, inner.attr)
            inner = inner.value
        if isinstance(inner, ast.Name) and isinstance(node, ast.Name | ast.Attribute):
            first = imported.get(inner.id, f"builtins.{inner.id}")
            yield node, ".".join([first, *parts])


def dangerous_uses(tree: ast.Module) -> set[str]:
    """Return the dangerous names that are used, each as far as it is written."""
    found = {name for _, name in full_names(tree) if any(f"{name}.".startswith(f"{one}.") for one in DANGEROUS)}
    return found - {name for name in found if any(other.startswith(f"{name}.") for other in found)}


def wrong_calls(tree: ast.Module) -> Iterator[str]:
    """Yield what is wrong with the calls that must be told not to run what they load."""
    names = {id(node): name for node, name in full_names(tree)}
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call):
            continue
        given = {one.arg: one.value.value for one in node.keywords if isinstance(one.value, ast.Constant)}
        full = names.get(id(node.func), "")
        last = node.func.attr if isinstance(node.func, ast.Attribute) else full.rpartition(".")[2]
        for name, needed in TOLD.items():
            if name in (full, last) and any(given.get(key) is not value for key, value in needed.items()):
                yield f"line {node.lineno}: {last} without {needed}"
        for one in node.keywords:
            if one.arg in NEVER and given.get(one.arg) is not (not NEVER[one.arg]):
                yield f"line {node.lineno}: {last} with {one.arg} other than {not NEVER[one.arg]}"
        is_constant = bool(node.args) and isinstance(node.args[0], ast.Name) and node.args[0].id.isupper()
        if last == "from_string" and not is_constant:
            yield f"line {node.lineno}: a template that is no constant"


def test_nothing_dangerous_is_used_but_in_the_listed_places() -> None:
    found = {(file, name) for file, tree in trees() for name in dangerous_uses(tree)}
    assert found == set(ALLOWED), f"new: {sorted(found - set(ALLOWED))}; gone: {sorted(set(ALLOWED) - found)}"


def test_what_could_run_a_files_code_is_told_not_to() -> None:
    assert {f"{file}: {wrong}" for file, tree in trees() for wrong in wrong_calls(tree)} == set()


@pytest.mark.parametrize(
    "code",
    [
        "eval(text)", "exec(text)", "run = eval\nrun(text)", "__import__(name)", "import pickle\npickle.loads(data)",
        "from pickle import loads", "import pickle as p\np.load(file)", "import torch\ntorch.load(path)",
        "from torch import load", "import yaml\nyaml.load(x)", "import joblib\njoblib.load(path)",
        "from joblib import load as read\nread(path)", "import marshal\nmarshal.loads(x)", "import os\nos.system(x)",
        "from importlib import import_module\nimport_module(name)", "from os import popen",
        "import importlib.util\nimportlib.util.spec_from_file_location(x)", "import subprocess\nsubprocess.run(x)",
    ],
)  # fmt: skip
def test_the_search_finds_what_it_looks_for(code: str) -> None:
    assert dangerous_uses(ast.parse(code))


@pytest.mark.parametrize(
    "code",
    [
        "Model.from_pretrained(path)", "Model.from_pretrained(path, **options)",
        "Model.from_config(config, trust_remote_code=True)", "Model.from_pretrained(path, trust_remote_code=asked)",
        "f(shell=True)", "f(shell=wanted)", "f(weights_only=False)", "import numpy as np\nnp.load(path)",
        "from sentence_transformers import SentenceTransformer\nSentenceTransformer(path)",
        "environment.from_string(text)",
    ],
)  # fmt: skip
def test_the_search_finds_calls_that_are_not_told(code: str) -> None:
    assert list(wrong_calls(ast.parse(code)))


def test_the_search_leaves_harmless_code_alone() -> None:
    code = "import re, numpy as np\nre.compile(x)\nmodel.eval()\nnp.load(p, allow_pickle=False)\nmade.from_string(PAGE)"
    assert not dangerous_uses(ast.parse(code))
    assert not list(wrong_calls(ast.parse(code)))


@pytest.fixture
def ran(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a file that code of a model's own would write, with a person at the keyboard who says yes to all."""
    monkeypatch.setattr("builtins.input", lambda *_: "y")
    return tmp_path / "ran"


def _bring_code(folder: Path, ran: Path, name: str, kinds: dict[str, Any], **others: str) -> None:
    """Have a model's configuration name code beside it, as models of a hub do."""
    (folder / "own.py").write_text(f"import pathlib\npathlib.Path({str(ran)!r}).touch()\nclass Own: pass\n")
    path = folder / name
    values = json.loads(path.read_text(encoding="utf-8"))
    path.write_text(json.dumps({**values, "auto_map": kinds, **others}), encoding="utf-8")


OWN_CODE = {
    "configuration": (
        "config.json",
        {"AutoConfig": "own.Own", "AutoModelForCausalLM": "own.Own"},
        {"model_type": "own"},
    ),
    "model": ("config.json", {"AutoModelForCausalLM": "own.Own"}, {"model_type": "bert"}),
    "tokenizer": ("tokenizer_config.json", {"AutoTokenizer": ["own.Own"] * 2}, {"tokenizer_class": "OwnTokenizer"}),
}


@pytest.mark.parametrize("part", OWN_CODE)
def test_a_readers_own_code_is_not_run(part: str, tiny_reader_folder: Path, tmp_path: Path, ran: Path) -> None:
    folder = Path(shutil.copytree(tiny_reader_folder, tmp_path / "reader"))
    name, kinds, others = OWN_CODE[part]
    _bring_code(folder, ran, name, kinds, **others)
    for load in (lambda: load_model(str(folder)), lambda: identify(locate(str(folder)))):
        with contextlib.suppress(ModelError):  # some can be read without the code
            load()
    assert not ran.exists()


def test_a_reader_that_needs_its_own_code_is_refused(tiny_reader_folder: Path, tmp_path: Path, ran: Path) -> None:
    folder = Path(shutil.copytree(tiny_reader_folder, tmp_path / "reader"))
    name, kinds, others = OWN_CODE["configuration"]
    _bring_code(folder, ran, name, kinds, **others)
    with pytest.raises(ModelError) as caught:
        load_model(str(folder))
    assert str(caught.value).startswith(f"reader {str(folder)!r} cannot be loaded: ")
    assert "custom code" in str(caught.value)


def test_an_embedders_own_code_is_not_run(tmp_path: Path, ran: Path) -> None:
    folder = save_tiny_bert(tmp_path / "embedder", ("A text.",), seed=1)
    _bring_code(folder, ran, "config.json", {"AutoConfig": "own.Own", "AutoModel": "own.Own"}, model_type="own")
    with pytest.raises(ModelError, match="embedder 'embedder' cannot be loaded"):
        load_embedder(str(folder))
    assert not ran.exists()


def test_an_embedders_pickled_module_is_not_read_whatever_lies_beside_it(tmp_path: Path) -> None:
    folder = save_tiny_bert(tmp_path / "embedder", ("A text.",), seed=1)
    dense = folder / "2_Dense"
    dense.mkdir()
    (dense / "pytorch_model.bin").write_bytes(b"pickled")
    (dense / "other.safetensors").write_bytes(b"passed over")
    modules = json.loads((folder / "modules.json").read_text(encoding="utf-8"))
    modules.append({"idx": 9, "name": "9", "path": "2_Dense", "type": "sentence_transformers.models.Dense"})
    (folder / "modules.json").write_text(json.dumps(modules), encoding="utf-8")
    with pytest.raises(ModelError) as caught:
        load_embedder(str(folder))
    assert str(caught.value) == (
        f"embedder folder {str(dense)!r} has no model.safetensors (pickled weights are not loaded)"
    )
