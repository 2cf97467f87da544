#: a line for each task
for t in sorted(onto.task.list(project_id="<Borealis>")["items"], key=lambda t: t["title"]):
    print(f"- [{'x' if t['state_key'] == 'done' else ' '}] {t['title']} (P{t['priority']})")
#: an aligned table
tasks = sorted(onto.project.graph.get("<Borealis>")["tasks"], key=lambda t: t["title"])
width = max(len(t["title"]) for t in tasks)
print(f"{'task':<{width}} | {'owner':^8} | {'hours':>6}")
print("-" * width + "-+-" + "-" * 8 + "-+-" + "-" * 6)
for t in tasks:
    print(f"{t['title']:<{width}} | {t['props']['owner']:^8} | {t['props']['hours']:>6.2f}")
#: a markdown table
tasks = sorted(onto.project.graph.get("<Atlas>")["tasks"], key=lambda t: t["title"])[:5]
rows = ["| task | hours |", "|---|---:|"] + [f"| {t['title']} | {t['props']['hours']:,.1f} |" for t in tasks]
"\n".join(rows)
#: percent done
items = onto.task.list(project_id="<Atlas>")["items"]
done = sum(t["state_key"] == "done" for t in items)
f"{done} of {len(items)} done ({done / len(items):.1%})"
#: a bar chart
from collections import Counter
c = Counter(t["state_key"] for t in onto.task.list(project_id="<Atlas>")["items"])
for state, n in sorted(c.items(), key=lambda kv: (-kv[1], kv[0])):
    print(f"{state:>12} {'#' * n} {n}")
#: percent formatting
t = onto.task.get("<Migrate the database>")["task"]
"%-25s|%5.1f|%03d|%s" % (t["title"], t["props"]["hours"], t["priority"], t["props"]["tags"])
#: str.format with names
t = onto.task.get("<Check backups>")["task"]
"{title!r} by {props[owner]:>8} has {n:,} items and {h:+.2f} h".format(n=1234567, h=t["props"]["hours"], **t)
#: csv text
import csv, io
out = io.StringIO()
w = csv.writer(out)
w.writerow(["title", "due", "priority"])
for t in sorted(onto.task.list(project_id="<Atlas>")["items"], key=lambda t: t["title"])[:6]:
    w.writerow([t["title"], (t["due_at"] or "")[:10], t["priority"]])
out.getvalue().replace("\r\n", "\n")
#: read csv of a document
import csv
text = onto.document.get("<Guest list>")["document"]["content"]
rows = list(csv.DictReader(text.splitlines()))
{"guests": [r["name"] for r in rows], "seats": sum(int(r["seats"]) for r in rows), "ny": [r["city"] for r in rows if "," in r["city"]]}
#: json of a document
import json
data = json.loads(onto.document.get("<Readings>")["document"]["content"])
values = [v for v in data["values"] if v is not None]
{"unit": data["unit"], "n": len(values), "mean": round(sum(values) / len(values), 3), "max": max(values)}
#: json written and read again
import json
items = onto.goal.list(project_id="<Atlas>")["items"]
text = json.dumps([{k: g[k] for k in ("name", "state_key", "priority")} for g in sorted(items, key=lambda g: g["name"])], indent=1, sort_keys=True)
print(text)
json.loads(text) == json.loads(json.dumps(json.loads(text)))
#: json with other separators
import json
d = onto.document.path.get("<Errors>")["path"]
json.dumps([p["title"] for p in d], separators=(",", ":")) + json.dumps({"ä": [1.0, True, None]}, ensure_ascii=False)
#: headings of documents
import re
docs = onto.document.list(project_id="<Atlas>")["items"]
texts = [onto.document.get(d["id"])["document"]["content"] for d in sorted(docs, key=lambda d: d["title"])]
[re.findall(r"^#+ (.+)$", t, re.M) for t in texts]
#: minutes in a runbook
import re
text = onto.document.get("<Runbook>")["document"]["content"]
units = {"s": 1, "min": 60}
{m["what"]: int(m["n"]) * units[m["unit"]] for m in re.finditer(r"- (?P<what>\w+): (?P<n>\d+) (?P<unit>s|min)\b", text)}
#: error counts of a document
text = onto.document.get("<Errors>")["document"]["content"]
pairs = [line.split(": ") for line in text.splitlines() if ":" in line]
counts = {int(code): int(n) for code, n in pairs}
total = sum(counts.values())
[(code, n, f"{n / total:.2%}") for code, n in sorted(counts.items())]
#: methods of an api spec
import re
spec = onto.document.get("<API Spec>")["document"]["content"]
re.findall(r"^(GET|POST|DELETE) (/\S+)$", spec, flags=re.MULTILINE)
#: a tree with indents
tree = onto.document.tree.get(project_id="<Atlas>", include_documents=True)
def show(nodes, depth=0):
    for node in nodes:
        print("  " * depth + tree["documents"][node["id"]]["title"])
        show(node["children"], depth + 1)
