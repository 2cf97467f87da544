/** Sources that are hard to parse: every kind of token repeated or nested up to a size, and code that is only long. */

/** A text repeated up to a length. */
const filled = (text: string, length: number): string => text.repeat(Math.ceil(length / text.length)).slice(0, length);

/** Lines that are made one by one, up to a length. */
function lines(length: number, line: (at: number) => string): string {
  const all: string[] = [];
  for (let at = 0, size = 0; size < length; at++) {
    const one = line(at);
    size += one.length + 1;
    all.push(one);
  }
  return all.join("\n").slice(0, length);
}

/** Texts that are repeated as they are: what one of them alone would cost shows. */
const REPEATED: readonly string[] = [
  ..."\n`'\"([{)]}-~+*/%.,;:@\\#$!?=<&|^_0a\f\r\0".split(""),
  ...["\u0301", "\ufeff", "\u00a0", "\u2028", "😀", "é", "\ud83d"],
  ...[
    '"""',
    "'''",
    "''",
    "f'{",
    'f"{',
    "f'''{\n",
    "f'{a:",
    "f'{{",
    "rb'",
    "'\\n",
    "\\\n",
    "#\n",
    " \n",
    "\t 1\n",
    "\r\n",
  ],
  ...[
    "([{",
    "(a,",
    "(a:=",
    "f(",
    "a[",
    "a[:",
    "{a:",
    "{1:1,",
    "[a for a in ",
    "{a for a in ",
    "(x for x in ",
    "*a,",
    "**a,",
  ],
  ...[
    "-",
    "not ",
    "lambda:",
    "lambda x:",
    "1 if 1 else ",
    "1<",
    "1<=a==",
    "a and ",
    "a|",
    "a%",
    "a**",
    "1+",
    "->",
    "... ",
  ],
  ...["a=", "a=1;", "a+=1\n", "a%=1\n", "a:", "a:a=1\n", "a ", "1 ", "'a'", "'a' ", "f'{a}'", "1_", "0x", "1e", "1j"],
  ...[
    "if ",
    "else:",
    "elif a:",
    "for ",
    "in ",
    "while ",
    "try:",
    "except ",
    "finally:",
    "with ",
    "def ",
    "class ",
    "match ",
  ],
  ...[
    "import ",
    "from ",
    "from . import ",
    "global a;",
    "nonlocal a\n",
    "del ",
    "return ",
    "yield ",
    "await ",
    "async ",
    "raise ",
  ],
  ...["assert ", "pass;", "print ", "print(1)\n", "type a=", "@a\n", "return a\n", "async for a in b:c\n", ">>> a\n"],
  ...[
    "if a:b\n",
    "def f():\n a\n",
    "class A:0\n",
    "try:\n a()\nexcept A as e:\n e\n",
    "if 1:\n\t1\n        2\n",
    " a\n  b\n",
  ],
  ...[
    "demo.search\n",
    "demo.search(a)\n",
    "ws(1)\n",
    "search(1)\n",
    "gather(",
    "a.dumps(",
    "{1,2};",
    "lambda:demo.search(),",
    "__ot ",
  ],
  ...["!onetool", "$a ", "$\u007ba} ", "__ret(", "__sanitize__=", "from __future__ import a\n"],
];

