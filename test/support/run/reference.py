"""What real Python makes of snippets, in the words of run's replies: reads a JSON list of snippets, writes a JSON list of replies."""

import ast
import asyncio
import base64
import builtins
import collections
import collections.abc
import contextlib
import dataclasses
import datetime
import enum
import functools
import inspect
import io
import itertools
import json
import math
import resource
import signal
import sys
import types
import warnings

FILE = "<run>"
SECONDS = 2  # for one snippet; what takes longer fails
MEMORY = 2**30
SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)
ALIASES = {"ws": "demo.search", "bounce": "demo.bounce"}


class Demo:
    """The ops of the project in run-demo, as far as snippets call them."""

    def search(self, *args, **kwargs):
        given = dict(zip(("query", "count"), args))
        for name, value in kwargs.items():
            given[next(full for full in ("query", "count") if full.startswith(name))] = value
        return {"query": given["query"], "count": given.get("count", 5)}

    def bounce(self, text):
        return text

    def big(self, n):
        return "\n".join(f"line{i}" for i in range(n))

    def none(self):
        return None

    def boom(self):
        raise KeyError("kaput")


def awaitable(value):
    async def settled():
        return value

    return value if inspect.isawaitable(value) else settled()


class Lifted(types.ModuleType):
    """asyncio, whose gather takes plain values as well."""

    def __getattr__(self, name):
        found = getattr(asyncio, name)
        if name not in ("gather", "wait_for"):
            return found
        return lambda *args, **options: found(*[awaitable(a) if i == 0 or name == "gather" else a for i, a in enumerate(args)], **options)


class Awaits(ast.NodeTransformer):
    def visit_Await(self, node):
        self.generic_visit(node)
        node.value = ast.Call(ast.Name("__awaitable", ast.Load()), [node.value], [])
        return node


def outermost(tree):
    todo = list(ast.iter_child_nodes(tree))
    while todo:
        node = todo.pop()
        yield node
        if not isinstance(node, SCOPES):
            todo.extend(ast.iter_child_nodes(node))


def names_of(tree):
    for node in outermost(tree):
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            yield node.id
        elif isinstance(node, SCOPES[:3]):
            yield node.name
        elif isinstance(node, ast.alias):
            yield node.asname or node.name.split(".")[0]


def build(code):
    tree = ast.parse(code, FILE)
    last = tree.body[-1] if tree.body else None
    returns = any(isinstance(node, ast.Return) for node in outermost(tree))
    printing = isinstance(last, ast.Expr) and isinstance(last.value, ast.Call) and getattr(last.value.func, "id", "") == "print"
    if isinstance(last, ast.Expr) and not printing:
        tree.body[-1] = ast.copy_location(ast.Return(last.value), last)
        returns = True
    elif returns or any(isinstance(n, (ast.Await, ast.AsyncFor, ast.AsyncWith)) for n in outermost(tree)):
        returns = True
        tree.body.append(ast.Return(ast.Name("__novalue", ast.Load())))
    for node in outermost(tree):
        if isinstance(node, ast.Return) and node.value is None:
            node.value = ast.Constant(None)
    tree = Awaits().visit(tree)
    if returns:
        waits = any(isinstance(n, (ast.Await, ast.AsyncFor, ast.AsyncWith)) or getattr(n, "is_async", 0) for n in outermost(tree))
        body = [ast.copy_location(ast.Assign([s.target], s.value), s) if isinstance(s, ast.AnnAssign) else s for s in tree.body]
        futures = [s for s in body if isinstance(s, ast.ImportFrom) and s.module == "__future__"]
        bound = sorted(set(names_of(tree)))
        scope = [ast.Global(bound)] if bound else []
        args = ast.arguments([], [], None, [], [], None, [])
        kind = ast.AsyncFunctionDef if waits else ast.FunctionDef
        main = kind(name="__main", args=args, body=[*scope, *[s for s in body if s not in futures]], decorator_list=[], returns=None, type_params=[])
        tree = ast.Module([*futures, main], [])
    ast.fix_missing_locations(tree)
    return compile(tree, FILE, "exec", dont_inherit=True), returns


def key(k):
    if k is None:
        return "null"
    if isinstance(k, bool):
        return "true" if k else "false"
    return str(k)


