#: mean and median of hours
import statistics
h = [t["props"]["hours"] for t in onto.project.graph.get("<Atlas>")["tasks"]]
[round(statistics.mean(h), 4), statistics.median(h), round(statistics.stdev(h), 4), statistics.mode([1, 2, 2])]
#: quantiles
import statistics
h = sorted(t["props"]["hours"] for t in onto.project.graph.get("<Atlas>")["tasks"])
[round(q, 3) for q in statistics.quantiles(h, n=4)]
#: readings with gaps
import json, statistics
v = json.loads(onto.document.get("<Readings>")["document"]["content"])["values"]
clean = [x for x in v if x is not None]
{"gaps": v.count(None), "mean": round(statistics.fmean(clean), 3), "spread": round(max(clean) - min(clean), 2)}
#: decimal sums
from decimal import Decimal, ROUND_HALF_UP
h = [Decimal(str(t["props"]["hours"])) for t in onto.project.graph.get("<Borealis>")["tasks"]]
total = sum(h) * Decimal("84.35")
[str(sum(h)), str(total), str(total.quantize(Decimal("0.01"), ROUND_HALF_UP)), Decimal("0.1") + Decimal("0.2") == Decimal("0.3")]
#: decimal division and context
from decimal import Decimal, getcontext
n = onto.project.get("<Atlas>")["counts"]["tasks"]
getcontext().prec = 12
[str(Decimal(n) / 7), str(Decimal(2).sqrt()), str(round(Decimal("2.675"), 2))]
#: decimal precision is the default
from decimal import Decimal
str(Decimal(onto.project.get("<Atlas>")["counts"]["tasks"]) / 7)
#: fractions
from fractions import Fraction
c = onto.project.get("<Atlas>")["counts"]
f = Fraction(c["goals"], c["tasks"])
[str(f), f.numerator, float(f), str(f + Fraction(1, 6)), str(Fraction(0.75))]
#: math functions
import math
n = onto.project.get("<Atlas>")["counts"]["tasks"]
[math.ceil(n / 7), math.floor(-n / 7), math.isqrt(n), math.gcd(n, 24), math.comb(n, 2), math.factorial(n), round(math.log2(n), 6), math.hypot(3, 4), math.isclose(0.1 + 0.2, 0.3)]
#: rounding
h = sorted(t["props"]["hours"] for t in onto.project.graph.get("<Atlas>")["tasks"])
[round(x) for x in h] + [round(2.5), round(3.5), round(-0.5), round(1234, -2), round(2.675, 2)]
#: integer division of negatives
n = onto.project.get("<Atlas>")["counts"]["tasks"]
[-n // 7, -n % 7, divmod(-n, 7), n // -7, divmod(7.5, 2), -7.5 % 2]
#: large whole numbers
n = onto.project.get("<Atlas>")["counts"]["tasks"]
[n ** 40, 2 ** 64 - 1, (n ** 40) % 1000007, len(str(n ** 400)), (2 ** 53 + 1) - 1.0 == 2 ** 53]
#: floats that do not end
h = [t["props"]["hours"] for t in sorted(onto.project.graph.get("<Atlas>")["tasks"], key=lambda t: t["title"])]
[0.1 + 0.2, sum(h) / 7, 1e16, 1e-5, 3.0, h[0] * 1.1, 1 / 3, 100 * 1.1]
#: nan and infinities
inf = float("inf")
n = onto.project.get("<Atlas>")["counts"]["tasks"]
[str(inf), inf > n, str(float("nan")), min(inf, n), inf - 1 == inf]
#: true counts as one
tasks = onto.task.list(project_id="<Atlas>")["items"]
[sum(t["priority"] == 1 for t in tasks), True + True, sum([True, False, True]), {1: "a", True: "b"}, [1, 2, 3].index(True)]
#: keys that are numbers
by = {}
for t in onto.task.list(project_id="<Borealis>")["items"]:
    by[t["priority"]] = by.get(t["priority"], 0) + 1
by[2.0] += 10
dict(sorted(by.items()))
#: hours to days
h = sum(t["props"]["hours"] for t in onto.project.graph.get("<Atlas>")["tasks"])
days, rest = divmod(h, 8)
f"{days:.0f} d {rest:.2f} h"
#: bits
n = onto.project.get("<Atlas>")["counts"]["tasks"]
[n & 6, n | 1, n ^ 3, n << 4, n >> 1, ~n, bin(n), n.bit_length(), int("10010", 2), hex(n), oct(n)]
#: weights
tasks = onto.project.graph.get("<Borealis>")["tasks"]
w = {1: 5, 2: 3, 3: 2, 4: 1}
num = sum(w[t["priority"]] * t["props"]["hours"] for t in tasks)
den = sum(w[t["priority"]] for t in tasks)
[num, den, round(num / den, 6)]
#: a moving mean
h = [t["props"]["hours"] for t in sorted(onto.project.graph.get("<Atlas>")["tasks"], key=lambda t: t["title"])]
[round(sum(h[i:i + 3]) / 3, 3) for i in range(0, len(h) - 2, 4)]
#: a histogram
h = [t["props"]["hours"] for t in onto.project.graph.get("<Atlas>")["tasks"]]
edges = [0, 1, 2, 5, 10, 100]
[(f"{a}-{b}", sum(a <= x < b for x in h)) for a, b in zip(edges, edges[1:])]
#: bisect
import bisect
h = sorted(t["props"]["hours"] for t in onto.project.graph.get("<Atlas>")["tasks"])
bisect.insort(h, 2.5)
[bisect.bisect_left(h, 2.5), bisect.bisect(h, 100), h.index(2.5)]
#: random with a seed
import random
random.seed(18)
titles = sorted(t["title"] for t in onto.task.list(project_id="<Borealis>")["items"])
[random.choice(titles) in titles, random.randint(1, 6) in range(1, 7), len(random.sample(titles, 3)), sorted(random.Random(1).sample(range(100), 4))]
#: a big list
n = onto.project.get("<Atlas>")["counts"]["tasks"]
rows = [i * n for i in range(200_000)]
[len(rows), sum(x for x in rows if x % 3 == 0), rows[-1]]
#: a big dict
n = onto.project.get("<Atlas>")["counts"]["tasks"]
d = {f"k{i}": i % n for i in range(50_000)}
[len(d), sum(d.values()), d["k49999"], max(d, key=lambda k: (d[k], k))]
#: a sieve
n = onto.project.get("<Atlas>")["counts"]["tasks"] * 100
sieve = bytearray([1]) * (n + 1)
for i in range(2, int(n ** 0.5) + 1):
    if sieve[i]:
        sieve[i * i :: i] = bytes(len(sieve[i * i :: i]))
[sum(sieve[2:]), [i for i in range(n, n - 60, -1) if sieve[i]][:3]]
#: a big printed list
n = onto.project.get("<Atlas>")["counts"]["tasks"]
for i in range(300):
    print(i, i * n)
#: a large result in summary
rows = [{"i": i, "sq": i * i} for i in range(60)]
rows[onto.project.get("<Atlas>")["counts"]["tasks"]]
#: sorting of mixed case
titles = [t["title"] for t in onto.task.list(project_id="<Borealis>")["items"]] + ["apple", "Zebra"]
[sorted(titles)[-2:], sorted(titles, key=str.lower)[0], sorted(titles, key=lambda s: (len(s), s))[0]]
#: sum of floats is exact
h = [0.1] * onto.project.get("<Atlas>")["counts"]["tasks"]
[sum(h[:10]), sum([1e16, 1.0, -1e16])]
#: complex and powers
n = onto.project.get("<Atlas>")["counts"]["goals"]
[str((1 + 2j) * n), abs(3 + 4j), pow(3, 200, 1000), n ** -2, 0 ** 0]