/** Shapes that need more than one text. */
const COMPOSED: Readonly<Record<string, (length: number) => string>> = {
  "spaces before a number": (n) => `${" ".repeat(n - 1)}1`,
  "tabs before a number": (n) => `${"\t".repeat(n - 1)}1`,
  "spaces before a statement after others": (n) => `a\n${" ".repeat(n - 4)};b`,
  "members of a text": (n) => `"a"${filled(".b", n - 3)}`,
  "members called now": (n) => `demo${filled(".now", n - 4)}`,
  "calls of calls": (n) => `f${filled("()", n - 1)}`,
  "items of items": (n) => `a${filled("[0]", n - 1)}`,
  "arguments of one call": (n) => `f(${filled("zip(),", n - 3)})`,
  "named arguments of one call": (n) => `demo.search(${filled("q=1,", n - 14)})`,
  "targets of one assignment": (n) => `(${filled("a,", n - 4)})=1`,
  "parameters of one function": (n) => `def f(${filled("a,", n - 9)}):0`,
  "parentheses that match": (n) => "(".repeat(n / 2) + ")".repeat(n / 2),
  "brackets around a lazy value": (n) => `${"(".repeat(n / 2 - 3)}zip()${")".repeat(n / 2 - 3)}`,
  "comprehensions of comprehensions": (n) => `${"[".repeat(n / 16)}a${filled(" for a in b]", (n / 16) * 12)}`,
  "lambdas around many names": (n) => filled("lambda a:", n / 2) + lines(n / 2, (at) => `a${at}`).replaceAll("\n", "+"),
  "fields that end in backslashes": (n) => `${filled("f'{", n / 2)}${"\\".repeat(n / 2 - 1)}'`,
  "names that are all different": (n) => lines(n, (at) => `a${at}=a${at - 1}`),
  "functions that call the next one": (n) => lines(n, (at) => `def f${at}():f${at + 1}()`),
  "functions that lead to a tool": (n) =>
    `def f0():demo.search()\n${lines(n - 30, (at) => `def f${at + 1}():f${at}()`)}`,
  "blocks in blocks": (n) => lines(n, (at) => `${" ".repeat(at)}if 1:`),
  "functions in functions": (n) => lines(n, (at) => `${" ".repeat(at)}def f${at}(a=b):`),
  "handlers of one try": (n) => `try:\n a.b()\n${filled("except A as e:e\n", n - 14)}`,
  "branches of one if": (n) => `if a:b\n${filled("elif a:b\n", n - 7)}`,
  "names of one import": (n) => `import ${filled("a.b,", n - 7)}`,
  "one long name": (n) => `${"a".repeat(n - 2)}()`,
  "one long number": (n) => "1".repeat(n),
  "one long comment": (n) => `#${"a".repeat(n - 1)}`,
  "one long text": (n) => `"${"a".repeat(n - 2)}"`,
  "escapes of one text": (n) => `'${filled("\\n", n - 2)}'`,
  "aliases before a fault": (n) => `${filled("ws(1)\n", n - 1)}\``,
  "faults on every line": (n) => filled("a b\n", n),
  "a fence around code": (n) => `\`\`\`python\n${filled("a=1\n", n - 13)}\`\`\``,
  "a fence in one line": (n) => `\`\`\`${filled("a ", n - 6)}\`\`\``,
  "a trigger around a text": (n) => `__ot(command="${filled("a\\n", n - 15)}")`,
  "a trigger and spaces": (n) => `__ot(command=${" ".repeat(n - 13)}`,
  "a snippet and texts that do not end": (n) => `$hi ${filled('a="b ', n - 4)}`,
  "a snippet and quotes inside words": (n) => `$hi ${filled('a="b"c ', n - 4)}`,
  "a snippet with a long value": (n) => `$hi name="${filled("a'b\\", n - 10)}"`,
  "a snippet with a long name": (n) => `$${"a".repeat(n - 1)}`,
  "a snippet and lines": (n) => `$hi\n${filled("a: b\n", n - 4)}`,
  "a snippet and empty lines": (n) => `$hi\n${" \n".repeat(n / 2 - 2)}`,
  "a name of an unknown function": (n) => `${filled("print(1)\n", n - 9)}\nunknown()`,
  "an ordinary program": (n) =>
    `${lines(n - 60, (at) => `def total_${at}(rows, name="row"):\n    return [r["n"] * ${at} for r in rows if r["name"] == name]`)}\n`,
};

/** Every shape by its name, as a function of its length. */
export const SHAPES: ReadonlyMap<string, (length: number) => string> = new Map([
  ...REPEATED.map((text) => [JSON.stringify(text), (length: number) => filled(text, length)] as const),
  ...Object.entries(COMPOSED).map(([name, make]) => [name, (length: number) => make(length).slice(0, length)] as const),
]);