def plain(v):
    """The table of formats."""
    if v is None or isinstance(v, (bool, str)) and not isinstance(v, enum.Enum):
        return v
    if isinstance(v, enum.Enum):
        return plain(v.value)
    if isinstance(v, int):
        return int(v)
    if isinstance(v, float):
        return v if v - v == 0 else None
    if dataclasses.is_dataclass(v) and not isinstance(v, type):
        return {f.name: plain(getattr(v, f.name)) for f in dataclasses.fields(v)}
    if isinstance(v, collections.abc.Mapping):
        return {key(k): plain(x) for k, x in v.items()}
    if isinstance(v, (set, frozenset)):
        try:
            return [plain(x) for x in sorted(v)]
        except TypeError:
            return [plain(x) for x in sorted(v, key=str)]
    if isinstance(v, (bytes, bytearray)):
        return base64.b64encode(v).decode()
    if isinstance(v, (datetime.date, datetime.time)):
        return v.isoformat()
    if isinstance(v, datetime.timedelta):
        return v.total_seconds()
    if isinstance(v, (list, tuple, collections.deque, range, collections.abc.Iterator, collections.abc.MappingView)):
        return [plain(x) for x in v]
    return str(v)


def text(value, form):
    if value is None:
        return "None"
    if form == "raw":
        return str(value)
    data = plain(value)
    if isinstance(data, str):
        return data
    if form == "json_h":
        return json.dumps(data, ensure_ascii=False, indent=2)
    return json.dumps(data, ensure_ascii=False, separators=(",", ":"))


NOVALUE = object()


def failure(error):
    trace, line = error.__traceback__, None
    if isinstance(error, SyntaxError) and error.filename == FILE:
        return {"type": "SyntaxError", "message": error.msg, "line": error.lineno}
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == FILE:
            line = trace.tb_lineno
        trace = trace.tb_next
    message = "" if isinstance(error, SystemExit) and error.code is None else str(error)
    return {"type": type(error).__name__, "message": message, "line": line}


def demo_names():
    demo = Demo()
    aliases = {alias: functools.reduce(getattr, path.split(".")[1:], demo) for alias, path in ALIASES.items()}
    return {"demo": demo, **aliases}


def run(code, tools, seconds=SECONDS):
    module = types.ModuleType("__main__")
    names = module.__dict__
    names.update(tools, __awaitable=awaitable, __novalue=NOVALUE)
    sys.modules["__main__"], sys.modules["asyncio"] = module, Lifted("asyncio")
    out, value, failed = io.StringIO(), NOVALUE, None
    with contextlib.redirect_stdout(out):
        try:
            signal.alarm(seconds)
            made, returns = build(code)
            exec(made, names)
            if returns:
                value = names["__main"]()
            if inspect.iscoroutine(value):
                value = asyncio.run(value)
            reply = None if value is NOVALUE else text(value, names.get("__format__"))
        except BaseException as error:
            failed = failure(error)
        finally:
            signal.alarm(0)
    sys.modules["asyncio"] = asyncio
    printed = out.getvalue().rstrip("\n")
    if failed:
        return {"printed": printed, "failed": failed}
    if reply is None:
        return {"text": printed or "OK: no return value"}
    return {"text": f"{printed}\n{reply}" if printed else reply}


def exact_sum(items, /, start=0):
    """The sum of 3.12 and later, which keeps what adding floats one by one loses."""
    items = iter(items)
    total = start
    if isinstance(start, (str, bytes, bytearray)):
        return plain_sum(items, start)
    for item in items:
        if type(total) is float or type(total) in (int, bool) and type(item) is float:
            if type(total) is not float:
                total = float(total) if abs(total) <= 2**53 else total + 0.0
            return float_sum(total, itertools.chain([item], items))
        total = total + item
    return total


def float_sum(high, items):
    low = 0.0
    for item in items:
        if type(item) is not float and type(item) not in (int, bool):
            return plain_sum(items, high + low + item if low and math.isfinite(low) else high + item)
        item = float(item)
        both = high + item
        low += (high - both) + item if abs(high) >= abs(item) else (item - both) + high
        high = both
    return high + low if low and math.isfinite(low) else high


plain_sum = builtins.sum
if sys.version_info < (3, 12):
    builtins.sum = exact_sum


def late(*_):
    raise TimeoutError("the snippet takes too long")


signal.signal(signal.SIGALRM, late)
resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
warnings.simplefilter("ignore")
sys.setrecursionlimit(600)
if __name__ == "__main__":
    json.dump([run(code, demo_names()) for code in json.load(sys.stdin)], sys.__stdout__)