show(tree["structure"]["root"])
#: depth of a tree
tree = onto.document.tree.get("<Atlas>")["structure"]["root"]
def depth(nodes):
    return 0 if not nodes else 1 + max(depth(n["children"]) for n in nodes)
def count(nodes):
    return sum(1 + count(n["children"]) for n in nodes)
[depth(tree), count(tree)]
#: paths of all documents
tree = onto.document.tree.get("<Atlas>", include_documents=True)
titles = {k: v["title"] for k, v in tree["documents"].items()}
def walk(nodes, above=()):
    for n in nodes:
        here = above + (titles[n["id"]],)
        yield "/".join(here)
        yield from walk(n["children"], here)
list(walk(tree["structure"]["root"]))
#: a path as breadcrumbs
" › ".join(p["title"] for p in onto.document.path.get("<Errors>")["path"])
#: a summary of a project
p = onto.project.get("<Atlas>")
print(f"{p['project']['name']} ({p['project']['state_key']})")
for kind, n in sorted(p["counts"].items()):
    if n:
        print(f"  {kind:.<14}{n:.>4}")
#: links of a goal
g = onto.goal.get("<Serve 1,000 customers>")
lines = [f"{l['direction'][:2]}:{l['rel']}:{l['label']}" for l in g["links"]["tasks"]]
"\n".join(sorted(lines))
#: edges as arrows
r = onto.entity.relationships.get("<Plan the beta>")
[f"{e['rel']} -> {e['label']}" for e in r["outgoing"]] + [f"{e['label']} -> {e['rel']}" for e in r["incoming"]]
#: a report by textwrap
import textwrap
plan = onto.plan.get("<First phase>")["plan"]["plan"]
print(textwrap.indent(plan, "> "))
print(textwrap.shorten("Beta with ten customers and a lot of patience for it", width=30, placeholder=" …"))
#: raw format
__format__ = "raw"
[t["title"] for t in onto.task.list(project_id="<Borealis>", limit=2)["items"]]
#: pretty json
__format__ = "json_h"
{"project": onto.project.get("<Cassini>")["project"]["name"], "counts": onto.project.get("<Cassini>")["counts"]}
#: printed text and a value
items = onto.milestone.list(project_id="<Borealis>")["items"]
print("found", len(items), "milestone", end="s\n" if len(items) != 1 else "\n")
print(*[m["title"] for m in items], sep=", ")
[m["due_at"][:10] for m in items]
#: print without a value
print("tasks:", onto.project.get("<Atlas>")["counts"]["tasks"])
#: nothing to say
x = onto.project.get("<Atlas>")
#: none as a value
onto.goal.list(project_id="<Atlas>")["items"][0]["priority"]
#: a text as a value
onto.plan.get("<First phase>")["plan"]["plan"]
#: pprint
from pprint import pformat
pformat({"states": sorted({t["state_key"] for t in onto.task.list(project_id="<Atlas>")["items"]}), "n": 18}, width=40)
#: a summary by string template
from string import Template
t = onto.task.get("<Fix login on Safari>")["task"]
Template("$title: ${h}h, $$5").substitute(title=t["title"], h=t["props"]["hours"])
#: emphasis by case
titles = [t["title"] for t in onto.task.list(project_id="<Borealis>")["items"]]
sorted(s.title() if len(s) < 12 else s.swapcase() for s in titles)
#: columns of a matrix turned
tasks = sorted(onto.project.graph.get("<Borealis>")["tasks"], key=lambda t: t["title"])[:3]
[list(col) for col in zip(*[(t["title"], t["props"]["hours"], t["priority"]) for t in tasks])]
#: html list escaped
import html
items = sorted(onto.task.list(project_id="<Atlas>")["items"], key=lambda t: t["title"])
"".join(f"<li>{html.escape(t['title'] + ' <b>&')}</li>" for t in items[:2])
