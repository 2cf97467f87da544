#: early return
for t in onto.task.list(project_id="<Borealis>")["items"]:
    if t["state_key"] == "blocked":
        return {"blocked": t["title"]}
return None
#: early return from a branch
p = onto.project.get("<Cassini>")
if not p["counts"]["tasks"]:
    return "no tasks"
print("unreachable")
#: exit stops
import sys
if onto.project.get("<Cassini>")["counts"]["tasks"] == 0:
    print("nothing to do")
    sys.exit()
print("unreachable")
#: exit with a text
import sys
n = onto.project.get("<Atlas>")["counts"]["tasks"]
if n > 10:
    sys.exit(f"too many: {n}")
#: for else
for t in onto.task.list(project_id="<Borealis>")["items"]:
    if t["priority"] > 4:
        r = t["title"]
        break
else:
    r = "none that low"
r
#: while with break and continue
offset, seen, calls = 0, [], 0
while calls < 10:
    calls += 1
    page = onto.task.list(project_id="<Atlas>", limit=4, offset=offset)
    offset += 4
    if not page["items"]:
        break
    if page["items"][0]["priority"] == 1:
        continue
    seen.append(page["items"][0]["title"])
[calls, seen]
#: match on state
def mark(t):
    match t:
        case {"state_key": "done"}:
            return "x"
        case {"state_key": "blocked", "priority": p} if p == 1:
            return "!!"
        case {"state_key": "blocked" | "in_progress" as s}:
            return s[0]
        case _:
            return "."
"".join(mark(t) for t in sorted(onto.task.list(project_id="<Atlas>")["items"], key=lambda t: t["title"]))
#: match on shapes
def shape(x):
    match x:
        case []: return "empty"
        case [one]: return f"one {one['title']}"
        case [first, *rest]: return f"{len(rest) + 1} from {first['title']}"
[shape(onto.task.list(project_id="<Borealis>", state_key=s)["items"]) for s in ("done", "blocked", "todo")] + [shape([])]
#: recursion over links
seen = []
def follow(id, depth=0):
    r = onto.entity.relationships.get(entity_id=id, direction="outgoing")
    for e in r["outgoing"]:
        if e["id"] not in seen and depth < 4:
            seen.append(e["id"])
            print("  " * depth + f"{e['rel']} {e['label']}")
            follow(e["id"], depth + 1)
follow("<Plan the beta>")
#: breadth first over documents
from collections import deque
tree = onto.document.tree.get("<Atlas>", include_documents=True)
queue, order = deque((n, 0) for n in tree["structure"]["root"]), []
while queue:
    node, level = queue.popleft()
    order.append((level, tree["documents"][node["id"]]["title"]))
    queue.extend((c, level + 1) for c in node["children"])
[order[0], sorted(order[1:])]
#: a helper with defaults
def titles(project, state=None, limit=50, *, upper=False):
    args = {"project_id": project, "limit": limit}
    if state:
        args["state_key"] = state
    found = sorted(t["title"] for t in onto.task.list(**args)["items"])
    return [t.upper() for t in found] if upper else found
[titles("<Borealis>", "done"), titles("<Borealis>", state="blocked", upper=True), len(titles("<Atlas>"))]
#: a closure counter
def counter():
    n = 0
    def call(id):
        nonlocal n
        n += 1
        return n, onto.project.get(id)["project"]["name"]
    return call
c = counter()
[c("<Atlas>"), c("<Borealis>"), c("<Atlas>")]
#: closures in a loop
readers = [lambda i=i: onto.project.get(i)["project"]["name"] for i in ("<Atlas>", "<Cassini>")]
[r() for r in readers]
#: global state
total = 0
def add(project):
    global total
    total += onto.project.get(project)["counts"]["tasks"]
for p in ("<Atlas>", "<Borealis>"):
    add(p)
total
#: dispatch table
actions = {
    "tasks": lambda p: len(onto.task.list(project_id=p, limit=50)["items"]),
    "goals": lambda p: len(onto.goal.list(project_id=p)["items"]),
    "risks": lambda p: len(onto.risk.list(project_id=p)["items"]),
}
{k: f("<Atlas>") for k, f in actions.items()}
#: ops in a list
ops = [onto.goal.list, onto.plan.list, onto.milestone.list]
[len(op(project_id="<Atlas>")["items"]) for op in ops]
#: an op by getattr
kinds = ["goal", "risk", "plan"]
{k: len(getattr(onto, k).list(project_id="<Atlas>")["items"]) for k in kinds}
#: a pipeline of functions
def read(p): return onto.task.list(project_id=p, limit=50)["items"]
def only(state): return lambda rows: [r for r in rows if r["state_key"] == state]
def names(rows): return sorted(r["title"] for r in rows)
def pipe(x, *steps):
    for s in steps:
        x = s(x)
    return x
