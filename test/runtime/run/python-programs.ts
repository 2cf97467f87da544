/** Random small programs: assignments, loops, functions, closures, exceptions, containers and texts, each statement from a table. */

import { filled, type Grammar, lines, pick, type Random } from "./python-grammar.js";

/** Variables by what they hold: programs start with all of them. */
const START = [
  ["n = 7", "n = 0", "n = -3", "n = 10**20", "n = 2**53 + 1", "n = 12", "n = True"],
  ["f = 2.5", "f = 0.1", "f = -7.25", "f = 1e16", "f = 3.0", "f = 1/3"],
  [
    "s = 'the quick brown fox'",
    "s = ''",
    "s = 'Äpfel, Öl'",
    "s = 'a1b2c3'",
    "s = 'x=1;y=2;z'",
    "s = 'Line one\\nLine two\\n'",
  ],
  [
    "xs = [3, 1, 2]",
    "xs = []",
    "xs = [1.5, -2, 7]",
    "xs = list(range(8))",
    "xs = [10, 20, 20, 30]",
    "xs = [0.1, 0.2, 0.3]",
  ],
  [
    "ws = ['pear', 'fig', 'apple', 'fig']",
    "ws = []",
    "ws = ['a', 'B', 'c']",
    "ws = s.split()",
    "ws = ['12', 'x', '-3', '4.5']",
  ],
  [
    "d = {'a': 1, 'b': 2}",
    "d = {}",
    "d = {'x': [1], 'y': []}",
    "d = {1: 'one', 2: 'two'}",
    "d = {w: len(w) for w in ws}",
    "d = {'2024': 1.5, '10': 2}",
  ],
  [
    "rows = [{'name': 'bob', 'age': 30, 'pay': 10.5}, {'name': 'al', 'age': 25, 'pay': 7.25}, {'name': 'cy', 'age': 30, 'pay': 0.1}]",
    "rows = []",
    "rows = [{'name': w, 'age': i * 10, 'pay': i / 4} for i, w in enumerate(ws)]",
  ],
  ["e = {1, 2, 3}", "e = set()", "e = set(ws)", "e = {len(w) for w in ws}"],
  // Second names of the same values.
  ["ys, ds, es = xs, d, e", "ys, ds, es = xs, d, e\nnested = [xs, d]"],
] as const;

