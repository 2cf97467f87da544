#: a dataclass of tasks
from dataclasses import dataclass
@dataclass
class Task:
    title: str
    priority: int
    due: str | None = None
tasks = [Task(t["title"], t["priority"], t["due_at"]) for t in onto.task.list(project_id="<Borealis>")["items"]]
[t for t in sorted(tasks, key=lambda t: t.title) if t.priority == 1]
#: a dataclass with order and a field
from dataclasses import dataclass, field
@dataclass(order=True)
class Entry:
    rank: int
    title: str
    tags: list = field(default_factory=list, compare=False)
rows = [Entry(t["priority"], t["title"], t["props"]["tags"]) for t in onto.project.graph.get("<Borealis>")["tasks"]]
print(min(rows))
[r.title for r in sorted(rows, reverse=True)]
#: asdict and replace
from dataclasses import dataclass, asdict, replace, astuple
@dataclass(frozen=True)
class P:
    name: str
    open: int
p = P("Atlas", onto.project.get("<Atlas>")["counts"]["tasks"])
[asdict(p), replace(p, open=0), astuple(p), hash(p) == hash(replace(p))]
#: a frozen dataclass refuses
from dataclasses import dataclass, FrozenInstanceError
@dataclass(frozen=True)
class P:
    n: int
p = P(onto.project.get("<Atlas>")["counts"]["goals"])
try:
    p.n = 5
    r = "changed"
except FrozenInstanceError as e:
    r = f"{type(e).__name__}: {e}"
r
#: a class that holds a page
class Pager:
    size = 8
    def __init__(self, project):
        self.project = project
        self.calls = 0
    def __iter__(self):
        offset = 0
        while True:
            page = onto.task.list(project_id=self.project, limit=self.size, offset=offset)
            self.calls += 1
            yield from page["items"]
            if not page["pagination"]["has_more"]:
                return
            offset += self.size
p = Pager("<Atlas>")
[len(list(p)), p.calls]
#: a class with repr and eq
class Risk:
    LEVELS = ("low", "medium", "high", "critical")
    def __init__(self, row):
        self.title, self.level = row["title"], self.LEVELS.index(row["impact"])
    def __lt__(self, other):
        return self.level < other.level
    def __repr__(self):
        return f"<{self.title} {self.level}>"
print(sorted(Risk(r) for r in onto.risk.list(project_id="<Atlas>")["items"]))
#: properties
class Project:
    def __init__(self, id):
        self._data = onto.project.get(id)
    @property
    def name(self):
        return self._data["project"]["name"]
    @property
    def size(self):
        return sum(self._data["counts"].values())
p = Project("<Borealis>")
(p.name, p.size)
#: a static and a class method
class Hours:
    total = 0
    @classmethod
    def add(cls, task):
        cls.total += task["props"]["hours"]
        return cls
    @staticmethod
    def shown(h):
        return f"{int(h)}:{int(h % 1 * 60):02d}"
for t in onto.project.graph.get("<Borealis>")["tasks"]:
    Hours.add(t)
Hours.shown(Hours.total)
#: inheritance and super
class Base:
    kind = "entity"
    def __init__(self, row):
        self.label = row.get("title") or row.get("name")
    def show(self):
        return f"{self.kind}:{self.label}"
class Goal(Base):
    kind = "goal"
    def show(self):
        return super().show() + "!"
[x.show() for x in [Base(onto.milestone.list(project_id="<Atlas>")["items"][0]), *map(Goal, sorted(onto.goal.list(project_id="<Atlas>")["items"], key=lambda g: g["name"]))]]
#: an enum of states
from enum import Enum
class State(Enum):
    TODO = "todo"
    DONE = "done"
    BLOCKED = "blocked"
    DOING = "in_progress"
states = [State(t["state_key"]) for t in onto.task.list(project_id="<Borealis>")["items"]]
[sum(s is State.TODO for s in states), State("done").name, [s.value for s in State], State.DOING]
#: an enum that counts
from enum import IntEnum, auto
class Level(IntEnum):
    LOW = auto()
    MEDIUM = auto()
    HIGH = auto()
    CRITICAL = auto()
sorted((int(Level[r["impact"].upper()]), r["title"]) for r in onto.risk.list(project_id="<Atlas>")["items"])
#: a named tuple
from collections import namedtuple
Row = namedtuple("Row", "title hours")
rows = sorted(Row(t["title"], t["props"]["hours"]) for t in onto.project.graph.get("<Borealis>")["tasks"])
print(rows[0], rows[0].hours, rows[0]._asdict())
rows[-1]
#: typed named tuple
from typing import NamedTuple
class Cell(NamedTuple):
    state: str
    n: int = 0
items = onto.task.list(project_id="<Borealis>")["items"]
[Cell(s, sum(t["state_key"] == s for t in items)) for s in ("todo", "done")] + [Cell("none")]
#: a context manager
from contextlib import contextmanager
log = []
@contextmanager
def step(name):
    log.append(f"+{name}")
    try:
        yield len(log)
    finally:
        log.append(f"-{name}")
with step("read") as n:
    log.append(onto.project.get("<Cassini>")["project"]["name"])
log
#: a context manager that swallows
class Quiet:
    def __enter__(self):
        return self
    def __exit__(self, kind, error, trace):
        self.error = kind.__name__ if kind else None
        return kind is ValueError
