/** The Python side of a run: converts values to data and back, dates included. */

/** Python that converts values to data and back; part of the memory snapshot. Must not contain a backtick or `${`. */
export const VALUES = String.raw`
import array, ast, asyncio, base64, builtins, collections, collections.abc, contextlib, copy, csv, dataclasses, datetime
import decimal, enum, fractions, functools, hashlib, heapq, html, inspect, io, itertools, json, linecache, math, operator, os
import pathlib, random, re, signal, statistics, string, sys, textwrap, time, traceback, types, typing, urllib.parse, uuid, warnings

# A program may replace what is in modules, so this one has copies.
__builtins__ = dict(vars(builtins))
base64, collections, dataclasses, datetime, enum, inspect, json, math = (
    types.SimpleNamespace(**vars(one)) for one in (base64, collections, dataclasses, datetime, enum, inspect, json, math)
)

SAFE = 2**53 - 1
MAX_DEPTH = 200


class Late(TimeoutError):
    """The CPU time is used up."""


class ProjectPath(pathlib.PurePosixPath):
    """A path without access to files."""

    __slots__ = ()


def text_of(value):
    try:
        return str(value)
    except (Late, MemoryError):
        raise
    except BaseException:
        return "<" + type(value).__name__ + " object>"


VIEWS = (collections.abc.KeysView, collections.abc.ItemsView, collections.abc.ValuesView)
SEQUENCES = (list, collections.deque, range, array.array, *VIEWS, collections.abc.Iterator)
SHAPES = (
    (enum.Enum, lambda v: ("again", v.value)),
    (str, lambda v: ("again", str.__str__(v))),
    (int, lambda v: ("again", int.__index__(v))),
    (float, lambda v: ("again", float.__float__(v))),
    (collections.abc.Mapping, lambda v: ("dict", list(v.items()))),
    (tuple, lambda v: ("tuple", v)),
    (SEQUENCES, lambda v: ("list", list(v))),
    (collections.abc.Set, lambda v: ("set", ordered(v))),
    ((bytes, bytearray, memoryview), lambda v: ("bytes", base64.b64encode(v).decode())),
    (datetime.datetime, lambda v: ("datetime", v.isoformat())),
    (datetime.date, lambda v: ("date", v.isoformat())),
    (datetime.time, lambda v: ("opaque", v.isoformat())),
    (datetime.timedelta, lambda v: ("timedelta", v.total_seconds())),
    (pathlib.PurePath, lambda v: ("path", str(v))),
)


def ordered(members):
    try:
        return sorted(members)
    except (Late, MemoryError):
        raise
    except Exception:
        return sorted(members, key=text_of)


def shape(value):
    """One step from any object to a scalar, a collection or a text."""
    try:
        if dataclasses.is_dataclass(value) and not isinstance(value, type):
            return "dict", [(f.name, getattr(value, f.name)) for f in dataclasses.fields(value)]
        for kinds, step in SHAPES:
            if isinstance(value, kinds):
                return step(value)
    except (Late, MemoryError):
        raise
    except Exception:
        pass
    return "opaque", text_of(value)


def wire(value, depth=0):
    """Typed data for the host."""
    kind = type(value)
    if value is None or kind is bool or kind is str:
        return value
    if kind is int:
        return value if -SAFE <= value <= SAFE else {"$": "int", "text": hex(value)}
    if kind is float:
        return {"$": "float", "text": repr(value)} if not math.isfinite(value) or value.is_integer() else value
    if depth > MAX_DEPTH:
        raise ValueError("the value is nested too deeply, or contains itself")
    name, held = shape(value)
    if name == "again":
        return wire(held, depth)
    if name == "list":
        return [wire(item, depth + 1) for item in held]
    if name == "dict":
        return {"$": "dict", "entries": [[wire(k, depth + 1), wire(v, depth + 1)] for k, v in held]}
    if name == "tuple" or name == "set":
        return {"$": name, "items": [wire(item, depth + 1) for item in held]}
    return {"$": name, "text": repr(held) if name == "timedelta" else held}


def completed(coroutine):
    return asyncio.events._get_event_loop_policy().get_event_loop().run_until_complete(coroutine)


def no_data(value):
    """Why a value is none that can be shown."""
    name = getattr(value, "__name__", "")
    if isinstance(value, Tool):
        path = ".".join(value._path)
        return f"the value is an op: call it, as in {path}(...)"
    if isinstance(value, (types.MethodType, types.BuiltinMethodType)) and not isinstance(value.__self__, (types.ModuleType, type(None))):
        return f'the value is a method; results are dicts: write ["{name}"]' if isinstance(value.__self__, dict) else f"the value is a method: call it, as in .{name}()"
    if isinstance(value, (types.FunctionType, types.BuiltinFunctionType)):
        return "the value is a function: call it" + ("" if name == "<lambda>" else f", as in {name}()")
    if inspect.isasyncgen(value):
        return "the value is an asynchronous generator: write [x async for x in it]"
    return ""


def require_data(value):
    if lacks := no_data(value):
        raise TypeError(lacks)


UNWIRE = {
    "int": lambda v: int(v["text"], 0),
    "float": lambda v: float(v["text"]),
    "bytes": lambda v: base64.b64decode(v["text"]),
    "dict": lambda v: {unwire(k): unwire(x) for k, x in v["entries"]},
    "tuple": lambda v: tuple(map(unwire, v["items"])),
    "set": lambda v: set(map(unwire, v["items"])),
    "datetime": lambda v: datetime.datetime.fromisoformat(v["text"]),
    "date": lambda v: datetime.date.fromisoformat(v["text"]),
    "timedelta": lambda v: datetime.timedelta(seconds=float(v["text"])),
    "path": lambda v: ProjectPath(v["text"]),
    "opaque": lambda v: v["text"],
}


def unwire(value):
    kind = type(value)
    if kind is list:
        return [unwire(item) for item in value]
    return UNWIRE[value["$"]](value) if kind is dict else value


class Plain:
    """Data that JSON holds; exact is False where the host would lose what is in it."""

    def __init__(self, limit):
        self.limit, self.exact, self.open = limit, True, set()

    def of(self, value, depth=1):
        kind = type(value)
        if value is None or kind is bool or kind is str:
            return value
        if kind is int:
            self.exact = self.exact and -SAFE <= value <= SAFE
            return value
        if kind is float:
            if not math.isfinite(value):
                return None
            self.exact = self.exact and not value.is_integer()
            return value
        if id(value) in self.open:
            return "[...]"
        self.open.add(id(value))
        try:
            return self.collection(value, *shape(value), depth)
        finally:
            self.open.discard(id(value))

    def collection(self, value, name, held, depth):
        if name == "again" or name == "timedelta":
            return self.of(held, depth)
        if name not in ("list", "tuple", "set", "dict"):
            return held
        if depth > self.limit:
            return "..."
        if name == "dict":
            return {self.key(k): self.of(v, depth + 1) for k, v in held}
        return [self.of(item, depth + 1) for item in held]

    def key(self, key):
        if isinstance(key, enum.Enum):
            key = key.value
        if key is None:
            return "null"
        if key is True or key is False:
            return str(key).lower()
        text = text_of(key)
        self.exact = self.exact and not text.isdigit()  # the host would order such keys first
        return text


def json_of(data):
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"), check_circular=False)
    if text.isascii():
        return text
    return re.sub("[\ud800-\udfff]", lambda m: "\\u%04x" % ord(m[0]), text)
`;

