#: counter
from collections import Counter
c = Counter("mississippi")
print(c.most_common(2))
dict(c)
#: counter arithmetic
from collections import Counter
a, b = Counter(a=3, b=1), Counter(a=1, b=2)
[a + b == Counter(a=4, b=3), dict(a - b), dict(a & b), sum(a.values())]
#: counter as value
from collections import Counter
Counter(["x", "y", "x"])
#: defaultdict of lists
from collections import defaultdict
g = defaultdict(list)
for k, v in [("a", 1), ("b", 2), ("a", 3)]:
    g[k].append(v)
print(g)
g
#: deque
from collections import deque
d = deque([1, 2, 3], maxlen=3)
d.append(4)
d.rotate(1)
print(d)
d
#: ordered dict
from collections import OrderedDict
o = OrderedDict(b=1, a=2)
o.move_to_end("b")
print(o)
o
#: chain map
from collections import ChainMap
m = ChainMap({"a": 1}, {"a": 2, "b": 3})
[m["a"], m["b"], dict(m), len(m)]
#: itertools
from itertools import chain, count, cycle, islice, groupby, accumulate, product, permutations, combinations, zip_longest, takewhile, dropwhile, starmap, repeat
print(list(chain([1], "ab")), list(islice(count(5, 2), 3)), list(islice(cycle("ab"), 3)), list(repeat(0, 2)))
print([(k, list(v)) for k, v in groupby("aabbb")], list(accumulate([1, 2, 3])), list(product("ab", [1, 2])))
print(list(permutations([1, 2])), list(combinations("abc", 2)), list(zip_longest([1, 2], "a", fillvalue="-")))
print(list(takewhile(lambda x: x < 3, [1, 2, 5, 1])), list(dropwhile(lambda x: x < 3, [1, 2, 5, 1])), list(starmap(pow, [(2, 3)])))
#: batched pages
from itertools import islice
def batches(it, n):
    it = iter(it)
    while chunk := list(islice(it, n)):
        yield chunk
list(batches(range(5), 2))
#: functools
from functools import reduce, partial, cmp_to_key
add = lambda a, b: a + b
[reduce(add, [1, 2, 3], 10), partial(add, 5)(6), sorted([3, 1, 2], key=cmp_to_key(lambda a, b: b - a))]
#: operator
from operator import itemgetter, attrgetter, mul
rows = [{"n": "b", "v": 2}, {"n": "a", "v": 2}, {"n": "c", "v": 1}]
[sorted(rows, key=itemgetter("v", "n")), list(map(mul, [1, 2], [3, 4]))]
#: sort by several keys
people = [("bob", 30), ("al", 25), ("cy", 30)]
sorted(people, key=lambda p: (-p[1], p[0]))
#: sort is stable
words = ["bb", "a", "cc", "d"]
print(sorted(words, key=len), sorted(words, key=len, reverse=True))
#: sort in place with none last
rows = [{"v": 3}, {"v": None}, {"v": 1}]
rows.sort(key=lambda r: (r["v"] is None, r["v"] or 0))
rows
#: max by key with default
rows = [{"n": "a", "s": 3}, {"n": "b", "s": 9}]
[max(rows, key=lambda r: r["s"])["n"], max([], default="none"), min((r["s"] for r in rows))]
#: dict merge
a, b = {"x": 1, "y": 2}, {"y": 3, "z": 4}
[{**a, **b}, a | b, dict(a, w=0)]
#: dict methods
d = {"a": 1}
d.setdefault("b", []).append(2)
d.update(c=3)
print(d.pop("a"), d.pop("zz", None), list(d.items()), "b" in d, len(d))
#: invert and group
src = {"a": 1, "b": 2, "c": 1}
out = {}
for k, v in src.items():
    out.setdefault(v, []).append(k)
