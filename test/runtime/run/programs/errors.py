#: not found is caught
try:
    onto.task.get("task_0000000000001008")
except LookupError as e:
    r = str(e)
r
#: not found is not caught
x = onto.project.get("<Atlas>")["project"]["name"]
print(x)
onto.task.get("task_0000000000002009")
#: a wrong state
onto.task.list(state_key="urgent")
#: a wrong state is caught
try:
    onto.task.list(state_key="urgent")
except ValueError as e:
    r = [type(e).__name__, "state_key" in str(e)]
r
#: a missing argument
try:
    onto.goal.create(project_id="<Cassini>")
except TypeError as e:
    r = ["name" in str(e), type(e).__name__]
r
#: an unknown argument
try:
    onto.task.list(project="<Atlas>", color="red")
except TypeError as e:
    r = "color" in str(e)
r
#: a value of another type
try:
    onto.task.list(project_id="<Atlas>", limit="many")
except (TypeError, ValueError) as e:
    r = type(e).__name__
r
#: errors by id
ids = ["<Rehearse>", "task_0000000000008015", "nope"]
results = {}
for n, id in enumerate(ids):
    try:
        results[n] = onto.task.get(id)["task"]["title"]
    except LookupError:
        results[n] = "missing"
    except ValueError:
        results[n] = "malformed"
results
#: try, else, finally
log = []
for id in ("<Rehearse>", "task_0000000000009016"):
    try:
        t = onto.task.get(id)
    except LookupError:
        log.append("except")
    else:
        log.append(t["task"]["title"])
    finally:
        log.append("finally")
log
#: code and details of a failure
try:
    onto.task.get("task_0000000000010017")
except Exception as e:
    r = [type(e).__name__, e.code, isinstance(e.details, dict), isinstance(e, LookupError)]
r
#: raise from
class Missing(Exception):
    pass
def title(id):
    try:
        return onto.task.get(id)["task"]["title"]
    except LookupError as e:
        raise Missing("gone") from e
try:
    title("task_0000000000011018")
except Missing as e:
    r = [str(e), type(e.__cause__).__name__]
r
#: an own exception ends the program
class TooMany(Exception):
    def __init__(self, n):
        super().__init__(f"{n} are too many")
        self.n = n
n = onto.project.get("<Atlas>")["counts"]["tasks"]
raise TooMany(n)
#: an own exception is read
class TooMany(ValueError):
    def __init__(self, n, most=3):
        super().__init__(f"{n} > {most}")
        self.n, self.most = n, most
try:
    raise TooMany(onto.project.get("<Atlas>")["counts"]["tasks"])
except TooMany as e:
    r = [e.n - e.most, e.args, repr(e)]
r
#: a wrong key
t = onto.task.get("<Rehearse>")
t["task"]["titel"]
#: a wrong key is caught
t = onto.task.get("<Rehearse>")["task"]
try:
    t["titel"]
except KeyError as e:
    r = [e.args[0], str(e), t.get("titel"), t.get("titel", "?")]
r
#: an index that is too large
items = onto.milestone.list(project_id="<Cassini>")["items"]
items[0]
#: an index is caught
try:
    onto.milestone.list(project_id="<Cassini>")["items"][0]
except IndexError as e:
    r = str(e)
r
#: none has no keys
items = onto.task.list(project_id="<Borealis>")["items"]
late = next((t for t in items if t["priority"] > 9), None)
late["title"]
#: text and number do not add
n = onto.project.get("<Atlas>")["counts"]["tasks"]
"tasks: " + n
#: text and number do not compare
try:
    sorted([onto.project.get("<Atlas>")["counts"]["tasks"], "many"])
except TypeError as e:
    r = str(e)
r
#: division by zero in a helper
def share(project):
    c = onto.project.get(project)["counts"]
    return c["goals"] / c["tasks"]
[share("<Atlas>"), share("<Cassini>")]
#: division by zero is caught
def share(project):
    c = onto.project.get(project)["counts"]
    try:
        return c["goals"] / c["tasks"]
    except ZeroDivisionError:
        return 0.0
[round(share(p), 3) for p in ("<Atlas>", "<Borealis>", "<Cassini>")]
#: int of a text
lines = onto.document.get("<Guest list>")["document"]["content"].splitlines()
good, bad = 0, []
for line in lines:
    try:
        good += int(line.rsplit(",", 1)[1])
    except ValueError as e:
        bad.append(str(e))
[good, bad]
#: json that is none
import json
try:
    json.loads(onto.document.get("<Runbook>")["document"]["content"])
except json.JSONDecodeError as e:
    r = [type(e).__name__, e.lineno, e.colno, isinstance(e, ValueError)]
r
#: an exception group
try:
    errors = []
    for id in ("task_0000000000025032", "task_1111111111111111"):
        try:
            onto.task.get(id)
        except LookupError as e:
            errors.append(e)
    raise ExceptionGroup("reads", errors)
except* LookupError as g:
    r = len(g.exceptions)
r
#: suppress
from contextlib import suppress
r = ["begin"]
with suppress(LookupError, KeyError):
    onto.task.get("task_0000000000026033")
    r.append("never")
r
#: retries with a limit
tries = 0
def flaky():
    global tries
    tries += 1
    id = "<Rehearse>" if tries > 2 else "task_0000000000027034"
    return onto.task.get(id)["task"]["title"]
r = None
while r is None and tries < 5:
    try:
        r = flaky()
    except LookupError:
        pass
[r, tries]
#: a bare raise
try:
    try:
        onto.task.get("nope")
    except ValueError:
        print("seen")
        raise
except Exception as e:
    r = type(e).__name__
r
#: nested finally order
log = []
def f():
    try:
        try:
            return onto.project.get("<Atlas>")["project"]["name"]
        finally:
            log.append("inner")
    finally:
        log.append("outer")
[f(), log]
#: a traceback as text
import traceback
def read(id):
    return onto.task.get(id)
try:
    read("task_0000000000030037")
except LookupError as e:
    names = [f.name for f in traceback.extract_tb(e.__traceback__)]
    last = traceback.format_exception_only(type(e), e)[-1].split(":")[0]
["read" in names, last]
#: recursion without end
def deep(n):
    return deep(n + 1)
onto.project.get("<Atlas>")
try:
    deep(0)
except RecursionError as e:
    r = type(e).__name__
r
#: an op that does not exist
onto.task.archive("<Rehearse>")
#: an op that does not exist is caught
try:
    onto.task.archive("<Rehearse>")
except AttributeError as e:
    r = "archive" in str(e)
r
#: a syntax error
tasks = onto.task.list(project_id="<Atlas>")["items"
len(tasks)
#: unpack too few
a, b = onto.milestone.list(project_id="<Atlas>")["items"]
#: a missing module
onto.project.get("<Atlas>")
import pandas
#: error in a comprehension
[t["owner"] for t in onto.task.list(project_id="<Borealis>")["items"]]
#: notes on an exception
try:
    try:
        onto.task.get("task_0000000000038045")
    except LookupError as e:
        e.add_note("while reading")
        raise
except LookupError as e:
    r = e.__notes__
r
#: errors collected beside results
good, bad = [], []
for p in ("<Atlas>", "proj_0000000000000000", "<Cassini>"):
    try:
        good.append(onto.project.get(p)["project"]["name"])
    except LookupError as e:
        bad.append(str(e).split(".")[0][:18])
{"good": good, "bad": len(bad)}
