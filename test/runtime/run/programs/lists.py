#: titles of open tasks
tasks = onto.task.list(project_id="<Atlas>", limit=50)["items"]
[t["title"] for t in tasks if t["state_key"] != "done"]
#: count by state
by = {}
for task in onto.task.list(project_id="<Atlas>", limit=50)["items"]:
    by[task["state_key"]] = by.get(task["state_key"], 0) + 1
by
#: group titles by priority
from collections import defaultdict
groups = defaultdict(list)
for t in onto.task.list(project_id="<Atlas>", limit=50)["items"]:
    groups[t["priority"]].append(t["title"])
{k: sorted(v) for k, v in sorted(groups.items())}
#: urgent first, by due date
items = onto.task.list(project_id="<Atlas>", state_key="todo", limit=50)["items"]
items.sort(key=lambda t: (t["priority"], t["due_at"] or "9999", t["title"]))
[(t["priority"], (t["due_at"] or "-")[:10], t["title"]) for t in items]
#: sort in both directions
items = onto.task.list(project_id="<Borealis>")["items"]
items = sorted(items, key=lambda t: t["title"])
items = sorted(items, key=lambda t: t["priority"], reverse=True)
[f'{t["priority"]} {t["title"]}' for t in items]
#: top three by a key
import heapq
items = onto.task.list(project_id="<Atlas>", limit=50)["items"]
[t["title"] for t in heapq.nsmallest(3, items, key=lambda t: (t["due_at"] or "z", t["title"]))]
#: all pages
rows, offset = [], 0
while True:
    page = onto.task.list(project_id="<Atlas>", limit=5, offset=offset)
    rows.extend(page["items"])
    if not page["pagination"]["has_more"]:
        break
    offset = page["pagination"]["next_offset"]
[len(rows), len({r["id"] for r in rows}), rows[-1]["title"]]
#: pages by a generator
def pages(size):
    offset = 0
    while offset is not None:
        page = onto.task.list(project_id="<Atlas>", limit=size, offset=offset)
        yield page["items"]
        offset = page["pagination"].get("next_offset")
[len(p) for p in pages(7)]
#: items by yield from
def every(size=6):
    offset, more = 0, True
    while more:
        page = onto.task.list(project_id="<Atlas>", limit=size, offset=offset)
        yield from page["items"]
        more = page["pagination"]["has_more"]
        offset += size
next(t["title"] for t in every() if t["title"].startswith("Migrate"))
#: join tasks with their details
out = []
for t in onto.task.list(project_id="<Borealis>")["items"]:
    full = onto.task.get(task_id=t["id"])["task"]
    out.append({"title": t["title"], "owner": full["props"]["owner"], "hours": full["props"]["hours"]})
sorted(out, key=lambda r: (r["owner"], -r["hours"]))
#: hours by owner
graph = onto.project.graph.get(project_id="<Atlas>")
hours = {}
for t in graph["tasks"]:
    hours[t["props"]["owner"]] = hours.get(t["props"]["owner"], 0) + t["props"]["hours"]
dict(sorted(hours.items(), key=lambda kv: -kv[1]))
#: tags and how often
from collections import Counter
graph = onto.project.graph.get("<Atlas>")
tags = Counter(tag for t in graph["tasks"] for tag in t["props"]["tags"])
tags.most_common(5)
#: tags to titles
index = {}
for t in onto.project.graph.get("<Borealis>")["tasks"]:
    for tag in t["props"]["tags"]:
        index.setdefault(tag, []).append(t["title"])
{tag: sorted(titles) for tag, titles in sorted(index.items())}
#: two projects side by side
counts = {}
for name, id in [("Atlas", "<Atlas>"), ("Borealis", "<Borealis>"), ("Cassini", "<Cassini>")]:
    c = onto.project.get(project_id=id)["counts"]
    counts[name] = {k: v for k, v in c.items() if v}
counts
#: tasks without a date
[t["title"] for p in ("<Atlas>", "<Borealis>") for t in onto.task.list(project_id=p)["items"] if t["due_at"] is None]
#: is any blocked
items = onto.task.list(project_id="<Borealis>")["items"]
{"any": any(t["state_key"] == "blocked" for t in items), "all": all(t["priority"] <= 4 for t in items)}
#: states as a set
items = onto.task.list(project_id="<Atlas>")["items"]
{t["state_key"] for t in items}
#: set difference of states
known = {"todo", "in_progress", "blocked", "done"}
used = {t["state_key"] for t in onto.task.list(project_id="<Borealis>")["items"]}
[sorted(known - used), sorted(known & used), used <= known]
#: common tags of two projects
def tags(project):
    return {tag for t in onto.project.graph.get(project)["tasks"] for tag in t["props"]["tags"]}
