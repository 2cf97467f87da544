#: gather over projects
import asyncio
rs = await asyncio.gather(*[onto.project.get(project_id=p) for p in ("<Atlas>", "<Borealis>", "<Cassini>")])
[r["project"]["name"] for r in rs]
#: gather in helpers
import asyncio
async def owner(id):
    t = await onto.task.get(task_id=id)
    return t["task"]["props"]["owner"]
async def main():
    items = (await onto.task.list(project_id="<Borealis>"))["items"]
    return sorted(await asyncio.gather(*(owner(t["id"]) for t in items)))
await main()
#: asyncio.run
import asyncio
async def name(p):
    return (await onto.project.get(p))["project"]["name"]
async def main():
    a, b = await asyncio.gather(name("<Atlas>"), name("<Cassini>"))
    return f"{a} and {b}"
asyncio.run(main())
#: await one call
r = await onto.project.get(project_id="<Atlas>")
r["counts"]["tasks"]
#: errors out of gather
import asyncio
rs = await asyncio.gather(onto.task.get("<Rehearse>"), asyncio.sleep(0, "slept"))
[rs[0]["task"]["title"], rs[1]]
#: exceptions as results
import asyncio
async def read(id):
    return (await onto.task.get(id))["task"]["title"]
rs = await asyncio.gather(*(read(i) for i in ("<Rehearse>", "task_0000000000900001")), return_exceptions=True)
[rs[0], type(rs[1]).__name__]
#: a semaphore
import asyncio
sem = asyncio.Semaphore(2)
most = now = 0
async def read(id):
    global now, most
    async with sem:
        now += 1
        most = max(most, now)
        r = await onto.task.get(id)
        await asyncio.sleep(0)
        now -= 1
        return r["task"]["priority"]
items = onto.task.list(project_id="<Borealis>")["items"]
rs = await asyncio.gather(*(read(t["id"]) for t in items))
[sorted(rs), most <= 2]
#: a queue of workers
import asyncio
async def worker(q, out):
    while not q.empty():
        id = q.get_nowait()
        out.append((await onto.task.get(id))["task"]["title"])
async def main():
    q, out = asyncio.Queue(), []
    for t in onto.task.list(project_id="<Borealis>")["items"]:
        q.put_nowait(t["id"])
    await asyncio.gather(worker(q, out), worker(q, out))
    return sorted(out)
await main()
#: tasks by create_task
import asyncio
async def count(p):
    return (await onto.project.get(p))["counts"]["tasks"]
tasks = [asyncio.create_task(count(p)) for p in ("<Atlas>", "<Borealis>")]
[await t for t in tasks]
#: a task group
import asyncio
async def count(p):
    return (await onto.project.get(p))["counts"]["tasks"]
async with asyncio.TaskGroup() as g:
    a = g.create_task(count("<Atlas>"))
    b = g.create_task(count("<Cassini>"))
a.result() + b.result()
#: an async generator
import asyncio
async def every(size):
    offset = 0
    while True:
        page = await onto.task.list(project_id="<Atlas>", limit=size, offset=offset)
        for t in page["items"]:
            yield t["title"]
        if not page["pagination"]["has_more"]:
            return
        offset += size
[t async for t in every(5) if "#" in t]
#: async for with a count
async def ids():
    for p in ("<Atlas>", "<Borealis>"):
        yield (await onto.project.get(p))["project"]["name"]
n = 0
async for name in ids():
    n += len(name)
n
#: an async context manager
from contextlib import asynccontextmanager
log = []
@asynccontextmanager
async def project(p):
    log.append("in")
    yield (await onto.project.get(p))["project"]
    log.append("out")
async with project("<Cassini>") as p:
    log.append(p["name"])
log
#: as completed
import asyncio
async def count(p):
    return (await onto.project.get(p))["counts"]["tasks"]
found = []
for next_one in asyncio.as_completed([count("<Atlas>"), count("<Borealis>")]):
    found.append(await next_one)
sorted(found)
#: a timeout that holds
import asyncio
async def read():
    return (await onto.project.get("<Atlas>"))["project"]["name"]
await asyncio.wait_for(read(), timeout=30)
#: a timeout that ends
import asyncio
try:
    await asyncio.wait_for(asyncio.sleep(60), timeout=0.01)
    r = "slept"
except asyncio.TimeoutError as e:
    r = type(e).__name__
[r, onto.project.get("<Cassini>")["project"]["name"]]
#: events and order
import asyncio
order = []
ready = asyncio.Event()
async def waiter():
    await ready.wait()
    order.append("woken")
async def setter():
    order.append((await onto.project.get("<Atlas>"))["project"]["name"])
    ready.set()
await asyncio.gather(waiter(), setter())
order
