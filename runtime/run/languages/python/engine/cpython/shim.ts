/**
 * The Python side of a run: packs, calls, prints, results. Part of the memory snapshot, so that a run compiles none of
 * it.
 */

import { COMPILE } from "./shim-async.js";
import { SAMPLE } from "./shim-sample.js";
import { TIMES, VALUES } from "./shim-values.js";

const MAIN = String.raw`
MONITOR = 4  # one of the tools that sys.monitoring leaves to others


class Link:
    """Messages to and from the host."""

    def __init__(self, send, recv):
        self.send, self.recv, self.last = send, recv, 0
        self.replies, self.waiting, self.ticks, self.partial = {}, {}, set(), []
        self.most = 0

    def tell(self, **message):
        self.send(json.dumps(message, check_circular=False))

    def number(self):
        self.last += 1
        return self.last

    def request(self, path, args, kwargs):
        data, named = [wire(a) for a in args], [[k, wire(v)] for k, v in kwargs.items()]
        self.flush()
        number = self.number()
        message = {"t": "call", "id": number, "path": path, "args": data, "kwargs": named, "line": user_line(sys._getframe(2))}
        text = json.dumps(message, check_circular=False)
        if len(text) > self.most:
            raise ValueError(f"the arguments of {'.'.join(path)} are too large")
        self.send(text)
        return number

    def receive(self):
        message = json.loads(self.recv())
        number = message["id"]
        if "tick" in message:
            self.ticks.add(number)
        elif number in self.waiting:
            future = self.waiting.pop(number)
            if not future.done():
                future.set_result(message)
        else:
            self.replies[number] = message

    def answer(self, number):
        while number not in self.replies:
            self.receive()
        return settle(self.replies.pop(number))

    def note_timer(self, seconds):
        self.flush()
        number = self.number()
        self.tell(t="timer", id=number, ms=min(max(0, math.ceil(seconds * 1000)), 2**31 - 1))
        return number

    def timer(self, seconds):
        number = self.note_timer(seconds)
        while number not in self.ticks:
            self.receive()
        self.ticks.discard(number)

    def write(self, text):
        head, newline, tail = text.rpartition("\n")
        if newline:
            self.partial.append(head + newline)
            self.flush()
        if tail:
            self.partial.append(tail)
            if len(self.partial) > 512 or len(tail) > 4096:
                self.flush()

    def flush(self):
        if self.partial:
            text, self.partial = "".join(self.partial), []
            for start in range(0, len(text), 65536):
                self.tell(t="print", s=text[start:start + 65536])


class Out(io.TextIOBase):
    encoding, errors = "utf-8", "strict"

    def writable(self):
        return True

    def write(self, text):
        if not isinstance(text, str):
            raise TypeError("write() argument must be str, not " + type(text).__name__)
        link.write(text)
        return len(text)

    def flush(self):
        pass


def settle(message):
    if "e" in message:
        name, text, data = message["e"]
        error = getattr(builtins, name)(text)
        error.code, error.details = data["code"], unwire(data["details"])
        raise error
    return unwire(message["v"])


def user_line(frame):
    while frame is not None and frame.f_code.co_filename != FILE:
        frame = frame.f_back
    return frame.f_lineno if frame is not None else None


class Pending:
    """A call under way."""

    __slots__ = ("number", "done")

    def __init__(self, number):
        self.number, self.done = number, None

    def __await__(self):
        if self.done is None:
            self.done = link.replies.pop(self.number, None)
        if self.done is None:
            future = link.waiting.get(self.number)
            if future is None:
                future = link.waiting[self.number] = asyncio.get_running_loop().create_future()
            self.done = yield from future
        return settle(self.done)


class Tool:
    __slots__ = ("_path", "__name__", "__qualname__")

    def __init__(self, path):
        self._path, self.__name__, self.__qualname__ = path, path[-1], ".".join(path)

    def __call__(self, /, *args, **kwargs):
        return link.answer(link.request(self._path, args, kwargs))

    def __repr__(self):
        return "<tool " + ".".join(self._path) + ">"

    def _help(self):
        return "Tool " + ".".join(self._path)


def later(function):
    if isinstance(function, functools.partial) and isinstance(function.func, (Tool, PackOp)):
        return functools.partial(later(function.func), *function.args, **function.keywords)
    if not isinstance(function, (Tool, PackOp)):
        return function
    return lambda *args, **kwargs: Pending(link.request(function._path, args, kwargs))


class Pack:
    __slots__ = ("_path", "_held", "_shown", "_projects")

    def __init__(self, path, held, projects=None):
        self._path, self._projects = path, projects
        self._held = {name: member([*path, name], inner) for name, inner in held if name}
        self._shown = sorted(name for name, inner in held if name and is_shown(inner))

    def __getattr__(self, name):
        if name in self._held:
            return self._held[name]
        raise AttributeError(self._missing(name), name=name, obj=self)

    def _missing(self, name):
        return f"pack '{'.'.join(self._path)}' has no function '{name}'. Available: {', '.join(self._shown)}"

    def __dir__(self):
        return self._shown

    def __repr__(self):
        return "<pack " + ".".join(self._path) + ">"

    def _help(self):
        return f"Pack {'.'.join(self._path)}. Functions: {', '.join(dir(self))}"

    __doc__ = property(_help)


class PackOp(Pack):
    """A pack that is an op too."""

    __slots__ = ()
    __call__ = Tool.__call__


def member(path, held):
    """The value at a path. A pack holds a list, in which the op with the path of the pack has an empty name. An op holds None, or False if lists leave it out."""
    if not isinstance(held, list):
        return Tool(path)
    return PackOp(path, held) if any(name == "" for name, _ in held) else Pack(path, held)


def is_shown(held):
    return any(is_shown(inner) for _, inner in held) if isinstance(held, list) else held is None


class Projects(Pack):
    __slots__ = ()

    def __getattr__(self, name):
        if name not in self._held and name in self._projects:
            return ProjectPath(self._projects[name])
        return super().__getattr__(name)

    def _missing(self, name):
        functions, projects = ", ".join(sorted(self._shown, reverse=True)), ", ".join(sorted(self._projects))
        return f"proj has no function or project '{name}'. Functions: {functions}. Projects: {projects}"

    def __dir__(self):
        return sorted([*self._shown, *self._projects])


CLOSED = {"js", "pyodide", "pyodide_js", "_pyodide", "_pyodide_core", "ctypes", "_ctypes", "subprocess", "_posixsubprocess",
          "socket", "_socket", "socketserver", "select", "selectors", "_multiprocessing", "multiprocessing", "micropip", "ensurepip", "pip"}


class Closed:
    @staticmethod
    def find_spec(name, path=None, target=None):
        if name.partition(".")[0] in CLOSED:
            raise ModuleNotFoundError(f"module '{name}' is not available here", name=name)
        return None


def refused(*args, **kwargs):
    raise PermissionError("not available here")


def lock(recursion):
    for name in list(sys.modules):
        if name.partition(".")[0] in CLOSED:
            del sys.modules[name]
    sys.meta_path[:] = [Closed, *[f for f in sys.meta_path if "pyodide" not in type(f).__module__]]
    os.environ.clear()
    for name in ("system", "popen", "fork", "kill", "putenv", "posix_spawn", "execv", "execve", "pipe"):
        if hasattr(os, name):
            setattr(os, name, refused)
    random.seed()
    sys.stdout = sys.__stdout__ = sys.stderr = sys.__stderr__ = Out()
    warnings.simplefilter("ignore")
    time.sleep, time.strftime = sleep, strftime
    sys.maxsize = 2**63 - 1
    sys.setrecursionlimit(recursion + 24)


def sleep(seconds):
    if seconds < 0:
        raise ValueError("sleep length must be non-negative")
    link.timer(float(seconds))


plain_help = builtins.help


def help_on(*things):
    if things and isinstance(things[0], (Tool, Pack)):
        print(things[0]._help())
    else:
        plain_help(*things)


class Result:
    outcome, value = "novalue", None

    def take(self, value):
        self.value, self.outcome = value, "none" if value is None else "value"
        return value


def run(request):
    limits, result = request["limits"], Result()
    link.most = limits["resultBytes"]
    module = types.ModuleType("__main__")
    names = module.__dict__
    names["__builtins__"] = builtins
    vars(builtins).update(__ret=result.take, __later=later, __awaitable=awaitable, help=help_on)
    for name, held in request["packs"]:
        names[name] = member([name], held)
    if request["projects"] or isinstance(names.get("proj"), Pack):
        held = dict(request["packs"]).get("proj") or []
        names["proj"] = Projects(["proj"], held, dict(request["projects"]))
    try:
        made, called = build(request["code"])
    except (SyntaxError, MemoryError, RecursionError, ValueError) as error:
        return syntax_failure(error)
    for name in called:
        if name not in names and not hasattr(builtins, name):
            names[name] = Tool([name])
    linecache.cache[FILE] = (len(request["code"]), None, request["code"].splitlines(True), FILE)
    sys.modules["__main__"] = module
    lock(limits["recursion"])
    watch_memory()
    try:
        started = eval(made, names)
        if made.co_flags & inspect.CO_COROUTINE:
            completed(started)
        if inspect.iscoroutine(result.value):
            result.take(completed(result.value))
        require_data(result.value)
        link.flush()
        return finished(result, names, limits)
    except BaseException as error:
        sys.setrecursionlimit(4000)
        link.flush()
        return failure(error)


def finished(result, names, limits):
    sys.setrecursionlimit(4000)
    sys.set_int_max_str_digits(0)
    done = {"t": "done", "outcome": result.outcome}
    for name in ("format", "sanitize"):
        if f"__{name}__" in names:
            done[name] = wire(Plain(8).of(names[f"__{name}__"]))
    value, plain = result.value, Plain(limits["resultDepth"])
    if names.get("__format__") == "raw":
        done["str"] = text_of(value)
    data = plain.of(value)
    done["json"] = json_of(data)
    if not plain.exact and len(done["json"]) <= 1000000:
        done["value"] = wire(data)
    size = max(len(done["json"]), len(done.get("str", "")))
    return {"t": "done", "large": True} if size > limits["resultBytes"] else done


def syntax_failure(error):
    text, place = "the code is nested too deeply", {}
    if isinstance(error, SyntaxError):
        text, place = error.msg, {"line": error.lineno, "column": error.offset}
    elif isinstance(error, ValueError):
        text = text_of(error)
    return {"t": "done", "error": "SyntaxError", "kind": "syntax", "message": text[:10000], **place}


def failure(error):
    line, trace = None, error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == FILE:
            line = trace.tb_lineno
        trace = trace.tb_next
    kind = "timeout" if isinstance(error, Late) else "runtime"
    text = text_of(error)
    if isinstance(error, MemoryError) and not text:
        kind = "memory"
    if isinstance(error, SystemExit):
        text = "" if error.code is None else text_of(error.code)
    return {"t": "done", "error": type(error).__name__, "kind": kind, "message": text[:10000], "line": line}


def interrupted(number, frame):
    link.flush()
    link.tell(t="late", line=user_line(frame))
    raise Late()


def raised(code, offset, error):
    """The interpreter itself raises MemoryError without a text; the guest may catch it, but the run is over."""
    if type(error) is MemoryError and not error.args:
        link.tell(t="spent")


def watch_memory():
    monitoring = sys.monitoring
    monitoring.use_tool_id(MONITOR, "limits")
    monitoring.register_callback(MONITOR, monitoring.events.RAISE, raised)
    monitoring.set_events(MONITOR, monitoring.events.RAISE)


def main(send, recv, text):
    global link
    request = json.loads(text)
    link = Link(send, recv)
    signal.signal(signal.SIGINT, interrupted)
    start_asyncio()
    done = run(request)
    return json.dumps(done, check_circular=False)  # as the program has left it
`;

/** The whole shim; the key of the snapshot includes its text. */
export const SHIM = `${VALUES}\n${TIMES}\n${COMPILE}\n${MAIN}\n${SAMPLE}`;
