#: create and read
p = onto.project.create(project={"name": "Made one", "type_key": "project.business.launch"}, entities=[], relationships=[])["project"]
t = onto.task.create(project_id=p["id"], title="First", priority=2)["task"]
[p["name"], t["title"], t["state_key"], onto.task.get(t["id"])["task"]["version"]]
#: create many
p = onto.project.create(project={"name": "Made many", "type_key": "project.business.launch"}, entities=[], relationships=[])["project"]["id"]
for i in range(6):
    onto.task.create(project_id=p, title=f"Step {i}", priority=i % 5 + 1)
sorted(t["title"] for t in onto.task.list(project_id=p)["items"])
#: update by a rule
p = onto.project.create(project={"name": "Made rule", "type_key": "project.business.launch"}, entities=[{"temp_id": f"t{i}", "kind": "task", "title": f"T{i}", "priority": i + 1} for i in range(4)], relationships=[])["project"]["id"]
changed = []
for t in onto.task.list(project_id=p)["items"]:
    if t["priority"] > 2:
        changed.append(onto.task.update(task_id=t["id"], state_key="blocked", priority=1)["changed"])
[sorted(map(sorted, changed)), sorted((t["title"], t["state_key"]) for t in onto.task.list(project_id=p)["items"])]
#: delete and count
p = onto.project.create(project={"name": "Made delete", "type_key": "project.business.launch"}, entities=[{"temp_id": f"t{i}", "kind": "task", "title": f"T{i}"} for i in range(3)], relationships=[])["project"]["id"]
t = onto.task.list(project_id=p)["items"][0]
onto.task.delete(t["id"])
try:
    onto.task.get(t["id"])
    r = "there"
except LookupError:
    r = "gone"
[r, onto.project.get(p)["counts"]["tasks"]]
#: link and read the edge
p = onto.project.create(project={"name": "Made edge", "type_key": "project.business.launch"}, entities=[], relationships=[])["project"]["id"]
a, b = (onto.task.create(project_id=p, title=x)["task"]["id"] for x in "ab")
e = onto.edge.link(src_kind="task", src_id=a, dst_kind="task", dst_id=b, rel="depends_on")["edge"]
before = len(onto.entity.relationships.get(a)["outgoing"])
onto.edge.unlink(e["id"])
[e["rel"], before, len(onto.entity.relationships.get(a)["outgoing"])]
#: a document with a report
tasks = onto.task.list(project_id="<Borealis>")["items"]
body = "# Report\n\n" + "\n".join(f"- {t['title']}" for t in sorted(tasks, key=lambda t: t["title"]))
p = onto.project.create(project={"name": "Made report", "type_key": "project.business.launch"}, entities=[], relationships=[])["project"]["id"]
d = onto.document.create(project_id=p, title="Report", description="Of tasks", content=body)["document"]
onto.document.get(d["id"])["document"]["content"].count("\n- ")
#: append to a document
p = onto.project.create(project={"name": "Made append", "type_key": "project.business.launch"}, entities=[], relationships=[])["project"]["id"]
d = onto.document.create(project_id=p, title="Log", description="-", content="one")["document"]["id"]
for word in ("two", "three"):
    onto.document.update(document_id=d, content=word, update_strategy="append")
onto.document.get(d)["document"]["content"].split()
#: a tree that is moved
p = onto.project.create(project={"name": "Made tree", "type_key": "project.business.launch"}, entities=[], relationships=[])["project"]["id"]
a, b, c = (onto.document.create(project_id=p, title=x, description="-", content="-")["document"]["id"] for x in "abc")
onto.document.tree.move(project_id=p, document_id=b, new_parent_id=a)
onto.document.tree.move(project_id=p, document_id=c, new_parent_id=b)
[x["title"] for x in onto.document.path.get(c)["path"]]
#: props that nest
p = onto.project.create(project={"name": "Made props", "type_key": "project.business.launch"}, entities=[], relationships=[])["project"]["id"]
props = {"a": [1, 2.5, None, True], "b": {"ü": "ß", "deep": [[1], {"x": -1}]}, "big": 2**53 - 1}
t = onto.task.create(project_id=p, title="P", props=props)["task"]
[t["props"] == props, t["props"]["b"]["deep"][1]["x"], sorted(t["props"])]
#: only what is missing
wanted = ["Plan", "Build", "Ship"]
p = onto.project.create(project={"name": "Made missing", "type_key": "project.business.launch"}, entities=[], relationships=[])["project"]["id"]
onto.task.create(project_id=p, title="Build")
have = {t["title"] for t in onto.task.list(project_id=p)["items"]}
made = [onto.task.create(project_id=p, title=w)["task"]["title"] for w in wanted if w not in have]
[made, onto.project.get(p)["counts"]["tasks"]]
#: a wrong write after a right one
p = onto.project.create(project={"name": "Made wrong", "type_key": "project.business.launch"}, entities=[], relationships=[])["project"]["id"]
onto.task.create(project_id=p, title="Right")
try:
    onto.task.create(project_id=p, title="Wrong", priority=9)
    r = "made"
except ValueError as e:
    r = "refused"
[r, onto.project.get(p)["counts"]["tasks"]]
#: version conflicts
p = onto.project.create(project={"name": "Made version", "type_key": "project.business.launch"}, entities=[], relationships=[])["project"]["id"]
t = onto.task.create(project_id=p, title="V")["task"]
onto.task.update(task_id=t["id"], priority=1, expected_version=t["version"])
try:
    onto.task.update(task_id=t["id"], priority=2, expected_version=t["version"])
    r = "written"
except Exception as e:
    r = [type(e).__name__, e.code]
r
#: goals, plans and their tasks
p = onto.project.create(project={"name": "Made goals", "type_key": "project.business.launch"}, entities=[], relationships=[])["project"]["id"]
g = onto.goal.create(project_id=p, name="Grow", target_date="2027-05-01")["goal"]
onto.plan.create(project_id=p, name="Phase", plan="1. go", goal_id=g["id"])
onto.task.create(project_id=p, title="Go", goal_id=g["id"])
links = onto.goal.get(g["id"])["links"]
[g["target_date"][:10], links["counts"]["total"], onto.project.get(p)["counts"]["plans"]]
#: writes in a gather
import asyncio
p = onto.project.create(project={"name": "Made gather", "type_key": "project.business.launch"}, entities=[], relationships=[])["project"]["id"]
rs = await asyncio.gather(*[onto.task.create(project_id=p, title=f"G{i}") for i in range(5)])
[sorted(r["task"]["title"] for r in rs), onto.project.get(p)["counts"]["tasks"]]
#: a class that writes
class Board:
    def __init__(self, name):
        self.id = onto.project.create(project={"name": name, "type_key": "project.business.launch"}, entities=[], relationships=[])["project"]["id"]
    def add(self, title, **k):
        onto.task.create(project_id=self.id, title=title, **k)
        return self
    def __len__(self):
        return onto.project.get(self.id)["counts"]["tasks"]
len(Board("Made board").add("a").add("b", priority=1))
#: a milestone is moved
from datetime import datetime, timedelta
p = onto.project.create(project={"name": "Made moved", "type_key": "project.business.launch"}, entities=[{"temp_id": "m", "kind": "milestone", "title": "M", "due_at": "2027-01-31"}], relationships=[])["project"]["id"]
m = onto.milestone.list(project_id=p)["items"][0]
due = datetime.fromisoformat(m["due_at"][:10]) + timedelta(days=30)
onto.milestone.update(milestone_id=m["id"], due_at=due.date().isoformat())["milestone"]["due_at"][:10]
