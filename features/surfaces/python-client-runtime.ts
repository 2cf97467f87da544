/** The first part of every emitted Python client: its error, the transports to a server, and how a call is made. */

/** Python. Nothing in it depends on a registry. */
export const PYTHON_RUNTIME = `# mypy: disable-error-code="no-any-return"
"""Python client of a toolwright server: standard library only.

    client = Client(http_call("http://127.0.0.1:8080", key="oub_..."))
    client.pack.op(argument=1)

A method returns the result of its op or raises ToolError. An argument that is left out is not
sent; None is sent as null. What the server repaired in a call is logged as a warning of the logger "toolwright".
"""

from __future__ import annotations

import builtins
import http.client
import json
import logging
import re
import socket
import urllib.error
import urllib.request
from typing import TYPE_CHECKING, Any, Callable, Dict, Literal, Optional, Tuple
from urllib.parse import urljoin, urlsplit

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

    def __reduce__(self) -> Any:
        return type(self), (self.code, self.message, self.details, self.envelope)


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """A key goes to the server that it is for, and nowhere else."""

    def redirect_request(self, *args: Any, **kwargs: Any) -> None:
        return None


def http_call(url: str, key: Optional[str] = None, timeout: float = 65.0) -> Call:
    """Calls a server over HTTP, at /api/exec; the key is sent only to it, as a bearer token.

    timeout: seconds to wait for the server at each step. One that is slower is a ToolError of the code TIMEOUT.
    """
    endpoint = urljoin(url, "/api/exec")
    address = urlsplit(endpoint)
    if address.scheme not in ("http", "https") or not address.hostname or "@" in address.netloc:
        raise ValueError("url is the address of a server, http:// or https://, with no name or password in it")
    headers = {"content-type": "application/json"}
    if key is not None:
        if not re.fullmatch("[!-~]+", key.strip()):
            raise ValueError("key is no key: it is empty, or holds what no key holds")
        headers["authorization"] = f"Bearer {key.strip()}"
    # A proxy would read the key, unless TLS goes through it.
    proxies = {name: proxy for name, proxy in urllib.request.getproxies().items() if name == "https"}
    opener = urllib.request.build_opener(urllib.request.ProxyHandler(proxies), _NoRedirect)

    def call(request: Dict[str, Any]) -> Envelope:
        op = request["op"]
        try:
            body = json.dumps(request, allow_nan=False).encode()
            json.loads(body, parse_int=_narrow)
        except (TypeError, ValueError, RecursionError) as error:
            return _failure(op, "VALIDATION_ERROR", f"The call is no JSON: {error}")
        try:
            status, text = _answer(opener, urllib.request.Request(endpoint, body, headers), timeout)
        except (OSError, http.client.HTTPException) as error:
            if isinstance(getattr(error, "reason", error), socket.timeout):
                return _failure(op, "TIMEOUT", f"No answer within {timeout} s. The call may have been done all the same.")
            return _failure(op, "UNAVAILABLE", f"The server was not reached: {error}")
        return _envelope(text) or _failure(op, "UNAVAILABLE", f"The server answered with status {status} and no envelope.")

    return call


def _narrow(digits: str) -> int:
    """A server reads numbers as floats: a wide integer would be another one there."""
    if abs(int(digits)) >= 2**53:
        raise ValueError(f"{digits} is an integer beyond 2**53, which JSON changes: send it as text")
    return int(digits)


def _answer(opener: urllib.request.OpenerDirector, request: urllib.request.Request, timeout: float) -> Tuple[int, bytes]:
    try:
        answer: Any = opener.open(request, timeout=timeout)
    except urllib.error.HTTPError as refusal:
        answer = refusal
    with answer:
        return answer.getcode(), answer.read()


def _envelope(text: bytes) -> Optional[Envelope]:
    try:
        value: Any = json.loads(text)
        fits = "meta" in value and ("result" if value["ok"] else "error") in value
    except (ValueError, TypeError, KeyError, RecursionError):
        return None
    return value if fits else None


def _failure(op: str, code: str, message: str) -> Envelope:
    error = {"code": code, "message": message, "help_path": "root"}
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
        for warning in envelope["meta"].get("warnings", []):
            _log.warning("%s: %s", op, warning)
        if envelope["ok"]:
            return envelope["result"]
        error = envelope["error"]
        raise ToolError(error["code"], error["message"], error.get("details"), envelope)
`;
