#: packs and their sizes
{p["name"]: p["tool_count"] for p in ot.packs()}["util"]
#: ops by pattern
names = [t["name"] for t in ot.tools(pattern="onto.task")]
[len(names), names[0], all(n.startswith("onto.task") for n in names)]
#: fields of a task
fields = util.schema.field_info(entity_type="ontology_task")["fields"]
{f["name"]: f["enum"] for f in fields if f["enum"]}
#: fields that are nullable
[f["name"] for k in ("ontology_task", "ontology_goal") for f in util.schema.field_info(k)["fields"] if f["nullable"]]
#: headings of the overview
[s["heading"] for s in util.buildos.overview()["sections"]]
#: words of the guide
guide = util.buildos.usage_guide()
import json
text = json.dumps(guide)
[len(text) > 500, text.lower().count("task") > 3, type(guide).__name__]
#: keep and load rows
rows = [{"n": i, "sq": i * i} for i in range(20)]
handle = ot.keep(value=rows)["handle"]
back = ot.load(handle=handle)
[back == rows, len(back), back[-1]]
#: query kept rows
tasks = onto.project.graph.get("<Atlas>")["tasks"]
handle = ot.keep([{"state": t["state_key"], "hours": t["props"]["hours"]} for t in tasks])["handle"]
answer = ot.query(handle=handle, sql="select state, count(*) as n, sum(hours) as h from r group by state order by state")
answer = answer if isinstance(answer, list) else answer.get("rows", answer)
answer
#: options of sessions
o = oubliette.project.options()
[o["scopes"][:3], o["limits"]["list_limit"], sorted(o["id_patterns"])]
#: a project with sessions
p = oubliette.project.create(name="Sessions of a program")
s = oubliette.session.create(project_id=p["id"], title="First")
for text in ("hello", "second", "grüße ☃"):
    oubliette.session.message(text=text, session_id=s["id"])
events = oubliette.session.events(session_id=s["id"])
[p["name"], s["status"], len(events.get("events", events.get("items", []))) >= 3]
#: names are unique
oubliette.project.create(name="Twice the same")
try:
    oubliette.project.create(name="Twice the same")
    r = "made"
except Exception as e:
    r = "refused"
r
#: workspaces of a project
p = oubliette.project.create(name="Workspaces of a program", description="d")
for n in ("one", "two"):
    oubliette.workspace.create(project_id=p["id"], name=n)
sorted(w["name"] for w in oubliette.workspace.list(project_id=p["id"])["workspaces"])
#: rename
p = oubliette.project.create(name="To be renamed")
q = oubliette.project.update(project_id=p["id"], name="Renamed by a program")
[q["name"], q["id"] == p["id"], oubliette.project.get(p["id"])["name"]]
#: a search that has no key
try:
    brave.web_search(query="tide tables")
    r = "found"
except RuntimeError as e:
    r = [str(e), e.code]
r
#: a page of this machine
try:
    web.fetch(url="http://127.0.0.1:1/")
    r = "fetched"
except RuntimeError as e:
    r = str(e)
r
#: a model that is not named
try:
    llm.transform(input="a", prompt="b")
    r = "done"
except Exception as e:
    r = type(e).__name__
r
#: help on an op
text = ot.help(query="onto.task.create", info="full")
["project_id" in text, "title" in text, isinstance(text, str)]
#: version and health
h = ot.health()
[ot.version() == h["version"], h["registry"]["status"], h["python"]]
#: a batch of calls
r = ot.batch(calls=[{"op": "onto.project.get", "args": {"project_id": "<Atlas>"}}, {"op": "onto.project.get", "args": {"project_id": "<Cassini>"}}])
[x.get("ok", True) for x in r]
#: projects on this machine
proj.list()
#: aliases by plain names
[len(list_onto_goals(project_id="<Atlas>")["items"]), get_onto_project_details(project_id="<Cassini>")["project"]["name"]]
#: arguments by position
[onto.project.get("<Atlas>")["project"]["name"], onto.project.search("Borealis")["items"][0]["label"]]
#: arguments by a prefix
len(onto.task.list(proj="<Atlas>", state="todo", lim=3)["items"])
#: search over kinds
hits = onto.search(query="beta", project_id="<Atlas>")["items"]
sorted((h["kind"], h["label"]) for h in hits)
#: search with types
hits = onto.search("call", project_id="<Borealis>", types=["task"])["items"]
[h["label"] for h in hits]
