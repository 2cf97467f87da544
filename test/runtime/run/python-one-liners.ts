/** Random expressions over the builtin types of Python: operators, builtins, methods, formats; a part of them ill typed. */

import { filled, type Grammar, lines, pick, type Random } from "./python-grammar.js";

const INT = lines(String.raw`
  0  1  -1  2  3  -3  7  10  -10  12  100  255  -1000  1234567  10**6  2**31  2**53  2**53+1  -2**53-1  2**62  2**63  2**63-1  -2**63
  2**64  10**18  10**19  10**20  -10**20  250*10**18  3**40  True  False  10**30  9007199254740993  0xff  0b101  1_000
`);
const FLOAT = lines(String.raw`
  0.0  -0.0  0.1  0.5  1.0  -1.0  1.5  2.5  -2.5  3.0  -3.5  2.675  0.3  1e-5  1e-7  0.0001  1e15  1e16  1e17  -1e16  1e22  1e100  1e308  -1e308
  1234.5678  1/3  2/3  float('inf')  -float('inf')  float('nan')  1e-323  123456789.125  9007199254740993.0  99.995  1e300*1e10  5e-324
  9.5  0.1+0.2  1e21  123456789012345680.0  100.0  7.0
`);
const TEXT = lines(String.raw`
  ''  'a'  'abc'  'Hello World'  ' x y '  'a,b,,c'  '12'  ' -3 '  '1_0'  '3.14'  'é'  'ß'  '日本'  'a\nb'  'a\r\nb\x0bc'  '\x00'  "it's"  'ſ'  'ﬁ'  'İ'  'ǆ'
  '\t1\t'  'aXbXc'  'XAB'  '١٢'  '²'  '½'  'Ⅷ'  'e\u0301'  '\u200b'  '😀'  'x'*3  'nan'  'inf'  '1e5'  '0x1f'  'True'  'the quick brown fox'  'a-b_c d.e'  'k=v;x=y'
  '\u0301a'  'ά'  'ΑΣ'  'a\u2028b'  '\xad'  '\xa0'  'ｱ'  '_x1'  '9a'  'ªb'  'class'  'ijIJ'  'Ω'  'foo.bar.baz'  'aaaa'  'line one\nline two\n'  '"q"'  '\\'  'ŉ'
`);
const BYTES = lines(
  String.raw`b''  b'a'  b'abc'  b'\x00\xff'  b'a,b'  b' x '  b"it's"  b'AbC'  b'\n\t\\'  'é'.encode()`,
);
const LIST = lines(String.raw`
  []  [1]  [3, 1, 2]  [1.5, 2, -1]  ['b', 'a', 'C']  [1, 'a', None]  [[2], [1]]  [None]  [True, 0, 1.0]  list(range(6))  [0.1]*10  [(1, 'x'), (0, 'y')]  [[1, 2], [3]]
  [{'a': 1}, {'a': 2}]  ['', 'x']  [1, 2, 2, 3, 3, 3]  [-0.0, 0.0]  [float('nan'), 1.0]  ['é', 'z', 'a']  [10**20, 0.5]  [1e16, -1e16, 1.0]  [[]]  [1, [2, [3, [4]]]]
`);
const TUPLE = lines("()  (1,)  (1, 'a')  (2, 1)  ((1, 2), 3)  (1.0, None)  ('a', 'b', 'c')  (True, False)");
const DICT = lines(String.raw`
  {}  {'a': 1, 'b': 2}  {1: 'x', None: 2}  {(1, 2): [3]}  {'b': 1, 'a': {'c': [1, 2]}}  {1: 'a', 2: 'b'}  {True: 1, False: 0}  {1.5: 'x'}  {'x': None, 'y': 1.0}
  {'2024': 1, '10': 2, 'a': 3}  {1: 1, 1.0: 2, True: 3}  {0.5: 1, 1e16: 2}  {float('inf'): 1}  {'k': 10**20}
`);
const SET = lines(
  "set()  {1}  {1, 2}  {'a'}  frozenset([1])  {3, 1, 2}  {1, 100, 33, 65}  frozenset()  {(1, 2)}  {1.5}  {None}",
);
const REST = lines(
  "None  range(3)  range(5, 0, -2)  range(0)  len  int  print  str  ValueError('x')  KeyError('k')  ...  type(1)  slice(1, 2)  1j  NotImplemented  object",
);
const SMALL = lines("0  1  -1  2  3  5  -2  -5  10  None  True  1.5");
const CALLED = lines(
  "str  len  int  abs  repr  float  bool  type  lambda x: -x  lambda x: x * 2  lambda x: str(x)  lambda x: (x, x)  None  lambda x: x[0]  lambda x: x > 1  sorted  sum  max  lambda *a: a",
);
const SPEC = lines(String.raw`
  d  5  >6  <6  ^7  *^7  .2f  .0f  8.3f  05d  x  X  b  o  #x  #b  .1%  e  .3e  E  g  .3g  ,  _  ,.2f  +d  +.1f  -5d  =+8d  06.2f  s  >10s  .2s  n  c  010  <05  ^+9.2f  %  08b  _x  +,  .0e  #o  0>5  10.3  .10g  G
`);