out
#: nested get
cfg = {"a": {"b": [{"c": 5}]}}
[cfg.get("a", {}).get("b", [{}])[0].get("c"), cfg.get("x", {}).get("y", "none")]
#: sets
a, b = {1, 2, 3}, {3, 4}
[sorted(a | b), sorted(a & b), sorted(a - b), sorted(a ^ b), a <= {1, 2, 3, 4}, a.isdisjoint({9})]
#: set value
{3, 1, 2}
#: print a set
print({3, 1, 2})
#: unique in order
list(dict.fromkeys(["b", "a", "b"]))
#: list from a set of numbers
list({5, 1, 3})
#: slices
x = list(range(10))
[x[2:5], x[::-1], x[-3:], x[:-7:-2], x[8:100], x[5:2]]
#: slice assignment
x = [1, 2, 3, 4]
x[1:3] = ["a"]
del x[0]
x
#: star unpacking
first, *mid, last = [1, 2, 3, 4]
(a, b), c = (1, 2), 3
[first, mid, last, [*mid, *"xy"], {**{"k": 1}}, a + b + c]
#: copies and aliases
import copy
a = [[1], 2]
b, c, d = a, a[:], copy.deepcopy(a)
a[0].append(9)
a += [3]
[b, c, d]
#: augmented assignment keeps the list
def grow(l):
    l += [9]
    return l
x = [1]
y = grow(x)
[x, y, x is y]
#: default argument is shared
def f(x, acc=[]):
    acc.append(x)
    return acc
f(1)
f(2)
#: tuple in dict keys
d = {(1, 2): "a"}
d
#: heapq and bisect
import heapq, bisect
h = [5, 1, 4]
heapq.heapify(h)
heapq.heappush(h, 0)
x = [1, 3, 5]
bisect.insort(x, 4)
[heapq.heappop(h), heapq.nsmallest(2, h), heapq.nlargest(1, h), x, bisect.bisect_left(x, 3)]
#: matrix
m = [[1, 2], [3, 4]]
[[list(r) for r in zip(*m)], [sum(r) for r in m], [c for r in m for c in r]]
#: zip is used up
z = zip([1, 2], "ab")
[list(z), list(z)]
#: generator
def squares(n):
    for i in range(n):
        yield i * i
g = squares(4)
[next(g), list(g), next(g, "end")]
#: generator send
def acc():
    t = 0
    while True:
        x = yield t
        t += x
g = acc()
next(g)
[g.send(2), g.send(3)]
#: yield from
def flat(x):
    for i in x:
        if isinstance(i, list): yield from flat(i)
        else: yield i
list(flat([1, [2, [3, []]], 4]))
#: generator expression as a value
g = (x * x for x in range(3))
next(g) + sum(g)
#: enumerate zip map filter
[list(enumerate("ab", 1)), list(zip("ab", [1, 2])), list(map(str, [1, None])), list(filter(None, [0, 1, "", "a"]))]
#: any and all
[any([]), all([]), any(x > 2 for x in [1, 3]), all(x for x in [1, 0])]
#: reversed and sorted texts
[list(reversed([1, 2, 3])), "".join(reversed("abc")), sorted("banana"), sorted({"b": 1, "a": 2})]
#: range
[list(range(5, 0, -2)), 3 in range(5), len(range(0, 10, 3)), range(10)[-1], range(3)]
#: json dumps
import json
d = {"b": [1, 2.5, None, True], "a": "é\n"}
print(json.dumps(d))
print(json.dumps(d, indent=2, sort_keys=True, ensure_ascii=False))
json.loads(json.dumps(d)) == d
#: json of dates
import json
from datetime import date
json.dumps({"d": date(2024, 1, 2)}, default=str)
#: bytes
b = "héllo".encode("utf-8")
[b, b.decode(), b[1:3].hex(), list(b"ab"), b"x" + b"y", bytes([65, 66]).decode()]
#: values of many types
import datetime, decimal, uuid, pathlib
[datetime.date(2024, 1, 2), datetime.timedelta(minutes=1), decimal.Decimal("1.10"), uuid.UUID(int=1), pathlib.PurePosixPath("/a/b"), 1 + 2j, range(2), None]
#: statistics
import statistics as st
[st.mean([1, 2, 3, 4]), st.median([1, 3, 2]), round(st.stdev([1, 2, 3, 4]), 4), st.mode("aab")]
#: pivot
rows = [("n", "q1", 10), ("n", "q2", 20), ("s", "q1", 5)]
table = {}
for region, quarter, v in rows:
    table.setdefault(region, {})[quarter] = v
for region in sorted(table):
    print(f"{region:<4}" + "".join(f"{table[region].get(q, 0):>6}" for q in ("q1", "q2")))
