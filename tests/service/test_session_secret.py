"""The secret that signs sessions: made once, whole, and for its user alone."""

import contextlib
import os
import stat
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from ragcortex.errors import StoreError
from ragcortex.service.security import session_secret
from ragcortex.service.settings import ServiceSettings


def test_the_secret_of_sessions_is_made_once_and_for_its_user_alone(tmp_path: Path) -> None:
    settings = ServiceSettings(data_dir=tmp_path / "new")
    first = session_secret(settings)
    assert len(first) == 64
    assert session_secret(settings) == first
    (file,) = (tmp_path / "new").iterdir()
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert session_secret(ServiceSettings(data_dir=tmp_path / "other")) != first
    assert session_secret(ServiceSettings(data_dir=tmp_path / "none", session_secret="given")) == "given"
    assert not (tmp_path / "none").exists()


def test_processes_that_start_together_have_one_secret(tmp_path: Path) -> None:
    for number in range(20):
        settings = ServiceSettings(data_dir=tmp_path / str(number))
        together = threading.Barrier(4, timeout=10)

        def read(together: threading.Barrier = together, settings: ServiceSettings = settings) -> str:
            together.wait()
            return session_secret(settings)

        with ThreadPoolExecutor(4) as pool:
            found = {one.result(10) for one in [pool.submit(read) for _ in range(4)]}
        assert len(found) == 1
        assert len(found.pop()) == 64


@pytest.mark.parametrize("content", [b"", b"short", b"\xff" * 64])
def test_a_secret_that_is_cut_off_is_not_used(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "session-secret").write_bytes(content)
    with pytest.raises(StoreError, match="the secret of sessions"):
        session_secret(ServiceSettings(data_dir=tmp_path))


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    folder = tmp_path / "closed"
    folder.mkdir(mode=0o500)
    with contextlib.ExitStack() as undone:
        undone.callback(folder.chmod, 0o700)
        with pytest.raises(StoreError, match="cannot be kept in"):
            session_secret(ServiceSettings(data_dir=folder))


def test_a_data_folder_that_is_a_file_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x", encoding="utf-8")
    with pytest.raises(
        StoreError, match=r"the secret of sessions cannot be kept in '.*session-secret': (Not a directory|File exists)"
    ):
        session_secret(ServiceSettings(data_dir=tmp_path / "file"))
