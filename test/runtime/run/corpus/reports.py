#: word count
text = "The cat and the dog. The end!"
words = [w.strip(".!,").lower() for w in text.split()]
counts = {}
for w in words:
    counts[w] = counts.get(w, 0) + 1
sorted(counts.items(), key=lambda kv: (-kv[1], kv[0]))[:3]
#: aligned table
rows = [("apple", 1.5, 3), ("kiwi", 0.25, 12), ("watermelon", 10, 1)]
width = max(len(name) for name, _, _ in rows)
print(f"{'item':<{width}} {'price':>8} {'qty':>4}")
for name, price, qty in rows:
    print(f"{name:<{width}} {price:>8.2f} {qty:>4}")
print("-" * (width + 14))
#: markdown table
rows = [{"op": "a.b", "calls": 3}, {"op": "c.d", "calls": 11}]
keys = list(rows[0])
out = ["| " + " | ".join(keys) + " |", "|" + "---|" * len(keys)]
out += ["| " + " | ".join(str(r[k]) for k in keys) + " |" for r in rows]
"\n".join(out)
#: log levels
log = """2024-01-02 10:00:01 INFO start
2024-01-02 10:00:05 ERROR disk full
2024-01-02 10:00:09 WARN slow
2024-01-02 10:01:00 ERROR timeout: 30 s"""
errors = []
levels = {}
for line in log.split("\n"):
    date, time, level, message = line.split(" ", 3)
    levels[level] = levels.get(level, 0) + 1
    if level == "ERROR":
        errors.append(f"{time} {message}")
{"levels": levels, "errors": errors}
#: key and value lines
text = "host = example.org\n# a comment\nport=8080\n\ndebug = yes"
settings = {}
for line in text.splitlines():
    line = line.strip()
    if not line or line.startswith("#"):
        continue
    key, _, value = line.partition("=")
    settings[key.strip()] = value.strip()
settings["port"] = int(settings["port"])
settings["debug"] = settings["debug"].lower() in ("yes", "true", "1")
settings
#: query string
query = "a=1&b=x%20y&c=&a=2"
pairs = [p.split("=", 1) for p in query.split("&")]
params = {}
for k, v in pairs:
    params.setdefault(k, []).append(v.replace("%20", " "))
params
#: slug
title = "  Hello, World! It's 2024 -- Ünïcode  "
slug = "".join(c.lower() if c.isalnum() else "-" for c in title.strip())
while "--" in slug:
    slug = slug.replace("--", "-")
slug.strip("-")
#: snake and camel
def snake(name):
    return "".join("_" + c.lower() if c.isupper() else c for c in name).lstrip("_")
def camel(name):
    first, *rest = name.split("_")
    return first + "".join(w.capitalize() for w in rest)
[snake("someValueName"), snake("HttpServer"), camel("some_value_name")]
#: wrap a text
text = "the quick brown fox jumps over the lazy dog again and again"
lines, line = [], ""
for word in text.split():
    if len(line) + len(word) + 1 > 20:
        lines.append(line)
        line = word
    else:
        line = f"{line} {word}".strip()
lines.append(line)
print("\n".join(lines))
max(map(len, lines))
#: textwrap
import textwrap
print(textwrap.fill("the quick brown fox jumps over the lazy dog", width=15))
textwrap.dedent("    a\n      b\n")
#: caesar and back
def shift(text, n):
    out = ""
    for c in text:
        if c.isalpha() and c.isascii():
            base = ord("A") if c.isupper() else ord("a")
            out += chr((ord(c) - base + n) % 26 + base)
        else:
            out += c
    return out
[shift("Hello, Zoë!", 3), shift(shift("Hello", 3), -3)]
#: palindromes
texts = ["Never odd or even", "abc", ""]
[(t, (s := "".join(c for c in t.lower() if c.isalnum())) == s[::-1]) for t in texts]
#: common prefix
paths = ["/usr/lib/a", "/usr/lib/b/c", "/usr/local"]
prefix = paths[0]
for p in paths[1:]:
    while not p.startswith(prefix):
        prefix = prefix[:-1]
prefix
#: run length
text = "aaabccdddd"
out, i = [], 0
while i < len(text):
    j = i
    while j < len(text) and text[j] == text[i]:
        j += 1
    out.append((text[i], j - i))
    i = j
"".join(f"{c}{n}" for c, n in out)
#: edit distance
def distance(a, b):
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        last, row[0] = row[0], i
        for j, y in enumerate(b, 1):
            last, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, last + (x != y))
    return row[-1]