a, b = tags("<Atlas>"), tags("<Borealis>")
{"both": sorted(a & b), "one": sorted(a ^ b)}
#: lookup table by id
tasks = {t["id"]: t for t in onto.task.list(project_id="<Atlas>")["items"]}
goal = onto.goal.get("<Serve 1,000 customers>")
[tasks[link["id"]]["title"] for link in sorted(goal["links"]["tasks"], key=lambda l: l["label"]) if tasks[link["id"]]["state_key"] != "done"]
#: zip lists of two projects
a = sorted(t["title"] for t in onto.task.list(project_id="<Atlas>")["items"])
b = sorted(t["title"] for t in onto.task.list(project_id="<Borealis>")["items"])
list(zip(a, b))[:3]
#: enumerate from one
for n, t in enumerate(sorted(onto.task.list(project_id="<Borealis>")["items"], key=lambda t: t["title"]), start=1):
    print(f"{n:>2}. {t['title']}")
#: slices and steps
titles = sorted(t["title"] for t in onto.task.list(project_id="<Atlas>")["items"])
[titles[:2], titles[-1], titles[::6], titles[2:1]]
#: partition by a condition
late, rest = [], []
for t in onto.task.list(project_id="<Atlas>")["items"]:
    (late if t["due_at"] and t["due_at"] < "2026-12-15" and t["state_key"] != "done" else rest).append(t["title"])
[sorted(late), len(rest)]
#: min and max with a default
def earliest(project):
    return min((t["due_at"] for t in onto.task.list(project_id=project)["items"] if t["due_at"]), default=None)
[earliest("<Atlas>"), earliest("<Cassini>")]
#: flatten documents of all projects
docs = [d for p in ["<Atlas>", "<Borealis>", "<Cassini>"] for d in onto.document.list(project_id=p)["items"]]
sorted((d["state_key"], d["title"]) for d in docs)
#: risk score table
levels = {"low": 1, "medium": 2, "high": 3, "critical": 5}
risks = onto.risk.list(project_id="<Atlas>")["items"]
rows = sorted(((round(levels[r["impact"]] * r["probability"], 2), r["title"]) for r in risks), reverse=True)
rows
#: filter and map
items = onto.task.list(project_id="<Atlas>")["items"]
list(map(lambda t: t["title"].upper(), filter(lambda t: t["priority"] == 1, sorted(items, key=lambda t: t["title"]))))
#: itertools groupby
from itertools import groupby
items = sorted(onto.task.list(project_id="<Borealis>")["items"], key=lambda t: (t["state_key"], t["title"]))
{state: [t["title"] for t in group] for state, group in groupby(items, key=lambda t: t["state_key"])}
#: chain and islice
from itertools import chain, islice
both = chain(*(onto.task.list(project_id=p)["items"] for p in ("<Borealis>", "<Atlas>")))
[t["title"] for t in islice(both, 5, 9)]
#: accumulate hours
from itertools import accumulate
tasks = sorted(onto.project.graph.get("<Borealis>")["tasks"], key=lambda t: t["title"])
list(accumulate(t["props"]["hours"] for t in tasks))
#: pairs that share an owner
from itertools import combinations
tasks = sorted(onto.project.graph.get("<Borealis>")["tasks"], key=lambda t: t["title"])
[(a["title"], b["title"]) for a, b in combinations(tasks, 2) if a["props"]["owner"] == b["props"]["owner"]]
#: matrix of owner and state
tasks = onto.project.graph.get("<Atlas>")["tasks"]
owners = sorted({t["props"]["owner"] for t in tasks})
states = ["todo", "in_progress", "blocked", "done"]
[["owner", *states]] + [[o] + [sum(t["props"]["owner"] == o and t["state_key"] == s for t in tasks) for s in states] for o in owners]
#: dict merge and update
base = {"limit": 3, "state_key": "todo"}
more = {"limit": 2}
[t["title"] for t in onto.task.list(project_id="<Borealis>", **(base | more))["items"]]
#: starred unpacking
first, *middle, last = sorted(t["title"] for t in onto.task.list(project_id="<Borealis>")["items"])
{"first": first, "middle": len(middle), "last": last}
#: walrus in a filter
[n for t in onto.project.graph.get("<Atlas>")["tasks"] if (n := len(t["props"]["tags"])) > 1]
#: nested dict by project, state
tree = {}
for p, name in (("<Atlas>", "Atlas"), ("<Borealis>", "Borealis")):
    for t in onto.task.list(project_id=p)["items"]:
        tree.setdefault(name, {}).setdefault(t["state_key"], []).append(t["priority"])
{n: {s: sorted(v) for s, v in sorted(d.items())} for n, d in tree.items()}
#: remove while copying
items = onto.task.list(project_id="<Atlas>")["items"]
for t in items[:]:
    if t["state_key"] == "done":
        items.remove(t)
len(items)
#: deque of the last
from collections import deque
last = deque(maxlen=3)
for t in onto.task.list(project_id="<Atlas>")["items"]:
    last.append(t["title"])
list(last)
#: search and read
hits = onto.task.search(project_id="<Atlas>", search="ticket")["items"]
sorted((h["label"], onto.task.get(h["id"])["task"]["props"]["hours"]) for h in hits)
