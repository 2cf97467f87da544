#: totals by customer
orders = [
    {"customer": "ada", "total": 120.5, "paid": True},
    {"customer": "bob", "total": 80, "paid": False},
    {"customer": "ada", "total": 19.99, "paid": True},
]
totals = {}
for o in orders:
    totals[o["customer"]] = totals.get(o["customer"], 0) + o["total"]
{k: round(v, 2) for k, v in sorted(totals.items())}
#: paid and unpaid
orders = [("a", 10, True), ("b", 20, False), ("c", 30, True)]
paid = [name for name, _, ok in orders if ok]
unpaid = [name for name, _, ok in orders if not ok]
{"paid": paid, "unpaid": unpaid, "share": f"{len(paid) / len(orders):.1%}"}
#: group by department
people = [("Ann", "ops", 52), ("Ben", "dev", 61), ("Cid", "ops", 48), ("Dee", "dev", 75)]
groups = {}
for name, dept, pay in people:
    groups.setdefault(dept, []).append((pay, name))
for dept in sorted(groups):
    top = max(groups[dept])
    print(f"{dept:<5} n={len(groups[dept])} top={top[1]} avg={sum(p for p, _ in groups[dept]) / len(groups[dept]):.1f}")
#: left join
users = [{"id": 1, "name": "Ann"}, {"id": 2, "name": "Ben"}, {"id": 3, "name": "Cid"}]
mails = {1: "ann@x.org", 3: "cid@x.org"}
[{**u, "mail": mails.get(u["id"])} for u in users]
#: inner join by index
left = [("a", 1), ("b", 2), ("c", 3)]
right = [("b", "x"), ("c", "y"), ("d", "z")]
index = dict(right)
[(k, v, index[k]) for k, v in left if k in index]
#: pivot
sales = [("n", "q1", 5), ("s", "q1", 7), ("n", "q2", 3), ("s", "q2", 1), ("n", "q1", 2)]
table = {}
for region, quarter, amount in sales:
    row = table.setdefault(region, {})
    row[quarter] = row.get(quarter, 0) + amount
for region, row in sorted(table.items()):
    print(region, *[row[q] for q in sorted(row)])
table
#: parse a csv by hand
text = """name,qty,price
bolt,10,0.25
nut,200,0.05
washer,50,0.1"""
header, *lines = text.splitlines()
keys = header.split(",")
rows = [dict(zip(keys, line.split(","))) for line in lines]
cost = sum(int(r["qty"]) * float(r["price"]) for r in rows)
[len(rows), rows[0], round(cost, 2)]
#: csv by the module
import csv, io
reader = csv.DictReader(io.StringIO('a,b\n1,"x, y"\n2,z\n'))
[dict(r) for r in reader]
#: flatten a nested config
config = {"db": {"host": "h", "port": 5432, "pool": {"min": 1, "max": 5}}, "debug": False}
def flatten(d, prefix=""):
    out = {}
    for key, value in d.items():
        path = f"{prefix}.{key}" if prefix else key
        if isinstance(value, dict):
            out.update(flatten(value, path))
        else:
            out[path] = value
    return out
flatten(config)
#: set a path in a config
config = {"a": {"b": {"c": 1}}}
def put(d, path, value):
    *parents, last = path.split(".")
    for key in parents:
        d = d.setdefault(key, {})
    d[last] = value
put(config, "a.b.d", 2)
put(config, "x.y", [1])
config
#: deep merge
def merge(a, b):
    out = dict(a)
    for k, v in b.items():
        out[k] = merge(out[k], v) if isinstance(v, dict) and isinstance(out.get(k), dict) else v
    return out
merge({"a": {"x": 1, "y": 2}, "b": 3}, {"a": {"y": 5}, "c": 4})
#: difference of two dicts
old = {"a": 1, "b": 2, "c": 3}
new = {"b": 2, "c": 4, "d": 5}
added = {k: new[k] for k in new if k not in old}
removed = {k: old[k] for k in old if k not in new}
changed = {k: (old[k], new[k]) for k in old if k in new and old[k] != new[k]}
{"added": added, "removed": removed, "changed": changed}
#: dedupe by key
items = [{"id": 3, "v": "a"}, {"id": 1, "v": "b"}, {"id": 3, "v": "c"}]
seen = set()
unique = []
for item in items:
    if item["id"] not in seen:
        seen.add(item["id"])
        unique.append(item)
