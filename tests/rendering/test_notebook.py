"""What a notebook's cell shows, in a real kernel: a progress bar without widgets, and a report."""

from collections.abc import Iterator
from typing import Any

import pytest
from jupyter_client.blocking import BlockingKernelClient
from jupyter_client.manager import start_new_kernel

SECONDS = 60


@pytest.fixture(scope="module")
def kernel() -> Iterator[BlockingKernelClient]:
    manager, client = start_new_kernel(kernel_name="python3", startup_timeout=SECONDS)
    yield client
    client.stop_channels()
    manager.shutdown_kernel(now=True)


def shown_by(kernel: BlockingKernelClient, code: str) -> list[dict[str, Any]]:
    """Return the messages with which a cell's code writes into its output, in order."""
    asked = kernel.execute(code)
    found = []
    while True:
        message = kernel.get_iopub_msg(timeout=SECONDS)
        if message["parent_header"].get("msg_id") != asked:
            continue
        if message["msg_type"] == "status" and message["content"]["execution_state"] == "idle":
            return found
        if message["msg_type"] in ("stream", "error", "display_data", "update_display_data", "execute_result"):
            found.append(message)


def test_a_bar_moves_in_place_and_goes(kernel: BlockingKernelClient) -> None:
    messages = shown_by(
        kernel,
        "import time\n"
        "from ragcortex.rendering.progress import tracked\n"
        "for _ in tracked(range(4), total=4, description='<reading>'):\n"
        "    time.sleep(0.4)\n",
    )
    kinds = [message["msg_type"] for message in messages]
    assert kinds[0] == "display_data"
    assert set(kinds[1:]) == {"update_display_data"}, "nothing is said beside the bar"
    places = {message["content"]["transient"]["display_id"] for message in messages}
    assert len(places) == 1
    html = [message["content"]["data"]["text/html"] for message in messages]
    assert '<progress value="2" max="4"></progress> &lt;reading&gt;: 2 of 4 (' in html[1]
    assert " left)" in html[1]
    assert messages[1]["content"]["data"]["text/plain"].startswith("<reading>: 2 of 4 (")
    assert html[-1] == ""


def test_a_bar_without_a_total_and_after_an_error_goes_too(kernel: BlockingKernelClient) -> None:
    messages = shown_by(
        kernel,
        "def items():\n"
        "    for number in range(3):\n"
        "        time.sleep(0.6)\n"
        "        yield number\n"
        "    raise ValueError('broken')\n"
        "list(tracked(items()))\n",
    )
    html = [one["content"]["data"]["text/html"] for one in messages if one["msg_type"] == "update_display_data"]
    assert html[0].startswith("<progress></progress> working: 1 (")
    assert html[-1] == ""
    assert [one["content"]["evalue"] for one in messages if one["msg_type"] == "error"] == ["broken"]


@pytest.mark.weights
def test_a_report_shows_itself(kernel: BlockingKernelClient) -> None:
    messages = shown_by(
        kernel,
        "from ragcortex import Detector\nDetector.load('reference-gain').check(None, [], 'It was <built> in 1874.')\n",
    )
    assert [message["msg_type"] for message in messages] == ["execute_result"], "nothing is said beside the report"
    data = messages[0]["content"]["data"]
    assert "&lt;built&gt;" in data["text/html"]
    assert 'class="ragcortex' in data["text/html"]
    assert "<script" not in data["text/html"]