/** One slice or index. */
const INDEX = lines(
  "0  1  -1  5  -7  1:  :-1  ::2  ::-1  3:0:-1  -2:  0:0  1:100  -100:2  'a'  1.5  None  True  ::0  10**20  :10**20  (1, 2)",
);
const COMPARE = lines("<  <=  >  >=  ==  !=  in  not in  is  is not");
const OPERATE = lines("+  -  *  /  //  %  **  &  |  ^  <<  >>  and  or");

const METHOD_OF_TEXT = lines(String.raw`
  upper()  lower()  title()  capitalize()  swapcase()  casefold()  strip()  lstrip()  rstrip()  strip($s)  lstrip($s)  rstrip($s)  split()  split($s)  split(None, $x)  split($s, $x)  rsplit($s, $x)  rsplit()
  rsplit(None, 1)  splitlines()  splitlines(True)  join($l)  join(['x', 'y'])  join($s)  replace($s, $s)  replace($s, $s, $x)  find($s)  find($s, $x)  find($s, $x, $x)  rfind($s)  rfind($s, $x)  index($s)  rindex($s)
  index($s, $x)  count($s)  count($s, $x)  count($s, $x, $x)  startswith($s)  startswith($s, $x)  startswith($s, $x, $x)  startswith(('a', 'H'))  endswith($s)  endswith($s, $x)  endswith($s, $x, $x)  endswith(('a', 'b'))
  isdigit()  isdecimal()  isnumeric()  isalpha()  isalnum()  isspace()  isupper()  islower()  istitle()  isidentifier()  isprintable()  isascii()  zfill($x)  zfill(5)  center($x)  center(7)  center(8, '*')  ljust(4)  ljust($x, '-')
  rjust(6)  rjust(6, '0')  partition($s)  rpartition($s)  removeprefix($s)  removesuffix($s)  expandtabs()  expandtabs($x)  encode()  encode('utf-8')  encode('ascii', 'ignore')  encode('latin-1', 'replace')  format(1, 2)  format($a)
  translate({97: 'b'})  translate(str.maketrans('ab', 'xy'))  __len__()  foo()  split('')  replace('', '-')  strip(1)  join(1)  startswith(1)  count('')  rfind('')
`);
const METHOD_OF_LIST = lines(
  "index($i)  index($a)  count($a)  copy()  append($a)  pop()  pop($x)  sort()  reverse()  extend($l)  insert($x, 1)  remove($a)  clear()  index(1, $x)  index(1, $x, $x)  extend($s)  sort(reverse=True)  sort(key=$c)  pop(99)  foo()  __len__()",
);
const METHOD_OF_DICT = lines(
  "get('a')  get($a)  get('z', $a)  keys()  values()  items()  pop('a')  pop('z')  pop('z', 0)  pop($a, None)  popitem()  setdefault('k', $a)  setdefault('a')  copy()  update($d)  update(a=1)  clear()  fromkeys($l)  get()  foo  update([(1, 2)])",
);
const METHOD_OF_SET = lines(
  "union($l)  union($e, [9])  intersection($e)  intersection($l)  difference($e)  symmetric_difference($e)  issubset($e)  issuperset($e)  isdisjoint($l)  add($a)  remove(1)  discard(1)  pop()  copy()  update($l)  foo()",
);