unique
#: top three by two keys
scores = [("x", 10, 3), ("y", 12, 1), ("z", 10, 5), ("w", 7, 9)]
[name for name, _, _ in sorted(scores, key=lambda s: (-s[1], s[2]))[:3]]
#: chunks
def chunks(seq, size):
    return [seq[i:i + size] for i in range(0, len(seq), size)]
chunks(list(range(10)), 4)
#: running total and moving average
values = [3, 5, 2, 8, 6]
running = []
total = 0
for v in values:
    total += v
    running.append(total)
window = [round(sum(values[i:i + 3]) / 3, 3) for i in range(len(values) - 2)]
{"running": running, "window": window}
#: mean, median, deviation
data = [4, 8, 15, 16, 23, 42]
n = len(data)
mean = sum(data) / n
middle = sorted(data)
median = (middle[n // 2 - 1] + middle[n // 2]) / 2 if n % 2 == 0 else middle[n // 2]
variance = sum((x - mean) ** 2 for x in data) / n
[mean, median, round(variance, 4), round(variance ** 0.5, 4)]
#: percentiles
times = sorted([12.5, 7.1, 30.2, 9.9, 15.0, 11.2, 100.4, 8.8])
def percentile(p):
    at = (len(times) - 1) * p
    low = int(at)
    high = min(low + 1, len(times) - 1)
    return times[low] + (times[high] - times[low]) * (at - low)
{f"p{int(p * 100)}": round(percentile(p), 2) for p in (0.5, 0.9, 0.99)}
#: histogram
ages = [23, 31, 35, 42, 47, 29, 33, 61]
bins = {}
for a in ages:
    low = a // 10 * 10
    bins[f"{low}-{low + 9}"] = bins.get(f"{low}-{low + 9}", 0) + 1
for label, count in sorted(bins.items()):
    print(f"{label} {'#' * count} {count}")
#: transpose and column sums
matrix = [[1, 2, 3], [4, 5, 6]]
columns = list(zip(*matrix))
[columns, [sum(c) for c in columns], [list(c) for c in columns]]
#: topological order
needs = {"app": ["lib", "log"], "lib": ["base"], "log": ["base"], "base": []}
order, done = [], set()
def visit(name):
    if name in done:
        return
    done.add(name)
    for other in needs[name]:
        visit(other)
    order.append(name)
for name in needs:
    visit(name)
order
#: breadth first search
graph = {"a": ["b", "c"], "b": ["d"], "c": ["d", "e"], "d": ["f"], "e": ["f"], "f": []}
queue = [["a"]]
found = None
visited = {"a"}
while queue:
    path = queue.pop(0)
    if path[-1] == "f":
        found = path
        break
    for nxt in graph[path[-1]]:
        if nxt not in visited:
            visited.add(nxt)
            queue.append(path + [nxt])
" -> ".join(found)
#: pages until the last
pages = {1: {"items": [1, 2], "next": 2}, 2: {"items": [3], "next": 3}, 3: {"items": [4, 5], "next": None}}
page, items = 1, []
while page:
    answer = pages[page]
    items += answer["items"]
    page = answer["next"]
items
#: retry with backoff
attempts = []
def flaky(n):
    attempts.append(n)
    if n < 3:
        raise RuntimeError(f"try {n}")
    return "done"
result = None
for n in range(1, 6):
    try:
        result = flaky(n)
        break
    except RuntimeError:
        wait = 2 ** n / 10
[result, attempts, wait]
#: validation with messages
rows = [{"age": "31"}, {"age": "x"}, {}, {"age": "-4"}]
errors = []
for i, row in enumerate(rows, start=1):
    try:
        age = int(row["age"])
    except KeyError:
        errors.append(f"row {i}: age is missing")
        continue
    except ValueError:
        errors.append(f"row {i}: {row['age']!r} is no number")
        continue
    if age < 0:
        errors.append(f"row {i}: {age} is negative")
errors
#: json in and out
import json
text = '{"users": [{"name": "Ann", "tags": ["x", "y"], "score": 9.5}, {"name": "Bé", "tags": [], "score": null}]}'
data = json.loads(text)
for u in data["users"]:
    u["n"] = len(u["tags"])
print(json.dumps(data, indent=2, sort_keys=True))
print(json.dumps(data["users"][1], ensure_ascii=False))
json.dumps([1.0, 2.5, 10**20, True, None, "a\"b\\"])
#: json lines with a broken one
import json
lines = ['{"id": 1, "ok": true}', '{broken', '', '{"id": 2, "ok": false}']
good, bad = [], 0
for line in lines:
    if not line:
        continue
    try:
        good.append(json.loads(line))
    except json.JSONDecodeError:
        bad += 1
[good, bad]
#: large identifiers
ids = [9007199254740993, 1234567890123456789, 2**70]
[sorted(ids, reverse=True), max(ids) - min(ids), ids[0] % 10, ids[1] // 1000, str(ids[2])[-4:]]
#: money in cents
prices = ["19.99", "5.01", "0.1"]
cents = [round(float(p) * 100) for p in prices]
total = sum(cents)
f"{total // 100}.{total % 100:02d}"
#: budget split
total, parts = 1000, 3
share, rest = divmod(total, parts)
shares = [share + (1 if i < rest else 0) for i in range(parts)]
[shares, sum(shares) == total, divmod(-7, 2), divmod(7.5, 2)]
#: compound interest
balance = 1000.0
for year in range(1, 6):
    balance *= 1.035
    print(f"{year}: {balance:,.2f}")
round(balance, 2)
#: unit table
sizes = [512, 2048, 1536000, 10**9]
def human(n):
    for unit in ["B", "KB", "MB", "GB"]:
        if n < 1024:
            return f"{n:.1f} {unit}"
        n /= 1024
    return f"{n:.1f} TB"
[human(s) for s in sizes]
#: cartesian choices
[(a, b) for a in "xy" for b in range(3) if (a, b) != ("x", 1)]
#: zip into rows
names, ages, cities = ["a", "b"], [1, 2], ["X", "Y"]
rows = [dict(name=n, age=g, city=c) for n, g, c in zip(names, ages, cities)]
[rows, [list(r.values()) for r in rows]]
#: counters and most common
from collections import Counter
words = "to be or not to be that is the question to".split()
c = Counter(words)
[c.most_common(2), c["be"], sum(c.values()), c["none"]]
#: nested default dict
from collections import defaultdict
tree = defaultdict(lambda: defaultdict(int))
for a, b in [("x", "p"), ("x", "q"), ("y", "p"), ("x", "p")]:
    tree[a][b] += 1
{k: dict(v) for k, v in tree.items()}
#: group with itertools
from itertools import groupby
rows = [("a", 1), ("b", 2), ("a", 3)]
rows.sort()
{k: [v for _, v in g] for k, g in groupby(rows, key=lambda r: r[0])}
#: set algebra of tags
a, b = {"x", "y", "z"}, {"y", "w"}
[sorted(a & b), sorted(a | b), sorted(a - b), sorted(a ^ b), a.isdisjoint({"q"})]
#: bool keys and float keys
flags = [3, 8, 1, 9]
by = {}
for f in flags:
    by.setdefault(f > 5, []).append(f)
print(by)
prices = {1.5: "a", 2.0: "b", 1e16: "c"}
print(prices, prices[2], 2 in prices)
by
#: equal keys of several types
d = {1: "int"}
d[1.0] = "float"
d[True] = "bool"
[d, len({1, 1.0, True}), {0: "a", False: "b"}]
#: recursion over a tree
tree = {"v": 1, "kids": [{"v": 2, "kids": []}, {"v": 3, "kids": [{"v": 4, "kids": []}]}]}
def depth(node):
    return 1 + max([depth(k) for k in node["kids"]], default=0)
def total(node):
    return node["v"] + sum(total(k) for k in node["kids"])
def paths(node, above=()):
    here = above + (node["v"],)
    return [here] + [p for k in node["kids"] for p in paths(k, here)]
[depth(tree), total(tree), paths(tree)]
#: memo by a dict
memo = {}
def ways(n, k):
    if n == 0:
        return 1
    if n < 0 or k == 0:
        return 0
    if (n, k) not in memo:
        memo[(n, k)] = ways(n - k, k) + ways(n, k - 1)
    return memo[(n, k)]
ways(40, 40)
#: binary search
def find(items, x):
    low, high = 0, len(items) - 1
    while low <= high:
        mid = (low + high) // 2
        if items[mid] == x:
            return mid
        if items[mid] < x:
            low = mid + 1
        else:
            high = mid - 1
    return -1
[find([1, 3, 5, 7, 9], x) for x in (7, 1, 4)]
#: matrix product
a, b = [[1, 2], [3, 4]], [[0.5, 1], [1.5, -1]]
[[sum(x * y for x, y in zip(row, col)) for col in zip(*b)] for row in a]
