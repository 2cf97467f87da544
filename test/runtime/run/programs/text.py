#: slugs of titles
import re
items = onto.task.list(project_id="<Atlas>")["items"]
sorted(re.sub(r"[^a-z0-9]+", "-", t["title"].lower()).strip("-") for t in items)[:6]
#: numbers in titles
import re
[int(n) for t in onto.task.list(project_id="<Atlas>")["items"] for n in re.findall(r"#(\d+)", t["title"])]
#: umlauts
t = onto.task.get("<Fix export of umlauts (Größe, Öl)>")["task"]["title"]
[len(t), t.upper(), t.encode("utf-8").hex()[-8:], t.casefold()[-10:], t.encode("ascii", "replace").decode()]
#: unicode names
import unicodedata
title = onto.document.get("<Guest list>")["document"]["content"]
plain = unicodedata.normalize("NFKD", title).encode("ascii", "ignore").decode()
[plain.splitlines()[1], unicodedata.name(title.splitlines()[1][0])]
#: words of all titles
from collections import Counter
words = Counter(w.lower().strip("().,#") for t in onto.task.list(project_id="<Atlas>")["items"] for w in t["title"].split())
[w for w in words.most_common() if w[1] > 1]
#: longest and shortest
titles = [t["title"] for t in onto.task.list(project_id="<Atlas>")["items"]]
{"longest": max(titles, key=len), "shortest": min(titles, key=len), "mean": round(sum(map(len, titles)) / len(titles), 2)}
#: initials of owners
names = sorted({t["props"]["owner"] for t in onto.project.graph.get("<Atlas>")["tasks"]})
"".join(n[0].upper() for n in names) + "|" + ",".join(n.capitalize() for n in names)
#: split and partition
t = onto.plan.get("<First phase>")["plan"]["plan"]
head, sep, tail = t.partition("\n\n")
[head, sep, tail.split("\n"), t.rpartition(". ")[2], t.count("\n")]
#: numbered lines
import re
plan = onto.plan.get("<First phase>")["plan"]["plan"]
[m.groups() for m in re.finditer(r"^(\d)\. (\w+)", plan, re.M)]
#: substitute by a function
import re
spec = onto.document.get("<API Spec>")["document"]["content"]
re.sub(r"\{(\w+)\}", lambda m: ":" + m[1].upper(), spec).splitlines()[-1]
#: strip and justify
rows = onto.document.get("<Runbook>")["document"]["content"].splitlines()
[r.strip("- #").ljust(18, ".") for r in rows if r]
#: replace a chain
t = onto.task.get("<Answer ticket #1042>")["task"]["title"]
t.replace("Answer", "Close").replace("#", "no. ").removeprefix("Close ").removesuffix("42")
#: translate letters
t = onto.task.get("<Fix export of umlauts (Größe, Öl)>")["task"]["title"]
t.translate(str.maketrans({"ö": "oe", "Ö": "Oe", "ß": "ss", "(": None, ")": None}))
#: find and index
s = onto.task.get("<Review the contract>")["task"]["title"]
[s.find("the"), s.find("zzz"), s.index("c"), s.rfind("t"), "con" in s, s.startswith(("Re", "X")), s[::-1]]
#: split by many
import re
titles = " / ".join(sorted(t["title"] for t in onto.task.list(project_id="<Borealis>")["items"]))
re.split(r"\s*/\s*", titles)[:3]
#: case of states
["".join(p.capitalize() for p in t["state_key"].split("_")) for t in onto.task.list(project_id="<Borealis>", state_key="in_progress")["items"]]
#: difflib close matches
import difflib
titles = [t["title"] for t in onto.task.list(project_id="<Atlas>")["items"]]
difflib.get_close_matches("Chek bakups", titles, n=1)
#: ratio of two titles
from difflib import SequenceMatcher
a = onto.task.get("<Answer ticket #1042>")["task"]["title"]
b = onto.task.get("<Answer ticket #1077>")["task"]["title"]
round(SequenceMatcher(None, a, b).ratio(), 4)
#: a diff of two documents
import difflib
a = onto.document.get("<Runbook>")["document"]["content"].splitlines()
b = [line.replace("45 min", "30 min") for line in a]
"\n".join(l for l in difflib.unified_diff(a, b, "old", "new", lineterm="", n=0))
#: base64 and hashes
import base64, hashlib
text = onto.document.get("<Errors>")["document"]["content"]
[base64.b64encode(text.encode()).decode()[:16], hashlib.sha256(text.encode()).hexdigest()[:12], hashlib.md5(b"a").hexdigest()[:6]]
#: url parts
from urllib.parse import quote, urlencode, urlsplit, parse_qs
t = onto.task.get("<Fix export of umlauts (Größe, Öl)>")["task"]["title"]
url = "https://example.org/find?" + urlencode({"q": t, "n": 2})
parts = urlsplit(url)
[quote(t[:22]), parts.hostname, parse_qs(parts.query)["q"][0] == t, parts.query[:20]]
#: shlex words
import shlex
title = onto.task.get("<Set up the staging cluster>")["task"]["title"]
[shlex.quote(title), shlex.split(f"run --name '{title}' -x")]
#: pairs of vowels
titles = sorted(t["title"] for t in onto.task.list(project_id="<Borealis>")["items"])
{t: sum(c in "aeiou" for c in t.lower()) for t in titles}
#: escapes in a text
t = "tab\tquote\"back\\slash\nnew é ☃ 😀" + onto.project.get("<Cassini>")["project"]["name"]
[t, repr(t), len(t), t.isascii(), t.encode("unicode_escape").decode()[:12]]
#: lines that are printed raw
doc = onto.document.get("<Runbook>")["document"]["content"]
for i, line in enumerate(doc.splitlines()):
    if line.startswith("- "):
        name, _, value = line[2:].partition(": ")
        print(i, name.ljust(10), value.rjust(8), sep="|")
#: numbers as text
h = [t["props"]["hours"] for t in sorted(onto.project.graph.get("<Atlas>")["tasks"], key=lambda t: t["title"])]
[f"{x:08.3f}" for x in h[:3]] + [f"{1e7:,}", f"{255:x}", f"{5:b}", f"{0.000012:g}", f"{12345.678:.2e}", f"{7:^5}", f"{True!s:>6}"]
#: nested f-strings
items = onto.risk.list(project_id="<Atlas>")["items"]
w = 15
"; ".join(f"{r['title']:{'<' if r['impact'] == 'high' else '>'}{w}}={r['probability']:.{1 if r['probability'] > .1 else 3}f}" for r in sorted(items, key=lambda r: r["title"]))
#: f-string with its own text
n = onto.project.get("<Atlas>")["counts"]["tasks"]
f"{n=} {n*2=} {n/7=:.3f} {{n}} {n!r:>4}"
#: bytes of a document
raw = onto.document.get("<Guest list>")["document"]["content"].encode("utf-8")
[len(raw), raw[:4], raw.find(b"Ben"), raw.decode("utf-8")[14:17], bytes(reversed(raw[-3:]))]
#: a caesar cipher
def rot(text, n):
    return "".join(chr((ord(c) - 97 + n) % 26 + 97) if c.islower() else c for c in text)
s = onto.task.get("<Rehearse>")["task"]["title"]
[rot(s, 13), rot(rot(s, 5), -5) == s]