const grammar: Grammar = {
  i: {
    leaves: INT,
    grown: lines(`
      $i + $i  $i - $i  $i * $i  $i // $i  $i % $i  $i & $i  $i | $i  $i ^ $i  ~$i  -$i  +$i  abs($i)  $i ** 2  $i ** $x  $i << 3  $i >> 2  len($s)  len($l)  int($f)  int($s)  int('12')  int($s, 16)  round($f)
      round($i, $x)  ord('é')  sum([$i, $i])  max($i, $i)  min([$i, $i])  divmod($i, $i)[0]  pow($i, $x, 7)  pow($i, $x)  pow(3, -1, 7)  hash($x)  $i.bit_length()  ($i).bit_count()  ($i).conjugate()  $s.count($s)  $l.index($i)
      ($i).to_bytes(20, 'big', signed=True)  int.from_bytes($b, 'big')  ($i).real  ($i).numerator  int(True)  int($i)  int()  int(' 12 ')  int('-0x1f', 16)  int('0b11', 0)  int('z', 36)  int('1__0')  int('')  int(None)  math($i)
    `).filter((one) => !one.startsWith("math(")),
  },
  f: {
    leaves: FLOAT,
    grown: lines(`
      $f + $f  $f - $f  $f * $f  $f / $f  $f // $f  $f % $f  $n // $n  $n % $n  $n / $n  $i / $i  $i / $i  -$f  abs($f)  $f ** 2  $f ** $x  $n ** $n  round($f, $x)  round($f, 2)  float($i)  float($s)  float('1e5')  float(' 1.5 ')
      float('-inf')  float('1_0.5')  float('infinity')  float('nan')  sum([$f, $f, $f])  sum([$n, $n, $n])  sum($l)  max($f, $n)  min($n, $n)  divmod($n, $n)  divmod($f, $f)[1]  $f.is_integer()  ($f).hex()  ($f).as_integer_ratio()
      float()  float('')  float('x')  float(None)  float('٣')  $f.real  ($f).conjugate()  pow($f, 2)  pow($n, $n)  abs($n)  sum([0.1] * 10)  sum([1e16, 1, -1e16])  sum([$i, $f])  sum(x * 0.1 for x in range(10))
    `),
  },
  n: { leaves: [...INT, ...FLOAT], grown: ["$i", "$f", "$i + $f", "$f - $i", "$i * $f", "-$n", "abs($n)"] },
  s: {
    leaves: TEXT,
    grown: [
      ...METHOD_OF_TEXT.map((one) => `$s.${one}`),
      ...lines(
        "$s + $s  $s * 2  $s * $x  str($a)  repr($a)  str($n)  repr($f)  chr($x + 97)  chr(8364)  ascii($s)  bin($i)  hex($i)  oct($i)  format($n, '.2f')  format($i, 'x')  format($a)  str($b, 'utf-8')  ','.join(map(str, $l))  ''.join(sorted($s))",
      ),
    ],
  },
  b: {
    leaves: BYTES,
    grown: lines(
      "$b + $b  $b * 2  bytes($l)  bytes(3)  bytes('é', 'utf-8')  $b[0:2]  $b.upper()  $b.replace(b'a', b'z')  $b.hex()  $b.decode()  $b.decode('latin-1')  $b.split(b',')  $b.strip()  bytes.fromhex('00ff')  $b.find(b'a')  $b[0]  $b[-1]  list($b)  $b.decode('ascii', 'replace')  $b.join([b'x', b'y'])  $b.startswith(b'a')",
    ),
  },
  l: {
    leaves: LIST,
    grown: [
      ...METHOD_OF_LIST.map((one) => `$l.${one}`),
      ...lines(
        "$l + $l  $l * 2  sorted($l)  sorted($l, reverse=True)  sorted($l, key=$c)  sorted($s)  list($s)  list($t)  list($d)  list($e)  list(range($x))  list(range($x, $x))  list(range(10, 0, -3))  list(map($c, $l))  list(filter($c, $l))  list(zip($l, $s))  list(enumerate($l))  list(enumerate($s, $x))  list(reversed($l))  [*$l, *$s]  $l[1:]  $l[::-1]  $l[$x:$x]  list($d.items())  list($d.values())  [x for x in $l]  [x for x in $l if x]  [str(x) for x in $l]  [(i, x) for i, x in enumerate($s)]  [x * 2 for x in $l]  $s.split()  [a + b for a in $s for b in $s]  list(zip($l, $l, $s))  [*range($x)]  list(zip(*$l))  [x for x in $d]  [i for i in range(10) if i % 3 == $x]  sorted($d)  sorted($e)  sorted($d.items(), key=lambda kv: kv[1])  sorted($l, key=str)  sorted($l, key=len)  sorted($l, key=lambda x: str(x), reverse=True)  list(zip($l, $s, strict=True))  [y := 1, y + 1]  list(iter($l))  [$a, $a]  [$n, $n, $n]  list($b)",
      ),
    ],
  },
  t: {
    leaves: TUPLE,
    grown: lines(
      "$t + $t  $t * 2  tuple($l)  tuple($s)  $t[1:]  $t[::-1]  ($a, $a)  ($a,)  (*$l, *$t)  divmod($i, $i)  $s.partition($s)  tuple(x for x in $l)  $t.index(1)  $t.count(1)  max($t)  tuple($d)",
    ),
  },
  d: {
    leaves: DICT,
    grown: [
      ...METHOD_OF_DICT.map((one) => `$d.${one}`),
      ...lines(
        "{**$d, **$d}  {**$d, 'z': $a}  $d | $d  dict($l)  dict(a=$a, b=$a)  dict(zip($s, $l))  {k: v for k, v in $d.items()}  {v: k for k, v in $d.items()}  {x: 1 for x in $l}  {$a: $a, $a: $a}  {$n: 1, $n: 2, $n: 3}  dict.fromkeys($s)  dict.fromkeys($s, 0)  {k: len(k) for k in $s.split()}  {str(x): x for x in $l}  dict(sorted($d.items()))  {'a': $a}  {'v': $n}  {c: $s.count(c) for c in $s}  dict($d, z=1)",
      ),
    ],
  },
  e: {
    leaves: SET,
    grown: [
      ...METHOD_OF_SET.map((one) => `$e.${one}`),
      ...lines(
        "$e | $e  $e & $e  $e - $e  $e ^ $e  set($l)  set($s)  {x for x in $l}  {$a, $a}  frozenset($l)  set(range($x))  {len(x) for x in $s.split()}",
      ),
    ],
  },
  x: { leaves: SMALL },
  c: { leaves: CALLED },
  a: {
    leaves: [...INT, ...FLOAT, ...TEXT, ...BYTES, ...LIST, ...TUPLE, ...DICT, ...SET, ...REST],
    grown: [
      ..."isfltdebn".split("").map((one) => `$${one}`),
      ...COMPARE.flatMap((one) => [`$a ${one} $a`, `$n ${one} $n`, `$s ${one} $s`]),
      ...OPERATE.map((one) => `$a ${one} $a`),
      ...INDEX.flatMap((one) => [`$s[${one}]`, `$l[${one}]`, `$t[${one}]`]),
      ...lines(
        "not $a  -$a  +$a  ~$a  $a if $a else $a  $n < $n < $n  $n <= $n == $n  $d[$a]  $d['a']  $d[1]  $l[$x]  $s[$x]  $s[$x:$x]  $s[$x:$x:$x]  $l[$x:$x:$x]  $t[$x]  bool($a)  type($a)  type($a).__name__  type($n)  isinstance($a, int)  isinstance($a, (str, bytes))  isinstance($n, float)  callable($a)  len($a)  any($l)  all($l)  max($l)  min($l)  max($l, key=$c)  min($l, default=0)  max([], default=$a)  max($s)  min($d)  max($a, $a)  sum($l)  sum($l, $n)  sum([[1], [2]], [])  iter($l)  next(iter($l))  next(iter($l), None)  hash($s) == hash($s)  id(1) == id(1)  (lambda x: x)($a)  (lambda x, y=2: [x, y])($a)  (lambda *a, **k: [a, k])($a, b=$a)  [*$t, $a]  (y := $a, y)  $a is None  None is not $a  $a == $a  $a != $a  $e < $e  $e <= $e  $e == $e  $d == $d  $l < $l  $l == $l  $t < $t  $t >= $t  str($a)  repr($a)  repr([$a])  str({'k': $a})  [x for x in $a]  sorted($a)  list($a)  dict($a)  set($a)  tuple($a)  enumerate($l)  zip($l)  map(str, $l)  $d.items()  $d.keys()  $d.values()  reversed($l)  range($x, $x)  range($x, $x, $x)  range($x, 10)[1]  range(10)[::2]  len(range($x))  5 in range(10)  all(x > 0 for x in $l)  any(x == 1 for x in $l)  sum(1 for x in $l if x)  round($n)  round($n, $x)  abs($a)  divmod($n, $n)  pow($n, $n)  pow($i, $x, $i)  print($a)  print($a, $a, sep='-')  ord($s)  chr($i)  bin($n)  hex($n)  oct($i)  complex(1, 2)  vars  getattr($s, 'upper')()  hasattr($a, 'upper')  getattr($a, 'x', 1)  eval('1+1')  format($a, '>10')  format($n, ',')  ascii($a)  object  sum",
      ),
    ],
  },
};