[distance("kitten", "sitting"), distance("", "abc"), distance("flaw", "lawn")]
#: dates of a month
import datetime
first = datetime.date(2024, 2, 27)
[(first + datetime.timedelta(days=i)).isoformat() for i in range(4)]
#: days between
from datetime import date
a, b = date(2023, 12, 25), date(2024, 3, 1)
[(b - a).days, a.weekday(), b.strftime("%d.%m.%Y"), a < b, str(b - a)]
#: parse times
from datetime import datetime, timedelta
stamps = ["2024-01-31 23:50:00", "2024-02-01 00:10:30"]
times = [datetime.strptime(s, "%Y-%m-%d %H:%M:%S") for s in stamps]
gap = times[1] - times[0]
[gap.total_seconds(), str(gap), times[0].isoformat(), (times[1] + timedelta(hours=36)).day]
#: group by month
rows = [("2024-01-15", 10), ("2024-02-01", 5), ("2024-01-30", 7.5)]
months = {}
for day, amount in rows:
    months[day[:7]] = months.get(day[:7], 0) + amount
months
#: iso week and zone
from datetime import datetime, timezone, timedelta
t = datetime(2024, 12, 30, 12, tzinfo=timezone.utc)
[list(t.isocalendar()), t.isoformat(), t.astimezone(timezone(timedelta(hours=2))).strftime("%H:%M %z"), int(t.timestamp())]
#: seconds to text
def span(seconds):
    hours, rest = divmod(seconds, 3600)
    minutes, seconds = divmod(rest, 60)
    return f"{hours:02d}:{minutes:02d}:{seconds:02d}"
[span(s) for s in (0, 59, 3661, 86399)]
#: leap years
[y for y in range(1896, 1913) if y % 4 == 0 and (y % 100 != 0 or y % 400 == 0)]
#: emails by regex
import re
text = "Mail ann@example.org, or bob.smith@mail.example.com; not x@y"
[re.findall(r"[\w.]+@[\w.]+\.\w+", text), re.sub(r"(\w)[\w.]*@", r"\1***@", text)]
#: named groups
import re
m = re.match(r"(?P<method>[A-Z]+) (?P<path>\S+)(?: HTTP/(?P<version>[\d.]+))?", "GET /a/b?c=1 HTTP/1.1")
[m.groupdict(), m.span("path"), re.match("x", "y") is None]
#: split by several
import re
[re.split(r"[,;\s]+", "a, b;c  d"), [t for t in re.split(r"(\d+)", "a1b22c") if t]]
#: replace by function
import re
re.sub(r"\d+", lambda m: str(int(m[0]) * 2), "a1 b20 c300")
#: tokens of an expression
import re
tokens = re.findall(r"\d+\.?\d*|[-+*/()]", "3.5*(2 + 10)-4")
def parse(at=0):
    value, at = term(at)
    while at < len(tokens) and tokens[at] in "+-":
        right, nxt = term(at + 1)
        value = value + right if tokens[at] == "+" else value - right
        at = nxt
    return value, at
def term(at):
    value, at = factor(at)
    while at < len(tokens) and tokens[at] in "*/":
        right, nxt = factor(at + 1)
        value = value * right if tokens[at] == "*" else value / right
        at = nxt
    return value, at
def factor(at):
    if tokens[at] == "(":
        value, at = parse(at + 1)
        return value, at + 1
    return float(tokens[at]), at + 1
[tokens, parse()[0]]
#: brackets
def balanced(text):
    pairs = {")": "(", "]": "[", "}": "{"}
    stack = []
    for c in text:
        if c in "([{":
            stack.append(c)
        elif c in pairs and (not stack or stack.pop() != pairs[c]):
            return False
    return not stack
[balanced(t) for t in ("(a[b]{c})", "(]", "((", "")]
#: diff of lines
a, b = ["x", "y", "z"], ["x", "z", "w"]
out = [f"- {l}" for l in a if l not in b] + [f"+ {l}" for l in b if l not in a]
"\n".join(out)
#: template by hand
template = "Dear {name}, you owe {amount}."
people = [{"name": "Ann", "amount": "10 €"}, {"name": "Ben", "amount": "0 €"}]
for p in people:
    text = template
    for k, v in p.items():
        text = text.replace("{" + k + "}", v)
    print(text)
