"""A service under test: its client, keys for it, and how its answers are looked at."""

import datetime
from dataclasses import dataclass
from typing import Any

from fastapi import FastAPI
from fastapi.testclient import TestClient
from sqlalchemy import text
from sqlalchemy.orm import Session

from ragcortex.service.checks import new_id
from ragcortex.service.keys import create_key
from ragcortex.service.middleware import PAGE_POLICY
from ragcortex.service.state import Service
from ragcortex.service.storage.tables import Base

REFERENCES = ["The lighthouse at Cape Arden was built in 1874.", "It stands 41 metres above the sea."]
GROUNDED = {"references": REFERENCES, "answer": "The lighthouse at Cape Arden was built in 1874."}
WRONG = {"references": REFERENCES, "answer": "It stands 52 metres above the sea.", "question": "How high is it?"}
Headers = dict[str, str]


@dataclass(frozen=True)
class Running:
    """A service that runs, with its settings and a client that calls it."""

    app: FastAPI
    client: TestClient

    @property
    def service(self) -> Service:
        found: Service = self.app.state.service
        return found

    def key(self, *scopes: str, name: str | None = None, **given: Any) -> Headers:
        """Return the headers of a new key, of a name of its own unless one is given."""
        values = {"rate_per_minute": None, "expires_at": None, "now": datetime.datetime.now(datetime.UTC)} | given

        def work(session: Session) -> str:
            return create_key(session, name=name or f"key {new_id()}", scopes=scopes, **values)[1]

        return {"Authorization": f"Bearer {self.service.database.run(work)}"}

    def check(self, body: dict[str, Any] = WRONG, headers: Headers | None = None, **more: Any) -> dict[str, Any]:
        """Return what comes of an answer."""
        response = self.client.post("/v1/check", json=body | more, headers=headers)
        assert response.status_code == 200, response.text
        found: dict[str, Any] = response.json()
        return found

    def dump(self) -> str:
        """Return everything in every table."""

        def work(session: Session) -> str:
            names = sorted(Base.metadata.tables)
            return "\n".join(str(row) for name in names for row in session.execute(text(f'SELECT * FROM "{name}"')))

        return self.service.database.run(work)


def problem(response: Any, status: int) -> tuple[str | None, str]:
    """Return field and detail of a problem, after a look at everything that all problems have."""
    assert response.status_code == status, response.text
    assert response.headers["content-type"] == "application/problem+json"
    check_headers(response)
    values = response.json()
    assert values["status"] == status
    assert values["type"] == "about:blank"
    assert values["title"]
    assert values["request_id"] == response.headers["x-request-id"]
    assert set(values) <= {"type", "title", "status", "detail", "field", "request_id"}
    return values.get("field"), values["detail"]


def check_headers(response: Any) -> None:
    """Look at the headers that every answer has, whatever it is."""
    headers = response.headers
    assert headers["x-request-id"]
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["cross-origin-opener-policy"] == "same-origin"
    assert headers["referrer-policy"] in ("no-referrer", "same-origin")
    assert "default-src 'none'" in headers["content-security-policy"]
    assert "frame-ancestors" in headers["content-security-policy"]
    assert headers["cache-control"] in ("no-store", "no-cache")
    assert "access-control-allow-origin" not in headers
    assert "frame-ancestors 'none'" in PAGE_POLICY


def events(body: str) -> list[tuple[str, Any]]:
    """Return the events of a stream, each with its data."""
    import json

    found = []
    for block in body.split("\n\n"):
        lines = dict(line.split(": ", 1) for line in block.splitlines() if not line.startswith(":"))
        if "event" in lines:
            found.append((lines["event"], json.loads(lines["data"])))
    return found
