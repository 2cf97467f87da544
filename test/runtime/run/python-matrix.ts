/** Python that uses each of many values in each of many ways, most of which its type does not allow. */

const VALUES = [
  ...["0", "7", "10**20", "True", "2.5", "float('nan')", "'a'", "'Hello World'", "''", "None", "b'ab'", "..."],
  ...["[]", "[3, 1, 2]", "['b', 'a']", "()", "(1, 'a')", "{}", "{'a': 1, 'b': 2}", "set()", "{1, 2}", "frozenset([1])"],
  ...["range(3)", "len", "int", "lambda: 1", "ValueError('x')", "slice(1)", "{}.keys()", "{1: 2}.values()"],
  ...["iter([1])", "(x for x in [1])", "enumerate([1])", "zip([1])", "map(str, [1])", "reversed([1])"],
];

const METHODS = (
  "add append capitalize casefold clear copy count decode difference discard encode endswith extend find fromkeys get " +
  "index insert intersection isalnum isalpha isdigit isdisjoint issubset issuperset items join keys ljust lower lstrip " +
  "partition pop popitem remove removeprefix replace reverse rfind rjust rsplit setdefault sort split splitlines startswith " +
  "strip swapcase symmetric_difference title union update upper values zfill center"
).split(" ");

const BUILTINS = (
  "abs all any bin chr divmod enumerate filter hex len list map max min oct ord range repr reversed round set sorted str sum " +
  "tuple type zip int float bool dict frozenset"
).split(" ");

const ARGUMENTS = [
  ...["", "1", "'a'", "None", "[]", "[1]", "1.5", "True", "{}", "{'a'}", "()", "('a', 'b')", "-1", "b'a'", "range(2)"],
  ...["'a', 'b'", "1, 2", "'a', 1", "'a', None", "1, 'a'", "'a', 'b', 1", "'a', 0, 1", "*[1]", "key=None", "None, 1"],
];

/** Calls of builtins; `v` stands for the value. */
const CALLS = [
  "(v)",
  "v, 1",
  "1, v",
  "v, v",
  "v, key=None",
  "None, v",
  "v, default=1",
  "*v",
  "str, v",
  "[v]",
  "[v, v]",
];

/** What a value is used for; `v` stands for it. */
const USES = [
  ...["v[0]", "v[1:]", "v['a']", "v[None]", "[*v]", "{**v}", "-v", "~v", "not v", "sorted([v, v])", "{v}", "{v: 1}"],
  ...["','.join(v)", "'%s %r' % (v, v)", "[x for x in v]", "1 in v", "v == v", "v < v", "v + v", "v * 2", "f'{v:>5}'"],
];

/** Every method, builtin and use of every value. */
export function usesOfValues(): readonly string[] {
  const methods = VALUES.flatMap((value) =>
    METHODS.flatMap((name) => ARGUMENTS.map((given) => `(${value}).${name}(${given})`)),
  );
  const withValue = (template: string, value: string): string => template.replace(/\bv\b/g, () => `(${value})`);
  const builtins = VALUES.flatMap((value) =>
    BUILTINS.flatMap((name) => CALLS.map((given) => `${name}(${withValue(given, value)})`)),
  );
  const uses = VALUES.flatMap((value) => USES.map((use) => withValue(use, value)));
  const used = [...methods, ...builtins.flatMap((one) => [one, `list(${one})`]), ...uses];
  return used.map((one) => `print(repr(${one}))`);
}

/** Programs that use a generator as a list or twice, or sort what is no list. */
export const MISUSES: readonly string[] = [
  "def f(x): return len(x)\nprint(f(x for x in [1]))",
  "def f(x):\n  list(x)\n  return list(x)\nprint(f(x for x in [1]))",
  "f = lambda x: x[0]\nprint(f(x for x in [1]))",
  "print(len(x for x in [1]))",
  "print(str(x for x in [1])[:10])",
  "print(bool(x for x in []))",
  "x = (3, 1)\nx.sort()\nprint(x)",
  "x = {2: 1}\nx.values().sort()\nprint(x)",
  "x = [3, 1]\nx.sort()\nprint(x, sum(y for y in x), list(y for y in x))",
];