/** f-strings of a value that has no quotes or braces in it. */
function interpolated(random: Random): string {
  const sort = pick(["n", "i", "f", "s", "a", "x"], random);
  const value = filled(`$${sort}`, grammar, random, 1);
  if (/["\\{}]|lambda|!|:=/.test(value)) return `f"{(1)}"`;
  const conversion = random() < 0.15 ? pick(["!r", "!s", "!a"], random) : "";
  const spec = random() < 0.8 ? `:${pick(SPEC, random)}` : "";
  const before = pick(["", "v=", "é ", "{{", "100% "], random);
  return `f"${before}{(${value})${conversion}${spec}}"`;
}

const TOP: readonly string[] = [
  ...["$a", "$a", "$s", "$n", "$f", "$l", "$d", "$e", "$i"],
  ...COMPARE.map((one) => `$n ${one} $n`),
  ...OPERATE.map((one) => `$n ${one} $n`),
];

/** How the value is shown. */
const SHOWN = ["$", "$", "repr($)", "str($)", "print($)", "[$]", "print(repr($))", "{'v': $}", 'f"{$}"'];

/** One expression, seldom of more than 200 characters. */
export function oneLiner(random: Random): string {
  if (random() < 0.12) return interpolated(random);
  let code = "";
  for (let depth = 2; depth >= 0; depth--) {
    const template = pick(TOP, random);
    const sort = grammar[template.slice(1)]?.grown;
    code = filled(sort && random() < 0.85 ? pick(sort, random) : template, grammar, random, depth);
    if (code.length < 200) break;
  }
  const shown = pick(SHOWN, random);
  if (shown.startsWith("f") && /["\\{}]|lambda|!|:/.test(code)) return code;
  return shown.replace("$", () => (shown === "$" ? code : `(${code})`));
}

/** Code that would take too much time or memory. */
const isHuge = (code: string): boolean =>
  /\*\*.*\*\*.*\*\*|<<.*\*\*|\*\*.*<<|\*\*[^,)]*\(.*10\*\*|(\*\*|<<) ?\(?-?\(?(10\*\*|2\*\*|250|3\*\*|123456|9007|1_000|1000|255|0xff|100|1e)/.test(
    code,
  ) || /(range|bytes|zfill|center|ljust|rjust|expandtabs)\([^)]*(\*\*|1e|\d{6,})/.test(code);

/** So many different expressions. */
export function oneLiners(count: number, random: Random): readonly string[] {
  const found = new Set<string>();
  while (found.size < count) {
    const code = oneLiner(random);
    if (!isHuge(code)) found.add(code);
  }
  return [...found];
}
