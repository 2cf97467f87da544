/**
 * Python that compiles a run's code, with `return` at module level and awaitable tools; part of the memory snapshot.
 */
export const COMPILE = `
FILE = "<run>"
SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)
TAKERS = {"gather", "wait", "wait_for", "ensure_future", "create_task", "as_completed", "shield", "run", "run_until_complete"}
COLLECT = {"list", "tuple", "set", "sorted", "reversed"}
AWAITS = (ast.Await, ast.AsyncFor, ast.AsyncWith)


def outermost(tree):
    """Nodes that belong to no function or class."""
    todo = list(ast.iter_child_nodes(tree))
    while todo:
        node = todo.pop()
        yield node
        if isinstance(node, SCOPES):
            todo.extend(getattr(node, "decorator_list", ()))
        else:
            todo.extend(ast.iter_child_nodes(node))


def bound_names(tree):
    names = set()
    for node in outermost(tree):
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            names.add(node.id)
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            names.add(node.name)
        elif isinstance(node, ast.alias) and node.name != "*":
            names.add(node.asname or node.name.split(".")[0])
        elif isinstance(node, (ast.ExceptHandler, ast.MatchAs, ast.MatchStar)) and node.name:
            names.add(node.name)
        elif isinstance(node, ast.MatchMapping) and node.rest:
            names.add(node.rest)
    return names


def captured(node):
    value = node.value or ast.copy_location(ast.Constant(None), node)
    if isinstance(value, ast.Call) and isinstance(value.func, ast.Name) and value.func.id == "__ret":
        return value
    return ast.copy_location(ast.Call(ast.copy_location(ast.Name("__ret", ast.Load()), node), [value], []), node)


def call_of(name, node):
    return ast.copy_location(ast.Call(ast.copy_location(ast.Name(name, ast.Load()), node), [node], []), node)


class Waits:
    """Calls whose value is awaited, at once or by a name, start without waiting; so that calls run in parallel."""

    def __init__(self, tree):
        self.seen, self.names, nodes = set(), set(), list(ast.walk(tree))
        for node in nodes:
            if isinstance(node, ast.Await):
                self.mark(node.value)
            elif isinstance(node, ast.Call) and getattr(node.func, "attr", getattr(node.func, "id", "")) in TAKERS:
                for arg in node.args:
                    self.mark(arg)
        appends = [n for n in nodes if isinstance(n, ast.Call) and isinstance(n.func, ast.Attribute)
                   and n.func.attr == "append" and isinstance(n.func.value, ast.Name)]
        loads = collections.Counter(n.id for n in nodes if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load))
        known = collections.Counter(n.id for n in nodes if isinstance(n, ast.Name) and id(n) in self.seen)
        known.update(n.func.value.id for n in appends)
        ready = {name for name in self.names if loads[name] == known[name]}
        for node in nodes:
            if isinstance(node, ast.Assign) and len(node.targets) == 1 and getattr(node.targets[0], "id", None) in ready:
                self.mark(node.value)
        for node in appends:
            if node.func.value.id in ready:
                self.mark(node.args[0] if node.args else None)
        for node in nodes:
            if isinstance(node, ast.Await):
                node.value = call_of("__awaitable", node.value)

    def mark(self, node):
        if node is None or id(node) in self.seen:
            return
        self.seen.add(id(node))
        if isinstance(node, ast.Name):
            self.names.add(node.id)
        elif isinstance(node, ast.Call):
            self.call(node, getattr(node.func, "attr", getattr(node.func, "id", "")))
        elif isinstance(node, (ast.List, ast.Tuple, ast.Set)):
            for item in node.elts:
                self.mark(item)
        elif isinstance(node, ast.Dict):
            for item in node.values:
                self.mark(item)
        elif isinstance(node, (ast.ListComp, ast.SetComp, ast.GeneratorExp)):
            self.mark(node.elt)
        elif isinstance(node, (ast.Starred, ast.NamedExpr, ast.DictComp)):
            self.mark(node.value)
        elif isinstance(node, ast.IfExp):
            self.mark(node.body)
            self.mark(node.orelse)

    def call(self, node, name):
        if name in COLLECT:
            for arg in node.args:
                self.mark(arg)
        elif name == "map" and node.args:
            node.args[0] = call_of("__later", node.args[0])
        elif name not in TAKERS:
            node.func = call_of("__later", node.func)


def wrapped(tree, bound):
    """Code with an early return: a function all of whose names are global."""
    body = []
    for node in outermost(tree):
        if isinstance(node, (ast.Yield, ast.YieldFrom)):
            raise SyntaxError("'yield' outside function", (FILE, node.lineno, node.col_offset + 1, None))
        for field in ("body", "orelse", "finalbody"):
            held = getattr(node, field, None)
            if isinstance(held, list) and not isinstance(node, SCOPES):
                setattr(node, field, [unannotated(s) for s in held])
    body = [unannotated(s) for s in tree.body]
    names = sorted(bound)
    if names:
        body.insert(0, ast.Global(names, lineno=1, col_offset=0, end_lineno=1, end_col_offset=0))
    waits = any(isinstance(n, AWAITS) or getattr(n, "is_async", 0) for n in outermost(tree))
    kind = ast.AsyncFunctionDef if waits else ast.FunctionDef
    args = ast.arguments([], [], None, [], [], None, [])
    place = dict(lineno=1, col_offset=0, end_lineno=1, end_col_offset=0)
    made = kind(name="__main", args=args, body=body, decorator_list=[], returns=None, type_params=[], **place)
    call = ast.Expr(ast.Call(ast.Name("__main", ast.Load(), **place), [], [], **place), **place)
    if waits:
        call.value = ast.Await(call.value, **place)
    return ast.Module([made, call], [])


def unannotated(node):
    if not isinstance(node, ast.AnnAssign) or not isinstance(node.target, ast.Name):
        return node
    if node.value is None:
        return ast.copy_location(ast.Pass(), node)
    return ast.copy_location(ast.Assign([node.target], node.value), node)


def prints(value, bound):
    return isinstance(value, ast.Call) and isinstance(value.func, ast.Name) and value.func.id == "print" and "print" not in bound


def build(code):
    """A code object, and the names it calls that nothing binds."""
    tree = ast.parse(code, FILE)
    bound = bound_names(tree)
    returns = [n for n in outermost(tree) if isinstance(n, ast.Return)]
    last = tree.body[-1] if tree.body else None
    # The host captures the last expression where its parser knows the syntax; what it does not know is captured here.
    if isinstance(last, ast.Expr) and not prints(last.value, bound):
        tree.body[-1] = ast.copy_location(ast.Return(last.value), last)
        returns.append(tree.body[-1])
    every = list(ast.walk(tree))
    stored = {n.id for n in every if isinstance(n, ast.Name) and not isinstance(n.ctx, ast.Load)}
    stored |= {n.name for n in every if isinstance(n, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef))}
    stored |= {n.arg for n in every if isinstance(n, ast.arg)} | bound
    called = {n.func.id for n in every if isinstance(n, ast.Call) and isinstance(n.func, ast.Name)}
    if any(isinstance(n, ast.ImportFrom) and n.names[0].name == "*" for n in every):
        called = set()
    if "a" in code and ("await" in code or "asyncio" in code):
        Waits(tree)
    if len(returns) == 1 and tree.body[-1] is returns[0]:
        tree.body[-1] = ast.copy_location(ast.Expr(captured(returns[0])), returns[0])
    elif returns:
        for node in returns:
            node.value = captured(node)
        tree = wrapped(tree, bound)
    ast.fix_missing_locations(tree)
    made = compile(tree, FILE, "exec", ast.PyCF_ALLOW_TOP_LEVEL_AWAIT, dont_inherit=True)
    return made, called - stored


class Selector:
    """Waits for answers of the host, where an event loop would wait for sockets."""

    def select(self, timeout=None):
        if timeout is not None and timeout <= 0:
            if link.waiting:
                link.timer(0)
        elif timeout is None and not link.waiting:
            raise RuntimeError("the code waits for something that can never happen")
        else:
            if timeout is not None:
                link.note_timer(timeout)
            link.receive()
        return ()

    def close(self):
        pass


class Loop(asyncio.BaseEventLoop):
    def __init__(self):
        super().__init__()
        self._selector = Selector()

    def _process_events(self, events):
        pass

    def _write_to_self(self):
        pass

    def create_task(self, coro, **options):
        return super().create_task(coroutine(coro), **options)


class Policy(asyncio.events._AbstractEventLoopPolicy):
    loop = None

    def get_event_loop(self):
        if self.loop is None:
            self.loop = Loop()
        return self.loop

    def set_event_loop(self, loop):
        self.loop = loop

    def new_event_loop(self):
        return Loop()


async def settled(value):
    return value


async def awaited(value):
    return await value


def awaitable(value):
    return value if inspect.isawaitable(value) else settled(value)


def coroutine(value):
    return value if inspect.iscoroutine(value) else awaited(awaitable(value))


def lifted(function):
    """Takes plain values where asyncio wants what can be awaited."""

    @functools.wraps(function)
    def lift(*args, **options):
        return function(*[awaitable(a) for a in args], **options)

    return lift


def first_lifted(function):
    @functools.wraps(function)
    def lift(first, *args, **options):
        return function(awaitable(first), *args, **options)

    return lift


async def to_thread(function, /, *args, **options):
    value = later(function)(*args, **options)
    return await value if inspect.isawaitable(value) else value


def run_loop(main, *, debug=None, loop_factory=None):
    with asyncio.Runner(debug=debug, loop_factory=loop_factory) as runner:
        return runner.run(coroutine(main))


def start_asyncio():
    asyncio.events._set_running_loop(None)
    asyncio.events._set_event_loop_policy(Policy())
    asyncio.gather = lifted(asyncio.gather)
    for name in ("wait_for", "ensure_future", "shield"):
        setattr(asyncio, name, first_lifted(getattr(asyncio, name)))
    asyncio.run = run_loop
    asyncio.to_thread = to_thread
`;
