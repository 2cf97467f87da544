"""What real Python makes of programs over tools: each tool is called by the reader of standard output, so that no engine of ours takes part.

The first line of standard input is {"ops": [path], "plain": {plain name: path}}, each further one {"run": code} or what a call answers.
Standard output has {"call": path, "args": [...], "kwargs": {...}} for each call, and {"done": what reference.run gives} after each program.
"""

import builtins
import json
import os
import sys

sys.path.insert(0, sys.argv[1])
import reference  # noqa: E402

SECONDS = 120  # for a program: its tools run elsewhere, on a machine that does other work too
LINK = sys.__stdout__
RAISED = {
    "NOT_FOUND": LookupError,
    "PERMISSION_DENIED": PermissionError,
    "TIMEOUT": TimeoutError,
}
OF_THE_CALL = ("required", "additionalProperties", "type")


def say(message):
    LINK.write(json.dumps(message) + "\n")
    LINK.flush()


def hear():
    line = sys.stdin.readline()
    if line == "":
        raise SystemExit(0)
    return json.loads(line)


def raised(path, error):
    """The class says what kind of failure it is; `docs/programs.md` has the table."""
    code, details = error["code"], error.get("details", {})
    if code == "VALIDATION_ERROR":
        fields = details.get("field_errors") or [{}]
        kind = TypeError if fields[0].get("keyword") in OF_THE_CALL else ValueError
    else:
        kind = RAISED.get(code, RuntimeError)
    made = kind(f"{path} failed: {error['message']}")
    made.code, made.details = code, details
    # Words on arguments are the gateway's own.
    made.is_ours = code == "VALIDATION_ERROR"
    return made


class Node:
    """A pack, a part of one, or an op."""

    def __init__(self, path, paths):
        self._path, self._paths = path, paths

    def __getattr__(self, name):
        path = f"{self._path}.{name}"
        if path not in self._paths:
            made = AttributeError(f"pack '{self._path}' has no function '{name}'")
            made.is_ours = True
            raise made
        return Node(path, self._paths)

    def __call__(self, *args, **kwargs):
        say({"call": self._path, "args": args, "kwargs": kwargs})
        answer = hear()
        if "error" in answer:
            raise raised(self._path, answer["error"])
        return answer["value"]


def names_of(ops, plain):
    paths = {".".join(op.split(".")[: i + 1]) for op in ops for i in range(op.count(".") + 1)}
    packs = {path for path in paths if "." not in path}
    return {name: Node(path, paths) for name, path in [*plain.items(), *((p, p) for p in packs)] if not hasattr(builtins, name)}


def failure(error):
    told = plain_failure(error)
    if getattr(error, "is_ours", False):
        del told["message"]
    return told


plain_failure, reference.failure = reference.failure, failure
tools = names_of(**hear())
while True:
    code = hear()["run"]
    # A program must not leave anything to the next one.
    child = os.fork()
    if child == 0:
        say({"done": reference.run(code, tools, SECONDS)})
        os._exit(0)
    os.waitpid(child, 0)
