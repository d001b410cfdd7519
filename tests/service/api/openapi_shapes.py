"""One request for each kind of answer, so that answers can be compared with the OpenAPI document."""

from collections.abc import Callable
from typing import Any

from running import GROUNDED, WRONG, Running

Ask = Callable[[Running], Any]


def _of_check(path: str, method: str = "get", **given: Any) -> Ask:
    """Return what asks for something of a check that was just made."""

    def ask(running: Running) -> Any:
        check_id = running.check(WRONG)["id"]
        return running.client.request(method, f"/v1/checks/{check_id}{path}", **given)

    return ask


def _key(running: Running, then: str = "") -> Any:
    made = running.client.post("/v1/keys", json={"name": f"to {then}", "scopes": ["read"]})
    return running.client.post(f"/v1/keys/{made.json()['id']}/{then}") if then else made


def _calibration(running: Running, then: str = "") -> Any:
    made = running.client.post("/v1/calibrations", json={"name": "a", "hallucinated_threshold": 0.5})
    return running.client.post(f"/v1/calibrations/{made.json()['id']}/{then}") if then else made


ANSWERED_BY: dict[tuple[str, str], Ask] = {
    ("get", "/healthz"): lambda running: running.client.get("/healthz"),
    ("get", "/readyz"): lambda running: running.client.get("/readyz"),
    ("get", "/metrics"): lambda running: running.client.get("/metrics"),
    ("get", "/v1/audit/export"): lambda running: running.client.get("/v1/audit/export"),
    ("post", "/v1/check"): lambda running: running.client.post("/v1/check", json=WRONG),
    ("post", "/v1/check/batch"): lambda running: running.client.post(
        "/v1/check/batch", json={"checks": [GROUNDED, {"answer": ""}]}
    ),
    ("post", "/v1/check/stream"): lambda running: running.client.post("/v1/check/stream", json=GROUNDED),
    ("get", "/v1/checks"): lambda running: running.client.get("/v1/checks"),
    ("get", "/v1/checks/{check_id}"): _of_check(""),
    ("post", "/v1/checks/{check_id}/feedback"): _of_check("/feedback", "post", json={"rating": "wrong"}),
    ("delete", "/v1/checks/{check_id}/text"): _of_check("/text", "delete"),
    ("post", "/v1/checks/{check_id}/claim"): _of_check("/claim", "post"),
    ("post", "/v1/checks/{check_id}/reviews"): _of_check("/reviews", "post", json={"label": 1}),
    ("get", "/v1/queue"): lambda running: running.client.get("/v1/queue"),
    ("get", "/v1/reviews/agreement"): lambda running: running.client.get("/v1/reviews/agreement"),
    ("get", "/v1/reviews/export"): lambda running: running.client.get("/v1/reviews/export"),
    ("get", "/v1/policies"): lambda running: running.client.get("/v1/policies"),
    ("get", "/v1/calibrations"): lambda running: running.client.get("/v1/calibrations"),
    ("post", "/v1/calibrations"): _calibration,
    ("post", "/v1/calibrations/{calibration_id}/activate"): lambda running: _calibration(running, "activate"),
    ("get", "/v1/keys"): lambda running: running.client.get("/v1/keys"),
    ("post", "/v1/keys"): _key,
    ("post", "/v1/keys/{key_id}/revoke"): lambda running: _key(running, "revoke"),
    ("post", "/v1/keys/{key_id}/rotate"): lambda running: _key(running, "rotate"),
}