/** Part of the shim; `datetime` also formats with `time.strftime`. */
export const TIMES = String.raw`
plain_strftime = time.strftime
CONVERSION = re.compile(r"%([-_0^#+]*)(\d*)([EO]?)(.?)", re.S)
KNOWN = frozenset("aAbBcCdDeFgGhHIjmMnprRsStTuUVwWxXyYzZ%")

SPACED = frozenset("aAbBcDeFhnpPrRtTxXZ%")


def strftime(format, *when):
    """As glibc has it: the C library here makes an empty text of a format with a conversion that it does not know."""
    if not isinstance(format, str) or len(when) > 1:
        return plain_strftime(format, *when)
    moment = when[0] if when else time.localtime()
    plain_strftime("", moment)

    def written(found):
        flags, width, form, letter = found.groups()
        if letter in ("k", "l"):
            hour = moment[3] if letter == "k" else moment[3] % 12 or 12
            fill = "" if "-" in flags else "0" if "0" in flags else " "
            return str(hour).rjust(int(width or 2) if fill else 0, fill or " ")
        if letter not in KNOWN and letter != "P":
            return found[0].replace("%", "%%")
        rest = "".join(flag for flag in flags if flag not in "^#")
        text = plain_strftime("%" + rest + form + ("p" if letter == "P" else letter), moment)
        if letter == "P" or ("#" in flags and letter in "pZ"):
            text = text.lower()
        elif "^" in flags or ("#" in flags and letter in "aAbBh"):
            text = text.upper()
        if width and "-" not in flags:
            text = text.rjust(int(width), " " if "_" in flags or letter in SPACED else "0")
        return text.replace("%", "%%")

    return plain_strftime(CONVERSION.sub(written, format), moment)
`;
