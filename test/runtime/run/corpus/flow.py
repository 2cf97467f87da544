#: last expression
x = 3
x * 2
#: assignment has no value
x = 3
#: module-level return
x = 3
return x + 1
#: return in a branch
if True:
    return {"a": 1}
return 2
#: expression in a branch has no value
if True:
    5
#: print then value
print("a")
5
#: none
None
#: empty return
print("x")
return
#: ternary and walrus
data = [1, 2, 3]
r = "many" if (n := len(data)) > 2 else "few"
[r, n]
#: walrus in a comprehension
[y for x in range(5) if (y := x * 2) > 4]
#: while with else
i = 0
while i < 3:
    i += 1
else:
    print("done")
i
#: for with break and else
for x in [1, 2, 3]:
    if x == 9: break
else:
    print("none found")
x
#: nested loops with continue
out = []
for i in range(3):
    for j in range(3):
        if j == i: continue
        out.append((i, j))
out
#: closures in a loop
fs = [lambda: i for i in range(3)]
gs = [lambda i=i: i for i in range(3)]
[[f() for f in fs], [g() for g in gs]]
#: nonlocal counter
def counter():
    n = 0
    def inc(by=1):
        nonlocal n
        n += by
        return n
    return inc
c = counter()
c()
c(5)
#: global
total = 0
def add(x):
    global total
    total += x
for i in range(4): add(i)
total
#: function that reads a later global
def f(): return LATER
LATER = 5
f()
#: mutual recursion
def even(n): return True if n == 0 else odd(n - 1)
def odd(n): return False if n == 0 else even(n - 1)
[even(4), odd(4)]
#: recursion over a tree
tree = {"v": 1, "kids": [{"v": 2, "kids": []}, {"v": 3, "kids": [{"v": 4, "kids": []}]}]}
def total(t): return t["v"] + sum(total(k) for k in t["kids"])
def depth(t): return 1 + max((depth(k) for k in t["kids"]), default=0)
[total(tree), depth(tree)]
#: keyword only and positional only
def f(a, /, b=2, *args, c, **kw):
    return (a, b, args, c, kw)
[f(1, c=3), f(1, 5, 6, 7, c=8, d=9)]
#: star arguments of a call
def f(*a, **k): return [a, k]
f(*[1, 2], *(3,), **{"x": 1}, y=2)
#: lambda table
ops = {"+": lambda a, b: a + b, "-": lambda a, b: a - b}
[ops[o](5, 3) for o in "+-"]
#: main guard
def main():
    print("running")
    return 3
if __name__ == "__main__":
    main()
#: main guard with a result
result = None
if __name__ == "__main__":
    result = "ok"
result
#: type hints
from typing import Optional, List, Dict, Any
def f(x: Optional[int] = None, y: List[str] = []) -> Dict[str, Any]:
    return {"x": x, "n": len(y)}
f(1, ["a"])
#: typed variables
x: int = 5
y: "list[int]" = [x]
y
#: future import
from __future__ import annotations
def f(x: Undefined) -> None: return 1
f(2)
#: async functions
import asyncio
async def work(n):
    await asyncio.sleep(0)
    return n * 2
await asyncio.gather(work(1), work(2))
#: asyncio.run
import asyncio
async def main():
    a = await asyncio.sleep(0, "x")
    return [a, await inner()]
async def inner():
    return 7
asyncio.run(main())
#: async for and with
class Agen:
    async def __aenter__(self): return "in"
    async def __aexit__(self, *a): return False
async def numbers():
    for i in range(3):
        yield i
async with Agen() as v:
    r = [x async for x in numbers()]
[v, r]
#: async errors
import asyncio
async def bad(): raise ValueError("async bad")
r = await asyncio.gather(bad(), asyncio.sleep(0, 1), return_exceptions=True)
[str(r[0]), r[1]]
#: tasks and timeouts
import asyncio
async def slow():
    await asyncio.sleep(5)
try:
    await asyncio.wait_for(slow(), 0.01)
except asyncio.TimeoutError:
    r = "timed out"