with Quiet() as q:
    onto.task.list(state_key="urgent")
q.error
#: a decorator that counts
from functools import wraps
def counted(f):
    @wraps(f)
    def inner(*a, **k):
        inner.calls += 1
        return f(*a, **k)
    inner.calls = 0
    return inner
@counted
def title(id):
    """The title of a task."""
    return onto.task.get(id)["task"]["title"]
[title("<Rehearse>"), title("<Order badges>"), title.calls, title.__name__, title.__doc__]
#: a cache of reads
from functools import lru_cache
@lru_cache
def owner(id):
    return onto.task.get(id)["task"]["props"]["owner"]
r = [owner("<Rehearse>") for _ in range(5)]
[set(r), owner.cache_info().hits, owner.cache_info().misses]
#: a cached property
from functools import cached_property
class P:
    reads = 0
    @cached_property
    def counts(self):
        P.reads += 1
        return onto.project.get("<Atlas>")["counts"]
p = P()
[p.counts["tasks"], p.counts["risks"], P.reads]
#: partial of an op
from functools import partial
atlas = partial(onto.task.list, project_id="<Atlas>")
[len(atlas(state_key=s)["items"]) for s in ("todo", "done", "blocked")]
#: reduce
from functools import reduce
tasks = onto.project.graph.get("<Borealis>")["tasks"]
reduce(lambda a, t: {**a, t["props"]["owner"]: a.get(t["props"]["owner"], 0) + 1}, sorted(tasks, key=lambda t: t["title"]), {})
#: single dispatch
from functools import singledispatch
@singledispatch
def shown(x):
    return str(x)
@shown.register
def _(x: list):
    return "[" + "|".join(shown(i) for i in x) + "]"
@shown.register(dict)
def _(x):
    return "{" + ",".join(sorted(x)) + "}"
t = onto.task.get("<Rehearse>")["task"]
[shown(t["props"]["tags"]), shown(t["props"]), shown(t["priority"])]
#: total ordering
from functools import total_ordering
@total_ordering
class V:
    def __init__(self, t):
        self.t = t
    def __eq__(self, o):
        return self.t["priority"] == o.t["priority"]
    def __lt__(self, o):
        return self.t["priority"] < o.t["priority"]
a, b = V(onto.task.get("<Rehearse>")["task"]), V(onto.task.get("<Order badges>")["task"])
[a < b, a >= b, a <= b, a == a, a != b]
#: slots and missing attribute
class S:
    __slots__ = ("title",)
s = S()
s.title = onto.task.get("<Rehearse>")["task"]["title"]
try:
    s.other = 1
    r = "set"
except AttributeError as e:
    r = type(e).__name__
[s.title, r, hasattr(s, "__dict__")]
#: dunder container
class Bag:
    def __init__(self, items):
        self.items = {i["title"]: i for i in items}
    def __len__(self):
        return len(self.items)
    def __contains__(self, title):
        return title in self.items
    def __getitem__(self, title):
        return self.items[title]
    def __bool__(self):
        return len(self) > 3
b = Bag(onto.task.list(project_id="<Borealis>")["items"])
[len(b), "Rehearse" in b, b["Rehearse"]["priority"], bool(b), bool(Bag([]))]
#: operators
class Span:
    def __init__(self, h):
        self.h = h
    def __add__(self, o):
        return Span(self.h + o.h)
    def __radd__(self, o):
        return self if o == 0 else NotImplemented
    def __mul__(self, n):
        return Span(self.h * n)
    __rmul__ = __mul__
    def __str__(self):
        return f"{self.h:g}h"
str(2 * sum(Span(t["props"]["hours"]) for t in onto.project.graph.get("<Borealis>")["tasks"]))
#: abstract class
from abc import ABC, abstractmethod
class Source(ABC):
    @abstractmethod
    def rows(self): ...
class Tasks(Source):
    def rows(self):
        return onto.task.list(project_id="<Borealis>")["items"]
try:
    Source()
    r = "made"
except TypeError:
    r = "abstract"
[r, len(Tasks().rows()), isinstance(Tasks(), Source)]
#: a descriptor
class Upper:
    def __set_name__(self, owner, name):
        self.name = "_" + name
    def __get__(self, obj, owner=None):
        return getattr(obj, self.name).upper()
    def __set__(self, obj, value):
        obj.__dict__[self.name] = value.strip()
class T:
    title = Upper()
t = T()
t.title = "  " + onto.task.get("<Rehearse>")["task"]["title"]
[t.title, vars(t)]
#: class registry
REG = {}
class Kind:
    def __init_subclass__(cls, name, **k):
        super().__init_subclass__(**k)
        REG[name] = cls
class A(Kind, name="goals"):
    def n(self, c): return c["goals"]
class B(Kind, name="risks"):
    def n(self, c): return c["risks"] * 10
counts = onto.project.get("<Atlas>")["counts"]
{k: v().n(counts) for k, v in REG.items()}
#: typing of helpers
from typing import Any, Callable, Iterable, Optional
def pick(rows: Iterable[dict[str, Any]], test: Callable[[dict], bool]) -> Optional[dict]:
    for row in rows:
        if test(row):
            return row
    return None
hit: Optional[dict] = pick(onto.task.list(project_id="<Borealis>")["items"], lambda t: t["state_key"] == "blocked")
[hit and hit["title"], pick([], bool)]