pipe("<Atlas>", read, only("blocked"), names, ", ".join)
#: generators that are chained
def rows(): yield from onto.task.list(project_id="<Atlas>")["items"]
def open_only(it): return (t for t in it if t["state_key"] == "todo")
def first(it, n):
    for _, x in zip(range(n), it):
        yield x["title"]
list(first(open_only(rows()), 3))
#: a generator that is sent values
def running():
    total = 0
    while True:
        x = yield total
        if x is None:
            return
        total += x
g = running()
next(g)
[g.send(t["props"]["hours"]) for t in sorted(onto.project.graph.get("<Borealis>")["tasks"], key=lambda t: t["title"])]
#: names bound later
def report():
    return f"{prefix}{count(project)}"
def count(p):
    return onto.project.get(p)["counts"]["tasks"]
prefix, project = "tasks: ", "<Atlas>"
report()
#: a helper used before its end
def even(n): return True if n == 0 else odd(n - 1)
def odd(n): return False if n == 0 else even(n - 1)
even(onto.project.get("<Atlas>")["counts"]["tasks"])
#: a name that is missing
tasks = onto.task.list(project_id="<Borealis>")["items"]
print(len(tasks))
len(task)
#: a helper named round
def round(x, digits=0):
    return f"~{x}"
round(onto.task.get("<Review the contract>")["task"]["props"]["hours"])
#: a helper named filter
def filter(rows, **want):
    return [r for r in rows if all(r[k] == v for k, v in want.items())]
sorted(t["title"] for t in filter(onto.task.list(project_id="<Atlas>")["items"], state_key="todo", priority=1))
#: helpers named sum and max
def sum(rows): return len(rows) * 1000
max = lambda rows: "most"
rows = onto.task.list(project_id="<Borealis>")["items"]
[sum(rows), max(rows), min(3, 2)]
#: a helper named list and one named print
def list(p): return [t["title"] for t in onto.task.list(project_id=p)["items"]][:1]
lines = []
def print(*a): lines.append(a)
print("x", list("<Cassini>"))
print(len(list("<Atlas>")))
lines
#: variables named id, type, input, str
id = "<Rehearse>"
type = onto.task.get(id)["task"]["type_key"]
input = {"str": 5}
str = "text"
[type, input["str"], str]
#: a comprehension does not leak
x = "outer"
found = [x for x in (t["priority"] for t in onto.task.list(project_id="<Borealis>")["items"])]
[x, len(found)]
#: a loop variable stays
for t in onto.risk.list(project_id="<Borealis>")["items"]:
    pass
t["title"]
#: del and again
rows = onto.goal.list(project_id="<Atlas>")["items"]
n = len(rows)
del rows
try:
    rows
    r = "there"
except NameError as e:
    r = str(e)
[n, r]
#: conditional imports
try:
    import numpy as np
    r = "numpy"
except ImportError:
    import statistics as np
    r = "statistics"
[r, np.mean([t["props"]["hours"] for t in onto.project.graph.get("<Borealis>")["tasks"]]) > 5]
#: main guard
def main():
    return onto.project.get("<Atlas>")["project"]["name"]
if __name__ == "__main__":
    print(main())
#: an assertion that holds, and one that fails
items = onto.task.list(project_id="<Atlas>")["items"]
assert len(items) == 18
assert all(t["due_at"] for t in items), "some have no date"
#: chained comparison and conditionals
n = onto.project.get("<Atlas>")["counts"]["tasks"]
[10 < n <= 18, "many" if n > 10 else "few", n > 5 and "and", n < 5 or "or", not n, n == 18 != 17]
#: semicolons and one line
a = onto.project.get("<Atlas>"); b = a["counts"]; [b["tasks"], b["goals"]]
#: iter with a sentinel
pages = iter(lambda s=[0]: (s.__setitem__(0, s[0] + 6), onto.task.list(project_id="<Atlas>", limit=6, offset=s[0] - 6)["items"])[1], [])
[len(p) for p in pages]
#: limits on a loop with a budget
budget, taken = 20.0, []
for t in sorted(onto.project.graph.get("<Atlas>")["tasks"], key=lambda t: (t["priority"], t["title"])):
    if t["state_key"] in ("done", "blocked"):
        continue
    if t["props"]["hours"] > budget:
        continue
    budget -= t["props"]["hours"]
    taken.append(t["title"])
[taken, budget]
#: topological order
deps = {"ship": ["test"], "test": ["build"], "build": [], "plan": []}
for t in onto.task.list(project_id="<Atlas>", state_key="blocked")["items"]:
    deps[t["title"]] = ["ship"]
from graphlib import TopologicalSorter
order = list(TopologicalSorter(deps).static_order())
[order.index("build") < order.index("test") < order.index("ship"), order[-1] in deps, len(order)]
