"""R1: without any network the default detector, which has both witnesses, judges as it does with one."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.weights

CHECK = """
import sys
if sys.argv[1] == "without":
    import socket
    def refuse(*_, **__):
        raise AssertionError("the network was asked")
    socket.socket.connect = socket.socket.connect_ex = socket.getaddrinfo = socket.create_connection = refuse
from ragcortex import Detector
detector = Detector.load()
report = detector.check(
    "When was it built?",
    ["The lighthouse at Cape Arden was built in 1874. It stands 41 metres above the sea."],
    "The lighthouse at Cape Arden was built in 1902. It stands 41 metres above the sea.",
)
sys.stdout.buffer.write(report.to_json().encode())
"""


def test_the_report_is_the_same_without_a_network(tmp_path: Path) -> None:
    """Offline mode is not asked for: nothing is to depend on it."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("HF_", "TRANSFORMERS_"))}
    environment |= {"HF_HOME": str(tmp_path), "OMP_NUM_THREADS": "1"}
    runs = [
        subprocess.run(
            [sys.executable, "-c", CHECK, network],
            env=environment,
            capture_output=True,
            check=True,
            timeout=300,
        )
        for network in ("with", "without")
    ]
    assert runs[0].stdout == runs[1].stdout
    assert b'"verdict"' in runs[0].stdout
