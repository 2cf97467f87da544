#: big integers
print(2 ** 100, 10 ** 20 // 7, (-5) ** 3, 7 // -2, -7 // 2, divmod(-7, 3))
2 ** 64
#: float text
print(1e16, 1e15, 1e-5, 0.0001, 1.0, 100.0, 1 / 3, 2.5e-8, 123456789.123, -0.0, 1e100)
#: float values
[1.0, 0.1 + 0.2, 1e22, 1 / 3, 5e-324, 1e16, 2.0 ** 0.5]
#: rounding
[round(0.5), round(1.5), round(2.5), round(-0.5), round(2.675, 2), round(1.005, 2), round(1234.567, -2), round(5), round(2.0, 1), round(7.125, 2)]
#: division
[7 / 2, 6 / 3, 7 // 2, 7.0 // 2, 1 / 4, -1 // 2, 0 / 5]
#: parse
[int("42"), int(" -7 "), int("1_000"), int("ff", 16), int("0b101", 0), int(3.99), int(-3.99), float("1e3"), float(" 2.5 "), float("inf")]
#: nan
n = float("nan")
[n == n, n < 1, n != n, [n] == [n], str(n), float("inf") > 1e308]
#: print nan and infinity
import math
print(float("nan"), math.inf, -math.inf, [math.nan])
#: bools are numbers
[True + True, sum([True, False, True]), True * 3, isinstance(True, int), True == 1, 1.0 == 1]
#: count by sum of conditions
xs = [1, 5, 8]
sum(x > 2 for x in xs)
#: sums of floats
[sum([0.1] * 10), sum([1, 2.5, 3]), sum([]), 0.1 + 0.1 + 0.1, sum([1.5, 2]) / 2]
#: average
prices = [19.99, 5.01, 3.5]
avg = sum(prices) / len(prices)
print(f"{avg:.2f}", round(avg, 3), max(prices) - min(prices))
#: hex and bits
[hex(255), bin(10), oct(8), 0xFF & 0x0F, 1 << 10, ~5, 6 ^ 3, 5 | 2, (255).bit_length(), f"{10:08b}", int.from_bytes(b"\x01\x00", "big")]
#: math
import math
[math.pi, math.sqrt(2), math.floor(-1.5), math.ceil(1.2), math.gcd(12, 18), math.factorial(10), math.log(math.e), math.hypot(3, 4), math.isclose(0.1 + 0.2, 0.3)]
#: decimal
from decimal import Decimal, ROUND_HALF_UP, getcontext
print(Decimal("0.1") + Decimal("0.2"), Decimal("2.675").quantize(Decimal("0.01"), ROUND_HALF_UP), Decimal(1) / Decimal(3))
Decimal("1.50")
#: fraction
from fractions import Fraction
print(Fraction(1, 3) + Fraction(1, 6), Fraction("0.75"), float(Fraction(1, 8)))
Fraction(3, 6)
#: complex
z = 1 + 2j
[abs(3 + 4j), z * z, z.real, z.conjugate()]
#: random with seed
import random
random.seed(42)
[random.randint(1, 100), random.choice("abc"), round(random.random(), 6), random.sample(range(10), 3)]
#: uuid
import uuid
[str(uuid.UUID("12345678123456781234567812345678")), uuid.uuid5(uuid.NAMESPACE_DNS, "x").version, len(str(uuid.uuid4()))]
#: powers
[2 ** -1, (-8) ** 2, 9 ** 0.5, pow(3, 4, 5), pow(3, -1, 7), 10 ** 0, 2.5 ** 3]
#: comparison chains
x = 5
[1 < x < 10, 1 < x > 3, x == 5 == 5.0, 0 < x < 3, not 1 < x]
#: abs min max
[abs(-3), abs(-2.5), min(3, 1, 2), max([4, 9]), min("b", "a"), max(1, 2.5), max((1, 2), (1, 3))]
#: primes
def primes(n):
    s = [True] * (n + 1)
    for i in range(2, int(n ** 0.5) + 1):
        if s[i]:
            for j in range(i * i, n + 1, i): s[j] = False
    return [i for i in range(2, n + 1) if s[i]]
primes(30)
#: compound interest
p = 1000
for y in range(1, 4):
    p *= 1.05
    print(f"Year {y}: {p:,.2f}")
#: percentage change
old, new = 80, 92
change = (new - old) / old * 100
f"{change:+.1f}%"
#: fizzbuzz
["FizzBuzz" if i % 15 == 0 else "Fizz" if i % 3 == 0 else "Buzz" if i % 5 == 0 else i for i in range(1, 16)]
#: gcd by loop
a, b = 48, 18
while b:
    a, b = b, a % b
a
#: collatz
def steps(n):
    c = 0
    while n != 1:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        c += 1
    return c
[steps(i) for i in (1, 7, 27)]
#: remainders that are not whole
[5.5 % 2, -5.5 % 2, 5 % 0.3, divmod(7.5, 2), -1 % 3]
#: seconds as text
def hms(s):
    m, s = divmod(s, 60)
    h, m = divmod(m, 60)
    return f"{h:02d}:{m:02d}:{s:02d}"
[hms(3661), hms(59)]
#: bytes as text
def size(n):
    for u in ("B", "KB", "MB"):
        if n < 1024: return f"{n:.1f} {u}"
        n /= 1024
    return f"{n:.1f} GB"
[size(10), size(2048), size(5e9)]