const EXPRESSIONS: Grammar = {
  i: {
    leaves: lines("n  len(xs)  len(s)  0  1  2  -1  5  len(ws)  n + 1  len(d)  len(e)  17"),
    grown: lines(
      "$i + $i  $i - $i  $i * $i  $i // 3  $i % 5  $i // $i  $i % $i  abs($i)  max($i, $i)  sum(len(w) for w in ws)  ws.count('fig')  s.count('a')  s.find('o')  int(f)  round(f)  sum(r['age'] for r in rows)  $i ** 2  -$i  $i & 6  $i | 1  $i ^ 3  $i << 2  $i >> 1  len($t)  sum(1 for x in xs if x > $i)  divmod($i, 4)[1]  int('42')  ord('a') + $i  sum(range($y))  min(xs, default=$i)  (lambda a, b=2: a * b)($i)  bool($i) + 1",
    ),
  },
  y: { leaves: lines("3  5  8  0  1  12") },
  f: {
    leaves: lines("f  0.5  -1.25  2.0  f * 2  1e-3  100.0"),
    grown: lines(
      "$f + $f  $f * $f  $f - $i  $f / 4  $i / 7  $f // 2  $f % 3  $f // 0.7  $f ** 2  round($f, 2)  round($f, 1)  abs($f)  sum(xs) / 3  sum(xs)  max(xs, default=$f)  float($i)  min($f, $i)  sum(r['pay'] for r in rows)  float('2.75')  sum([0.1] * 3)  $i / ($i or 1)  divmod($f, 2)[0]  -$f  max(xs + [$f])",
    ),
  },
  t: {
    leaves: lines("s  'abc'  'k'  s.strip()  '-'"),
    grown: lines(
      "$t + $t  $t.upper()  $t.lower()  $t.title()  $t.replace('a', 'o')  ','.join(ws)  '-'.join(sorted(ws))  $t[::-1]  $t[1:4]  $t[:2]  str($i)  str($f)  repr($t)  $t * 2  f'{$i}'  f'{$f:.2f}'  f'{$i:>6}|'  f'{n:05d}'  ' '.join(str(x) for x in xs)  $t.zfill(8)  $t.center(9, '*')  $t.rjust(10, '.')  $t.split(' ')[0]  $t.partition('=')[2]  str(xs)  str(d)  str(rows)  repr(ws)  $t.capitalize()  $t.strip('ax')  '|'.join(w[:1] for w in ws)  ''.join(c for c in s if c.isalpha())  ''.join(reversed(s))  str($b)  str(($i, $t))  type($i).__name__  '%s=%d' % ('k', 3)  '{}-{}'.format($i, $t)  $t.removeprefix('t')  chr(97 + $y)  s.swapcase()  str($f > 1)  'yes' if $b else 'no'  s.splitlines()[0] if s else 'none'",
    ).map((one) => one.replace(/f'\{\$([if])/, (_, letter) => `f'{${letter === "i" ? "n" : "f"}`)),
  },
  b: {
    leaves: lines("n > 3  f < 1  s == ''  not xs  'fig' in ws  True  n == 7  'a' in d"),
    grown: lines(
      "$i > $i  $f < $f  $i <= $f  $i == $f  $t == $t  $t < $t  $b and $b  $b or $b  not $b  $i in xs  $t in s  $t in d  1 < $i < 9  $i != $i  any(x > 2 for x in xs)  all(ws)  isinstance($i, int)  s.startswith('t')  s.endswith(('x', 'l'))  $f > n  xs == sorted(xs)  e == set(xs)  e <= {1, 2, 3, 4}  2 in e  xs < [2]  $t.isdigit()  s.islower()  $f == round($f)  n is None  (n, f) < (f, n)  xs and xs[0] == $i",
    ),
  },
  l: {
    leaves: lines("xs  [1, 2]  list(range(4))  ws  [n, f]  [s]"),
    grown: lines(
      "[x * 2 for x in xs]  [x for x in xs if x > 1]  sorted(xs)  sorted(ws)  sorted(ws, key=len)  sorted(xs, reverse=True)  xs[::-1]  xs + [$i]  list(map(str, xs))  list(zip(xs, ws))  list(enumerate(ws))  [w.upper() for w in ws]  list(filter(None, xs))  [r['name'] for r in rows]  sorted(rows, key=lambda r: r['age'])  sorted(d.items())  list(d.items())  list(d)  sorted(d.values(), key=str)  [[x, x + 1] for x in xs]  [a for b in [[1, 2], [3]] for a in b]  xs[:2]  xs[-2:]  list(s)[:4]  s.split()  sorted(e)  [*xs, *ws]  sorted(set(ws))  [i for i in range($y) if i % 2]  list(range($y, 0, -1))  [(w, len(w)) for w in ws]  [round(x / 3, 2) for x in xs]  [x / 2 for x in xs]  [x // 2 for x in xs]  list(zip(*[[1, 2], [3, 4]]))  sorted(ws, key=lambda w: (-len(w), w))  [x ** 2 for x in xs]  list(reversed(xs))  [min(a, b) for a, b in zip(xs, xs[1:])]  [str(x).rjust(4) for x in xs]  [$i, $f, $t]  list(dict.fromkeys(ws))  [{'k': x} for x in xs]",
    ),
  },
  d: {
    leaves: lines("d  {'k': n}  {s: 1}"),
    grown: lines(
      "{w: len(w) for w in ws}  {k: v for k, v in d.items() if v}  {**d, 'z': $i}  dict(zip(ws, xs))  {r['name']: r['pay'] for r in rows}  dict(sorted(d.items(), key=lambda kv: str(kv[1])))  {x: x * x for x in xs}  {v: k for k, v in dict(zip('ab', [1, 2])).items()}  {str(k): v for k, v in d.items()}  {c: s.count(c) for c in s}  dict(a=$i, b=$t)  {i: w for i, w in enumerate(ws)}  {len(w): [v for v in ws if len(v) == len(w)] for w in ws}  {'f': $f, 'l': $l}  {**d, **{'a': 0}}  dict.fromkeys(ws, 0)  {x: 1 for x in xs}  {x > 1: x for x in xs}",
    ),
  },
  a: {
    leaves: ["n", "f", "s", "xs", "d", "ws", "None", "rows"],
    grown: ["$i", "$f", "$t", "$b", "$l", "$d", "($i, $t)", "[$a, $b]", "{'v': $a}"],
  },
};

/** One template a line, for templates that hold several blanks. */
const templates = (text: string): readonly string[] =>
  text
    .trim()
    .split("\n")
    .map((line) => line.trim());

/** Statements; `%` begins a block, whose body is made of further statements. */
const SIMPLE = templates(`
  n = $i
  f = $f
  s = $t
  xs = list(range($y))
  xs.append($i)
  xs.append($f)
  xs.extend([4, 5])
  xs.sort()
  xs = sorted(xs, reverse=True)
  xs.insert(0, $i)
  ws.append($t)
  d['a'] = $i
  d['z'] = $f
  d[$t] = $i
  d.setdefault('q', []).append($i)
  d['c'] = d.get('c', 0) + 1
  e.add($y)
  e = e | {9}
  e.discard(2)
  n += $i
  n -= 2
  n *= 3
  n //= 2
  n %= 11
  f += $f
  f *= 1.5
  f /= 3
  s += $t
  print($a)
  print($t, $i, sep=':')
  print($i, end=' ')
  print(f'{n}|{f}|{s!r}')
  print(f'{f:.3f} {n:>5} {s:<6}|')
  print(xs, d)
  print(*xs)
  print(type($a).__name__)
  a, b = $i, $t
  a, *b = [1, 2, 3]
  n, f = f, n
  n, f = int(f) if abs(f) < 1e18 else 0, 1.5
  assert xs is not None
  xs[0:1]
  d.pop('a', None)
  d.update({'u': $i})
  d.update(v=$f)
  xs.reverse()
  xs.remove(xs[0]) if xs else None
  ws = [w.strip() for w in ws]
  total = 0
  out = []
  rows.append({'name': $t, 'age': $i, 'pay': $f})
  matrix = [[i * j for j in range(3)] for i in range(3)]
  if (m := len(xs)) > 2: n = m
  pass
  xs *= $y
  xs += [$i]
  xs += ys
  ys *= 2
  xs[:] = [$i, 1]
  ys.append($i)
  d |= {'u': $i}
  ds['a'] = $t
  e |= {$y}
  e &= {1, 2, $y}
  e -= {2}
  es ^= {3, $y}
  e |= es
  ys = xs[:]
  xs = ys
  print(ys, ds, len(es))
  print(xs is ys, e is es)
`);

const BLOCKS = templates(String.raw`
  if $b:%else:%
  if $b:%
  if $b:%elif $b:%else:%
  for x in xs:%
  for i, w in enumerate(ws):%
  for k, v in d.items():%
  for i in range($y):%
  for r in rows:%
  for c in s:%
  for a, b in zip(xs, ws):%
  for i in range(4):%else:%
  while n > 3 and n < 1000:\n    n = n // 2%
  for i in range(6):\n    if i == $y: break\n    if i % 2: continue%else:%
  try:%except ValueError:%
  try:\n    n = int($t)%except ValueError:%else:%finally:%
  try:\n    n = xs[$i]%except IndexError:%
  try:\n    f = d[$t]%except KeyError as err:\n    print('key', err)%
  try:\n    f = $f / $i%except ZeroDivisionError:\n    f = 0.0%
  try:\n    f = n / 0%except (ZeroDivisionError, TypeError) as err:\n    print(type(err).__name__)%finally:%
  try:\n    raise ValueError('bad ' + str(n))%except ValueError as err:\n    print(err)%
  try:\n    raise KeyError($t)%except LookupError as err:\n    print(repr(err))%
  try:\n    n = 'x' + n%except TypeError:\n    print('type')%
  try:\n    n = n.foo%except AttributeError:\n    print('attribute')%
  try:\n    x = int($a)%except (ValueError, TypeError):\n    x = None%
  try:\n    try:\n        1 / 0\n    finally:\n        print('inner')%except Exception:\n    print('outer')%
  try:\n    a, b = xs%except ValueError:\n    print('unpack')%
  try:\n    f = n * 0.5 + n / 3%except (TypeError, OverflowError):\n    print('arithmetic')%
  try:\n    xs.remove($i)%except ValueError:\n    print('missing')%
  try:\n    print(max(xs))%except ValueError:\n    print('empty')%
  try:\n    assert n > 2, 'small'%except AssertionError as err:\n    print(err)%
  def $g(a, b=2, *rest, **named):%    return [a, b, rest, named]\nprint($g(1), $g(1, 3, 4, k=5))
  def $g(a):\n    if a <= 1: return 1\n    return a * $g(a - 1)\nprint($g(6), $g(25))
  def $g(a):\n    global n\n    n = a\n    return n\n$g($i)
  def $g(a, b):\n    def inner(c):\n        return a + c\n    return inner(b)\nprint($g(1, 2), $g('x', 'y'))
  def $g():\n    count = 0\n    def step():\n        nonlocal count\n        count += 1\n        return count\n    return step\nstep = $g()\nstep()\nprint(step(), step())
  def $g(xs, found=[]):\n    found.append(len(xs))\n    return found\n$g(xs)\nprint($g(ws))
  def $g(x):\n    try:\n        return 10 / x\n    except ZeroDivisionError:\n        return 'zero'\n    finally:\n        print('done')\nprint($g(4), $g(0))
  def $g(a, /, b, *, c=3):\n    return a * 100 + b * 10 + c\nprint($g(1, 2), $g(1, b=5, c=6))
  def $g(n):\n    a, b = 0, 1\n    for _ in range(n):\n        a, b = b, a + b\n    return a\nprint([$g(i) for i in range(10)], $g(100))
  def $g(text):\n    words = {}\n    for w in text.lower().split():\n        words[w] = words.get(w, 0) + 1\n    return sorted(words.items(), key=lambda kv: (-kv[1], kv[0]))\nprint($g(s))
  def $g(items):\n    groups = {}\n    for it in items:\n        groups.setdefault(it['age'], []).append(it['name'])\n    return groups\nprint($g(rows))
  def $g(x):\n    return x if x < 2 else $g(x - 1) + $g(x - 2)\nprint($g(10))
  def $g(v, depth=0):\n    if isinstance(v, dict):\n        return {k: $g(x, depth + 1) for k, x in v.items()}\n    if isinstance(v, list):\n        return [$g(x, depth + 1) for x in v]\n    return (v, depth)\nprint($g({'a': [1, {'b': xs}]}))
  def $g(a, b):\n    while b:\n        a, b = b, a % b\n    return a\nprint($g(48, 36), $g(n if isinstance(n, int) else 1, 6))
  out = []\nfor r in rows:\n    if r['age'] > 20 and r['pay'] > 1:\n        out.append(f"{r['name']}: {r['pay']:.1f}")\nprint(out)
  total = 0.0\nfor r in rows:\n    total += r['pay'] * 1.1\nprint(round(total, 2), total)
  fs = [lambda v, k=k: v * k for k in range(3)]\nprint([g(2) for g in fs])
  compose = lambda p, q: lambda v: p(q(v))\nprint(compose(str, len)(s))
  import json\nprint(json.dumps({'a': xs, 's': s, 'f': f}))\nprint(json.loads('{"k": [1, 2.5, null, true, "\u00e9"]}'))
  import json\ntry:\n    json.loads('{bad')\nexcept ValueError:\n    print('json')
  import math\nprint(math.sqrt(16), math.floor(f) if abs(f) < 1e9 else 0, math.pi, math.gcd(12, 18))
  stack = [1]\nwhile stack:\n    top = stack.pop()\n    if top < 20: stack.extend([top * 2, top * 3])\n    else: out = [top]\nprint(out)
  seen = set()\nfor w in ws:\n    if w in seen: continue\n    seen.add(w)\nprint(sorted(seen), len(seen))
  text = ''\nfor i, x in enumerate(xs):\n    text += f'{i}:{x};'\nprint(text)
  grid = [[0] * 3 for _ in range(2)]\ngrid[0][1] = n\nprint(grid)
  counts = {}\nfor c in s:\n    counts[c] = counts.get(c, 0) + 1\nprint(max(counts, key=counts.get) if counts else None, sorted(counts.items())[:3])
`).map((one) => one.replaceAll("\\n", "\n"));

const LAST = lines(
  "n  f  s  xs  d  ws  rows  [xs, ys]  [d, ds]  [len(e), len(es)]  [n, f]  (s, xs)  sorted(e)  len(rows)  str(d)  {'n': n, 'f': f}  [type(n).__name__, n, f]  print(n)  repr([n, s])  f'{n}/{f}'  $a  $l  $d",
);

const indented = (text: string, by: number): string => text.replace(/^(?=.)/gm, " ".repeat(by));

function statement(random: Random, depth: number, next: { count: number }): string {
  if (depth <= 0 || random() < 0.6) return filled(pick(SIMPLE, random), EXPRESSIONS, random, 2);
  next.count++;
  const template = pick(BLOCKS, random).replaceAll("$g", `g${next.count}`);
  const parts = template.split("%");
  const made = parts.map((part, i) => {
    if (i === parts.length - 1) return part;
    const body = Array.from({ length: 1 + Math.floor(random() * 2) }, () => statement(random, depth - 1, next)).join(
      "\n",
    );
    return `${part}\n${indented(body, 4)}\n`;
  });
  return filled(made.join("").trimEnd(), EXPRESSIONS, random, 2);
}

/** One program of about ten statements. */
export function program(random: Random): string {
  const next = { count: 0 };
  const start = START.map((choices) => pick(choices, random));
  const body = Array.from({ length: 3 + Math.floor(random() * 5) }, () => statement(random, 2, next));
  return [...start, ...body, filled(pick(LAST, random), EXPRESSIONS, random, 1)].join("\n");
}

/** So many different programs. */
export function programs(count: number, random: Random): readonly string[] {
  const found = new Set<string>();
  while (found.size < count) found.add(program(random));
  return [...found];
}
