"""What `ragcortex doctor` looks at. Every check ends in a finding; none of them raises."""

import os
import platform
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

from ragcortex.cli.console import plural, size_text
from ragcortex.cli.finding import Finding
from ragcortex.errors import BundleError, ModelError, ModelMissingError, RagcortexError

MAIN_JOB: Final = "trial check"
_LEAST_MEMORY: Final = 2_000_000_000
_LEAST_DISK: Final = 1_000_000_000


def findings(detector: str, reader: str | None, device: str | None, dtype: str | None) -> Iterator[Finding]:
    """Yield the findings one by one, as they come; the last one is whether the main job works."""
    checks: list[tuple[str, Callable[[], list[Finding]]]] = [
        ("Python", _python),
        ("libraries", _libraries),
        ("devices", lambda: _devices(device, dtype)),
        ("memory", _memory),
        ("cache", _cache),
        ("embedded reader", _embedded),
        ("embedded encoder", _encoder),
        ("shipped detectors", _shipped),
        (MAIN_JOB, lambda: _trial(detector, reader, device, dtype)),
    ]
    for name, check in checks:
        try:
            yield from check()
        except RagcortexError as error:
            yield Finding(name, False, str(error))
        except Exception as error:  # the doctor reports what is broken; a broken library raises anything
            yield Finding(
                name, False, f"{type(error).__name__}: {error}", "install ragcortex anew in a fresh environment"
            )


def _python() -> list[Finding]:
    return [Finding("Python", True, f"{platform.python_version()} on {platform.system()} {platform.machine()}")]


def _libraries() -> list[Finding]:
    from importlib.metadata import version

    from ragcortex import __version__

    names = ("torch", "transformers", "sentence-transformers", "tokenizers", "numpy", "scikit-learn")
    return [Finding("libraries", True, f"ragcortex {__version__}, " + ", ".join(f"{n} {version(n)}" for n in names))]


def _devices(device: str | None, dtype: str | None) -> list[Finding]:
    import torch

    from ragcortex.readers.models import choose_device, choose_dtype

    found = ["cpu"]
    for index in range(torch.cuda.device_count() if torch.cuda.is_available() else 0):
        properties = torch.cuda.get_device_properties(index)
        found.append(f"cuda:{index} ({properties.name}, {size_text(properties.total_memory)})")
    if torch.backends.mps.is_available():
        found.append("mps")
    chosen = choose_device(device)
    detail = f"{', '.join(found)}; reading on {chosen} in {choose_dtype(dtype, chosen)}"
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    threads = f"{plural(torch.get_num_threads(), 'thread')} on {plural(cores or 1, 'core')}"
    return [Finding("devices", True, detail), Finding("threads", True, threads)]


def _memory() -> list[Finding]:
    free = _available_memory()
    if free is None:
        return [Finding("memory", None, "not known on this system; the embedded reader needs about 2 GB")]
    enough = free >= _LEAST_MEMORY
    remedy = "" if enough else "close other programs; the embedded reader needs about 2 GB"
    return [Finding("memory", enough, f"{size_text(free)} available", remedy)]


def _available_memory() -> int | None:
    """Return the bytes this process may still take, None where the system does not say."""
    limits = []
    try:
        lines = Path("/proc/meminfo").read_text(encoding="ascii").splitlines()
        limits += [int(line.split()[1]) * 1024 for line in lines if line.startswith("MemAvailable:")]
    except (OSError, ValueError):
        pass
    group = Path("/sys/fs/cgroup")
    try:
        limit, used = (group / "memory.max").read_text().strip(), (group / "memory.current").read_text()
        limits += [] if limit == "max" else [max(0, int(limit) - int(used))]
    except (OSError, ValueError):
        pass
    return min(limits, default=None)


