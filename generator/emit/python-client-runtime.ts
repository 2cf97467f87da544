/** What every emitted Python client begins with: the error, the way to a server, and how one call is made. */

/** Python. Nothing in it depends on a registry. */
export const PYTHON_RUNTIME = `"""Python client of a toolwright server: standard library only.

    client = Client(http_call("http://127.0.0.1:8080", key="oub_..."))
    client.pack.op(argument=1)

A method gives the result of its op and raises ToolError where there is none. What the server repaired in a
call is logged as a warning of the logger "toolwright".
"""

from __future__ import annotations

import builtins
import http.client
import json
import logging
import urllib.error
import urllib.request
from typing import TYPE_CHECKING, Any, Callable, Dict, Literal, Optional
from urllib.parse import urljoin

Envelope = Dict[str, Any]
Call = Callable[[Dict[str, Any]], Envelope]

_UNSET: Any = object()
_log = logging.getLogger("toolwright")


class ToolError(Exception):
    """A call that was refused or failed: its code, what is wrong, further facts, and the whole envelope."""

    def __init__(self, code: str, message: str, details: Optional[Dict[str, Any]] = None, envelope: Optional[Envelope] = None) -> None:
        super().__init__(f"{code}: {message}")
        self.code = code
        self.message = message
        self.details = details or {}
        self.envelope = envelope or {}


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """A key goes to the server that it is for, and nowhere else."""

    def redirect_request(self, *args: Any, **kwargs: Any) -> None:
        return None


def http_call(url: str, key: Optional[str] = None, timeout: float = 65.0) -> Call:
    """Calls a server over HTTP, at /api/exec; the key is sent as a bearer token."""
    endpoint = urljoin(url, "/api/exec")
    headers = {"content-type": "application/json"}
    if key is not None:
        headers["authorization"] = f"Bearer {key}"
    opener = urllib.request.build_opener(_NoRedirect)

    def call(request: Dict[str, Any]) -> Envelope:
        body = json.dumps(request, allow_nan=False).encode()
        try:
            with opener.open(urllib.request.Request(endpoint, body, headers), timeout=timeout) as answer:
                text = answer.read()
        except urllib.error.HTTPError as error:
            text = error.read()
        except (OSError, http.client.HTTPException) as error:
            return _unavailable(request["op"], f"The server was not reached: {error}")
        try:
            envelope = json.loads(text)
        except ValueError:
            envelope = None
        if isinstance(envelope, dict) and "ok" in envelope and "meta" in envelope:
            return envelope
        return _unavailable(request["op"], "The server answered with no envelope.")

    return call


def _unavailable(op: str, message: str) -> Envelope:
    error = {"code": "UNAVAILABLE", "message": message, "help_path": "root"}
    return {"op": op, "ok": False, "error": error, "meta": {"trace_id": "", "latency_ms": 0, "warnings": []}}


class _Ops:
    """Makes calls with the options of one client."""

    def __init__(self, call: Call, dry_run: Optional[bool], idempotency_key: Optional[str]) -> None:
        self._call = call
        options = {"dry_run": dry_run, "idempotency_key": idempotency_key}
        self._options = {name: value for name, value in options.items() if value is not None}

    def __call__(self, op: str, args: Dict[str, Any]) -> Any:
        given = {name: value for name, value in args.items() if value is not _UNSET}
        envelope = self._call({"op": op, "args": given, **self._options})
        for warning in envelope.get("meta", {}).get("warnings", []):
            _log.warning("%s: %s", op, warning)
        if envelope["ok"]:
            return envelope["result"]
        error = envelope["error"]
        raise ToolError(error["code"], error["message"], error.get("details"), envelope)
`;
