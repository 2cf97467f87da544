#: one call
demo.search(query="t")
#: calls in a comprehension
[demo.search(query=q)["count"] for q in ["a", "b"]]
#: by position and by prefix
[demo.search("x", 2), demo.search(q="y", c=3)]
#: join the answers
", ".join(demo.bounce(text=w) for w in ["a", "b", "c"])
#: lines of a text
text = demo.big(n=12)
lines = text.splitlines()
{"count": len(lines), "last": lines[-1], "ones": [l for l in lines if l.endswith("1")]}
#: json from a tool
import json
data = json.loads(demo.bounce(text='{"items": [{"id": 1, "tags": ["x", "y"]}, {"id": 2, "tags": []}]}'))
[(item["id"], len(item["tags"])) for item in data["items"]]
#: nested comprehension over results
import json
rows = json.loads(demo.bounce(text='[{"k": "a", "v": [1, 2]}, {"k": "b", "v": [3]}]'))
{r["k"]: [x * 10 for x in r["v"]] for r in rows if r["v"]}
#: a loop that collects
out = []
for i, q in enumerate(["x", "y"], start=1):
    r = demo.search(query=q, count=i)
    out.append(f"{i}. {r['query']} ({r['count']})")
print("\n".join(out))
#: error of a tool caught
results, errors = [], []
for call in ("ok", "bad"):
    try:
        if call == "bad":
            demo.boom()
        results.append(demo.bounce(text=call))
    except KeyError as e:
        errors.append(str(e))
{"results": results, "errors": errors}
#: error of a tool by type name
try:
    demo.boom()
except Exception as e:
    r = f"{type(e).__name__}: {e}"
r
#: arguments of a tool error
try:
    demo.boom()
except LookupError as e:
    r = e.args
r
#: error of a tool uncaught
x = demo.bounce(text="before")
print(x)
demo.boom()
#: none from a tool
demo.none()
#: none is falsy
demo.none() or "nothing"
#: a helper that calls tools
def find(q, n=1):
    return demo.search(query=q, count=n)["query"].upper()
[find(q) for q in "ab"] + [find("c", n=2)]
#: a tool as a value
f = demo.bounce
f(text="hi")
#: tools in a table
ops = {"s": demo.search, "b": demo.bounce}
[ops["b"](text="x"), ops["s"](query="y")["count"]]
#: a tool in a lambda
list(map(lambda q: demo.search(query=q)["query"], ["m", "n"]))
#: any stops early
any(demo.search(query=q)["count"] == 5 for q in ["a", "b", "c"])
#: early return
for q in ["a", "b", "c"]:
    if demo.search(query=q)["query"] == "b":
        return q
return None
#: retries
attempts = 0
result = None
while attempts < 3 and result is None:
    attempts += 1
    try:
        if attempts < 3:
            demo.boom()
        result = demo.bounce(text="done")
    except KeyError:
        continue
{"attempts": attempts, "result": result}
#: finally runs
log = []
try:
    log.append("try")
    demo.boom()
except KeyError:
    log.append("except")
else:
    log.append("else")
finally:
    log.append("finally")
log
#: aggregate counts
totals = {}
for q in ["a", "b", "a"]:
    r = demo.search(query=q, count=2)
    totals[r["query"]] = totals.get(r["query"], 0) + r["count"]
sorted(totals.items(), key=lambda kv: (-kv[1], kv[0]))
#: star arguments
args = {"query": "z", "count": 9}
demo.search(**args)
#: await a tool
r = await demo.search(query="w")
r["query"]
#: gather over tools
import asyncio
rs = await asyncio.gather(*[demo.search(query=q) for q in "ab"])
[r["query"] for r in rs]
#: asyncio.run around tools
import asyncio
async def one(q):
    return (await demo.search(query=q))["query"]
async def main():
    return await asyncio.gather(one("p"), one("q"))
asyncio.run(main())
#: the last expression is a print
r = demo.search(query="t")
print(r["query"], r["count"], sep="/")
#: print a result
print(demo.search(query="t"))
#: print in a loop, then a value
for i in range(2):
    print("step", i, end=";")
demo.bounce(text="end")
#: alias and bare name
[ws(query="a")["query"], bounce(text="b")]
#: wrong key of a result
r = demo.search(query="t")
r["missing"]
#: results in a string
r = demo.search(query="t")
f"{r}"
#: a condition on a result that does not compare
r = demo.search(query="t")
r["query"] > 3
#: compare with none
best = None
for q in ["a", "b"]:
    r = demo.search(query=q)
    if best is None or r["count"] > best["count"]:
        best = r
best
#: continue after an error with tools called before
seen = [demo.bounce(text="one")]
seen.append(int("x"))
#: a lack after a tool call is made up for
r = demo.search(query="t", count=7)
name = "%s:%d" % (r["query"], r["count"])
ratio = round(r["count"] / 3, 2)
print(name, ratio, f"{ratio:>8}")