def _cache() -> list[Finding]:
    from ragcortex.readers.catalogue import folder_size
    from ragcortex.settings import settings

    folder = settings().cache_dir
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        detail = f"{folder} cannot be written: {error.strerror}"
        return [Finding("cache", False, detail, "set RAGCORTEX_CACHE to a folder that can be written")]
    free = shutil.disk_usage(folder).free
    detail = f"{folder} can be written; holds {size_text(folder_size(folder))}, {size_text(free)} free on its disk"
    if free < _LEAST_DISK:
        return [Finding("cache", False, detail, "free 1 GB, or set RAGCORTEX_CACHE to a folder on another disk")]
    return [Finding("cache", True, detail)]


def _embedded() -> list[Finding]:
    from ragcortex.readers.catalogue import embedded_state

    state = embedded_state()
    if state.ready:
        return [Finding("embedded reader", True, f"here, with the right hash; {state.detail or 'unpacked'}")]
    return [Finding("embedded reader", False, state.detail.split(";")[0], "run `ragcortex models pull embedded`")]


def _encoder() -> list[Finding]:
    from ragcortex.geometry.embedders.embedded import PULL, find

    try:
        find()
    except ModelMissingError:
        return [Finding("embedded encoder", False, "not here; the geometric witness needs it", f"run `{PULL}`")]
    except ModelError as error:
        return [Finding("embedded encoder", False, str(error).split(";")[0], f"run `{PULL}`")]
    return [Finding("embedded encoder", True, "here, with the right hashes")]


def _shipped() -> list[Finding]:
    from ragcortex.detectors.registry import shipped

    names = shipped()
    if not names:
        remedy = "install ragcortex again, or train one with `ragcortex train`"
        return [Finding("shipped detectors", False, "none", remedy)]
    found = []
    for name in names:
        try:
            found.append(_detector(name))
        except RagcortexError as error:
            found.append(Finding(name, False, str(error), "install ragcortex again"))
    return found


def _detector(name: str) -> Finding:
    """Return whether a shipped detector loads and fits the models that come with it."""
    from ragcortex.bundle import Bundle
    from ragcortex.detectors.loading import reading_folder
    from ragcortex.detectors.registry import find_bundle, has_both_witnesses
    from ragcortex.fusion.model import FILE_NAME, FusionModel
    from ragcortex.geometry.model import GeometryModel
    from ragcortex.readers import embedded

    folder, reads = find_bundle(name), ""
    if has_both_witnesses(folder):
        model = FusionModel.load(folder / FILE_NAME)
        if GeometryModel.load().fingerprint != model.geometry_fingerprint:
            raise BundleError("it was fitted on another geometric score model than the one that ships")
        reads = f"reads with {model.internal}, "
    pin = Bundle.load(reading_folder(name)).reader
    fits = pin is None or pin.fingerprint == embedded.GGUF_SHA256
    detail = f"loads; {reads}works with any reader" if pin is None else f"loads; {reads}fitted on reader {pin.id}"
    remedy = "" if fits else f"its reader is not the embedded one: it needs {pin.id if pin else ''}"
    return Finding(name, fits or None, detail, remedy)


def _trial(detector: str, reader: str | None, device: str | None, dtype: str | None) -> list[Finding]:
    from ragcortex.detectors.detector import Detector
    from ragcortex.readers.models import choose_device

    started = time.monotonic()
    loaded = Detector.load(detector, reader=reader, device=device, dtype=dtype, strict=True)
    ready = time.monotonic()
    report = loaded.check(
        "Where is the lighthouse?", ["The lighthouse stands on the north cape."], "It stands on the north cape."
    )
    seconds = time.monotonic() - ready
    if report.score is None:
        return [Finding(MAIN_JOB, False, f"the answer was not judged: {report.verdict}")]
    info = loaded.info
    models = f"reader {info.reader}" + (f" and encoder {info.embedder}" if info.embedder else "")
    detail = (
        f"{info.name} with {models} on {choose_device(device)}: "
        f"loaded in {ready - started:.1f} s, one answer checked in {seconds:.2f} s"
    )
    return [Finding(MAIN_JOB, True, detail)]