#: format kinds
x = 1234567.891
[f"{x:,.2f}", f"{x:.3e}", f"{42:08b}", f"{255:#x}", f"{0.256:.1%}", f"{'mid':^9}|", f"{-5:+d}", f"{7:03d}", f"{x:.0f}"]
#: percent and format
["%s has %d items, %.1f%%" % ("box", 3, 12.34), "{:>6}|{:<6}|{!r}".format("a", "b", "c"), "{a}-{b[0]}".format(a=1, b=[2])]
#: unicode
s = "naïve café — 日本語 😀"
[len(s), s.upper(), s.encode("utf-8")[:4].hex(), s[::-1], s.find("日"), [hex(ord(c)) for c in "é😀"], s.split("—")]
#: bytes
data = "héllo".encode()
[len(data), list(data[:3]), data.decode(), bytes([104, 105]).decode(), data[1:3].hex()]
#: sentence statistics
text = "One two. Three four five! Six?"
for mark in "!?":
    text = text.replace(mark, ".")
sentences = [s.strip() for s in text.split(".") if s.strip()]
[len(sentences), [len(s.split()) for s in sentences], max(sentences, key=len), round(sum(len(s) for s in sentences) / len(sentences), 3)]
#: acronyms and initials
names = ["ada lovelace", "alan mathison turing"]
[" ".join(n.title().split()[-1:] + [w[0].upper() + "." for w in n.split()[:-1]]) for n in names]
#: roman numbers
def roman(n):
    out = ""
    for value, mark in [(1000, "M"), (900, "CM"), (500, "D"), (400, "CD"), (100, "C"), (90, "XC"), (50, "L"), (40, "XL"), (10, "X"), (9, "IX"), (5, "V"), (4, "IV"), (1, "I")]:
        while n >= value:
            out += mark
            n -= value
    return out
[roman(n) for n in (4, 1994, 2024, 49)]
#: fizz buzz
[("Fizz" * (i % 3 == 0) + "Buzz" * (i % 5 == 0)) or i for i in range(1, 16)]
#: sieve
n = 50
is_prime = [True] * (n + 1)
for i in range(2, int(n ** 0.5) + 1):
    if is_prime[i]:
        for j in range(i * i, n + 1, i):
            is_prime[j] = False
[i for i in range(2, n + 1) if is_prime[i]]
#: number bases
n = 3735928559
digits = ""
while n:
    n, d = divmod(n, 16)
    digits = "0123456789abcdef"[d] + digits
[digits, int(digits, 16), bin(10), oct(64), hex(255), int("1010", 2)]
#: checksum
number = "4539 1488 0343 6467"
digits = [int(c) for c in number if c.isdigit()]
total = 0
for i, d in enumerate(reversed(digits)):
    if i % 2:
        d = d * 2 - 9 if d > 4 else d * 2
    total += d
total % 10 == 0
#: class with totals
class Account:
    def __init__(self, owner, balance=0):
        self.owner, self.balance, self.log = owner, balance, []
    def move(self, amount):
        if self.balance + amount < 0:
            raise ValueError(f"{self.owner} has only {self.balance}")
        self.balance += amount
        self.log.append(amount)
        return self
    def __repr__(self):
        return f"Account({self.owner!r}, {self.balance})"
a = Account("ann", 10).move(5).move(-3)
try:
    a.move(-100)
except ValueError as error:
    print(error)
[str(a), a.log]
#: dataclass report
from dataclasses import dataclass, field, asdict
@dataclass(order=True)
class Item:
    price: float
    name: str = field(compare=False)
    tags: list = field(default_factory=list, compare=False)
items = [Item(2.5, "b", ["x"]), Item(1.0, "a")]
[min(items).name, [asdict(i) for i in sorted(items)], items[0]]
#: generator pipeline
def numbers(n):
    for i in range(n):
        yield i
def squares(items):
    for i in items:
        yield i * i
def evens(items):
    return (i for i in items if i % 2 == 0)
[list(evens(squares(numbers(7)))), sum(squares(numbers(4))), next(evens(numbers(5)))]
#: context manager and cleanup
from contextlib import contextmanager
log = []
@contextmanager
def step(name):
    log.append(f"start {name}")
    try:
        yield name.upper()
    finally:
        log.append(f"end {name}")
with step("one") as a, step("two") as b:
    log.append(a + b)
try:
    with step("three"):
        raise KeyError("x")
except KeyError:
    log.append("caught")
log
#: exact sums
prices = [0.1] * 10
[sum(prices), sum(prices) == 1.0, 0.1 + 0.2, round(0.1 + 0.2, 2), sum([1e16, 1, -1e16]), 3.0 // 0.1, 1 % 0.1, -7 // 2, -7 % 3, -7.5 % 2]
#: large numbers beside floats
big = 250 * 10**18
[big > 0.5, big * 0.5, 10**20 == 1e20, 2**53 + 1 == 2.0**53, (2**53 + 1) / 7, sorted([10**20, 0.5, -1e30]), max(0.5, 10**19), 10**19 in [1e19]]
