#: class with repr
class P:
    def __init__(self, x, y):
        self.x, self.y = x, y
    def __repr__(self):
        return f"P({self.x}, {self.y})"
    def __add__(self, o):
        return P(self.x + o.x, self.y + o.y)
print(P(1, 2) + P(3, 4))
#: inheritance and super
class A:
    def hi(self): return "A"
class B(A):
    def hi(self): return super().hi() + "B"
B().hi()
#: dataclass
from dataclasses import dataclass, field, asdict
@dataclass
class Item:
    name: str
    price: float = 1.5
    tags: list = field(default_factory=list)
i = Item("x", tags=["a"])
print(i)
asdict(i)
#: dataclass as value
from dataclasses import dataclass
@dataclass(order=True, frozen=True)
class V:
    n: int
    s: str = "z"
sorted([V(2), V(1, "b"), V(1, "a")])
#: namedtuple
from collections import namedtuple
Point = namedtuple("Point", "x y")
p = Point(1, y=2)
print(p, p._replace(x=5), p._asdict())
p.x + p.y
#: namedtuple fields as list
from typing import NamedTuple
class E(NamedTuple):
    a: int
    b: str = "q"
tuple(E(1))
#: enum
from enum import Enum, auto
class Color(Enum):
    RED = 1
    BLUE = auto()
print(Color.RED, Color.BLUE.value, Color["RED"].name, Color(2), [c.name for c in Color])
#: int enum
from enum import IntEnum
class L(IntEnum):
    LOW = 1
    HIGH = 3
[L.LOW < L.HIGH, max(L), L.HIGH + 1]
#: property and class method
class T:
    count = 0
    def __init__(self, c): self._c = c; T.count += 1
    @property
    def f(self): return self._c * 9 / 5 + 32
    @classmethod
    def of(cls, c): return cls(c)
    @staticmethod
    def zero(): return 0
[T(100).f, T.of(0).f, T.zero(), T.count]
#: slots and missing attribute
class S:
    __slots__ = ("a",)
s = S()
s.a = 1
s.b = 2
#: iterator class
class Count:
    def __init__(self, n): self.n = n
    def __iter__(self): return self
    def __next__(self):
        if self.n <= 0: raise StopIteration
        self.n -= 1
        return self.n
list(Count(3))
#: call and getitem
class M:
    def __call__(self, x): return x * 2
    def __getitem__(self, k): return f"<{k}>"
    def __len__(self): return 7
    def __contains__(self, x): return x == 1
m = M()
[m(4), m["a"], len(m), 1 in m, bool(m)]
#: eq and hash
class K:
    def __init__(self, v): self.v = v
    def __eq__(self, o): return self.v == o.v
    def __hash__(self): return hash(self.v)
len({K(1), K(1), K(2)})
#: abstract class
from abc import ABC, abstractmethod
class Base(ABC):
    @abstractmethod
    def go(self): ...
Base()
#: context manager class
class Cm:
    def __enter__(self): print("in"); return 5
    def __exit__(self, *a): print("out", a[0].__name__ if a[0] else None); return True
with Cm() as v:
    print(v)
    raise ValueError("x")
"after"
#: contextlib
from contextlib import contextmanager, suppress
@contextmanager
def tag(n):
    print(f"<{n}>")
    yield n.upper()
    print(f"</{n}>")
with tag("b") as t, suppress(ZeroDivisionError):
    print(t)
    1 / 0
#: decorator with arguments
import functools
def times(n):
    def deco(f):
        @functools.wraps(f)
        def inner(*a, **k):
            return [f(*a, **k) for _ in range(n)]
        return inner
    return deco
@times(2)
def hi(x): return x + 1
[hi(1), hi.__name__]
#: lru cache
from functools import lru_cache
@lru_cache(maxsize=None)
def fib(n): return n if n < 2 else fib(n - 1) + fib(n - 2)
[fib(50), fib.cache_info().hits]
#: custom exception
class AppError(Exception):
    def __init__(self, code, msg):
        super().__init__(msg)
        self.code = code
try:
    raise AppError(7, "bad")
except AppError as e:
    r = (e.code, str(e), repr(e))
r
#: custom exception uncaught
class AppError(Exception): pass
def f():
    raise AppError("went wrong")
f()
#: raise from
try:
    try:
        {}["k"]
    except KeyError as e:
        raise RuntimeError("outer") from e
except RuntimeError as e:
    r = [str(e), type(e.__cause__).__name__, str(e.__cause__)]
r
#: attribute error of a class
class A: pass
A().nope
#: class value in the reply
class A:
    def __str__(self): return "an A"
A()
#: match on shapes
def kind(v):
    match v:
        case {"type": "a", "n": int(n)} if n > 1: return f"big {n}"
        case {"type": t}: return f"type {t}"
        case [x, *rest]: return f"list {x} {rest}"
        case str() | bytes(): return "text"
        case None: return "none"
        case _: return "other"
[kind(x) for x in ({"type": "a", "n": 2}, {"type": "a", "n": 1}, [1, 2], "s", None, 3)]
#: total ordering
from functools import total_ordering
@total_ordering
class W:
    def __init__(self, n): self.n = n
    def __eq__(self, o): return self.n == o.n
    def __lt__(self, o): return self.n < o.n
[W(1) >= W(0), max(W(1), W(3)).n]