r
#: is and equality
a = [1]
b = [1]
[a == b, a is b, a is a, None is None, 1 == 1.0, "a" == "a", (1,) == (1,), [1] == (1,)]
#: truthiness
[bool(x) for x in (0, 1, "", "a", [], [0], {}, None, 0.0, "0", ())]
#: and or values
[0 or "x", "" and 1, None or [] or "z", 1 and 2, not None]
#: swap and chained assignment
a = b = 1
a, b = b + 1, a
x = y = []
x.append(1)
[a, b, y]
#: comprehension scope
x = "outer"
r = [x for x in range(3)]
[x, r]
#: nested functions and scope
x = 1
def outer():
    x = 2
    def inner():
        return x
    return inner()
[outer(), x]
#: exec and eval
ns = {}
exec("y = 1 + 1", ns)
[ns["y"], eval("2 * 3")]
#: isinstance and type
[isinstance(1, (int, str)), type("a").__name__, isinstance([], list), type(1) is int, isinstance(True, int), type(None).__name__, callable(len)]
#: getattr and hasattr
[hasattr("a", "upper"), getattr("abc", "upper")(), getattr([], "nope", "dflt"), hasattr(1, "foo")]
#: methods as values
append = [].append
words = ["B", "a"]
[sorted(words, key=str.lower), list(map(str.upper, words)), max({"a": 1, "b": 3}, key={"a": 1, "b": 3}.get)]
#: del of a name and an item
x = {"a": 1, "b": 2}
del x["a"]
y = 1
del y
x
#: dates
from datetime import datetime, date, timedelta, timezone
d = datetime.strptime("2024-01-31 10:30", "%Y-%m-%d %H:%M")
print(d, d.isoformat(), d + timedelta(days=30, hours=2), (date(2024, 3, 1) - date(2024, 2, 1)).days)
print(d.strftime("%A %d %B %Y, %I:%M %p"), d.weekday(), f"{d:%Y/%m}", d.replace(tzinfo=timezone.utc).isoformat())
d
#: dates in order
from datetime import date, timedelta
ds = [date(2024, 1, 1) + timedelta(weeks=i) for i in range(3)]
[max(ds), sorted(ds, reverse=True)[0].isoformat(), ds[0] < ds[1], str(ds[2] - ds[0])]
#: from iso and timestamps
from datetime import datetime, timezone
[datetime.fromisoformat("2024-01-15T10:30:00+02:00").isoformat(), datetime.fromtimestamp(0, tz=timezone.utc).year, datetime(2024, 1, 1, tzinfo=timezone.utc).timestamp()]
#: calendar
import calendar
[calendar.monthrange(2024, 2), calendar.isleap(2023), calendar.day_name[0]]
#: paths
from pathlib import PurePosixPath as P
p = P("/a/b/c.tar.gz")
[p.name, p.stem, p.suffix, str(p.parent), str(p / "x"), p.parts[1]]
#: regular output formats
__format__ = "json_h"
{"a": [1, {"b": None}]}
#: raw format
__format__ = "raw"
{"a": (1, "x"), "b": None, "c": 1.0}
#: comments only
# nothing to do
#: docstring
"""just text"""
#: semicolons
a = 1; b = 2; a + b
#: long line continuation
total = 1 + \
    2 + \
    3
total
#: a class body with a loop over names
class Conf:
    values = [i * 2 for i in range(3)]
Conf.values
#: string building in a while loop
s = ""
while len(s) < 5:
    s += str(len(s))
s
#: sort a dict by value
d = {"a": 3, "b": 1, "c": 2}
dict(sorted(d.items(), key=lambda kv: kv[1], reverse=True))
#: state machine
state, log = "start", []
for ch in "ab!c":
    if state == "start" and ch == "a": state = "got_a"
    elif ch == "!": state = "bang"
    log.append(state)
log
#: memo by hand
memo = {}
def fib(n):
    if n in memo: return memo[n]
    memo[n] = n if n < 2 else fib(n - 1) + fib(n - 2)
    return memo[n]
fib(30)
#: permutations by recursion
def perms(xs):
    if len(xs) <= 1: return [xs]
    return [[x] + p for i, x in enumerate(xs) for p in perms(xs[:i] + xs[i + 1:])]
perms([1, 2, 3])
#: binary search
def find(xs, t):
    lo, hi = 0, len(xs) - 1
    while lo <= hi:
        mid = (lo + hi) // 2
        if xs[mid] == t: return mid
        if xs[mid] < t: lo = mid + 1
        else: hi = mid - 1
    return -1
[find([1, 3, 5, 7], 5), find([1, 3], 4)]
