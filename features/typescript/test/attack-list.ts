/** Programs that attack the interpreter of TypeScript, and what each gives: an error, or the value that it should have. */

/** Name, code, and the form of what it prints and answers. */
export type Attack = readonly [name: string, code: string, gives: RegExp];

/** The interpreter ends it, on time. */
export const LATE = /TimeoutError: the code used its 300 ms of CPU time$/;
/** One step of the interpreter takes longer than the limit: the host ends the process. */
const KILLED = /^TimeoutError: the code used its 300 ms of CPU time$/;
const ENDED = /(?:TimeoutError: the code used its|MemoryError: the code needs more than|RangeError: )/;
/** Deep recursion ends as an error that code can catch. */
const DEEP = /RangeError: Maximum call stack size exceeded$/;

const REVOKED = "const { proxy, revoke } = Proxy.revocable([], {}); revoke();";
const UNREADABLE = /^Error: thrown: \[TypeError: revoked proxy\]$/;
const FOREVER = "await new Promise(() => {})";
const LIAR = "new Proxy([1], { get: (held: any, name) => (name === 'length' ? 1e9 : held[name]) })";

/** Code that never ends by itself. */
export const LOOPS: readonly Attack[] = [
  ["a loop", "for (;;);", LATE],
  ["a loop after an answer", "await demo.count();\nwhile (true) {}", LATE],
  ["a loop in try", "for (;;) { try { for (;;); } catch {} finally {} }", LATE],
  ["microtasks", "const again = () => Promise.resolve().then(again); await again()", LATE],
  [
    "microtasks of queueMicrotask",
    "const again = () => queueMicrotask(again); again(); await new Promise(() => {})",
    LATE,
  ],
  ["await of nothing", "for (;;) await null", LATE],
  ["a getter", "const o = { get a() { for (;;); } }; o.a", LATE],
  ["a getter of the answer", "({ get a() { for (;;); } })", LATE],
  ["toJSON of the answer", "({ toJSON() { for (;;); } })", LATE],
  ["a regex that goes back", "/^(a+)+$/.test('a'.repeat(40) + 'b')", LATE],
  ["a regex with alternatives", "/(x|x|x)*y/.test('x'.repeat(60))", LATE],
  ["join of a billion items", "new Array(1e9).join('')", ENDED],
  ["nested catch recursion", "const f = () => { try { f(); } catch { f(); } }; f()", ENDED],
  ["a generator", "function* all() { for (;;) yield 1; }\nfor (const one of all()) one", LATE],
  ["an async generator", "async function* all() { for (;;) yield 1; }\nfor await (const one of all()) one", LATE],
  ["a comparator", "[3, 1, 2].sort(() => { for (;;); })", LATE],
  [
    "an iterator that never ends",
    "Math.max(...{ [Symbol.iterator]: () => ({ next: () => ({ value: 1, done: false }) }) } as any)",
    ENDED,
  ],
  [
    "JSON.stringify of a value that grows",
    "const grow = () => ({ toJSON: () => [grow(), grow()] }); JSON.stringify(grow())",
    ENDED,
  ],
  ["a proxy", "const p: any = new Proxy({}, { get: () => { for (;;); } }); p.a", LATE],
  ["a proxy of its own", "const p: any = new Proxy({}, { ownKeys: () => { for (;;); } }); p", LATE],
  [
    "a proxy as prototype",
    "const p: any = {}; Object.setPrototypeOf(p, new Proxy({}, { get: (_, k, r) => r[k] })); p.a",
    ENDED,
  ],
  ["valueOf in arithmetic", "1 + ({ valueOf() { for (;;); } } as any)", LATE],
  ["a setter", "const o = { set a(_: number) { for (;;); } }; o.a = 1", LATE],
  ["a class's static block", "class A { static { for (;;); } }", LATE],
  ["replace with a function", "'a'.replace(/a/, () => { for (;;); })", LATE],
  ["a tagged template", "const tag = (..._: any[]) => { for (;;); }; tag`a`", LATE],
  ["a timer", "setTimeout(() => { for (;;); }); await new Promise(() => {})", LATE],
  ["then of a value", "await ({ then() { for (;;); } } as any)", LATE],
  ["powers of a bigint", "let a = 3n; for (;;) a = a * a", ENDED],
  ["eval", "(0, eval)('for (;;);')", LATE],
  ["Symbol.toPrimitive of a key", "({} as any)[{ [Symbol.toPrimitive]() { for (;;); } } as any]", LATE],
  ["a loop that catches its end", "try { for (;;); } catch (e) { 'caught' }\n'after'", LATE],
  ["a loop in finally", "try { for (;;); } finally { await demo.count() }", LATE],
];

/** Code that takes memory. */
export const MEMORY: readonly Attack[] = [
  ["a list that grows", "const a = []; for (;;) a.push(new Array(1000).fill(1))", ENDED],
  ["a text that doubles", "let a = 'x'; for (;;) a += a", /(?:MemoryError|InternalError|RangeError|TimeoutError): /],
  ["a typed array of a gigabyte", "new Uint8Array(2 ** 30).length", /(?:MemoryError|InternalError|RangeError): /],
  ["many typed arrays, caught", "const a = []; for (;;) try { a.push(new Uint8Array(2 ** 22)) } catch {}", ENDED],
  ["repeat", "'x'.repeat(2 ** 29).length", /(?:MemoryError|InternalError|RangeError): /],
  [
    "padStart, caught",
    "try { 'x'.padStart(2 ** 30 - 2).length } catch { 'caught' }",
    /(?:MemoryError|"caught"|RangeError)/,
  ],
  ["a Map that grows", "const m = new Map(); for (let i = 0; ; i++) m.set(i, 'x' + i)", ENDED],
  ["promises that wait", "const p = []; for (;;) p.push(new Promise(() => {}))", ENDED],
  ["closures", "let f = () => 1; for (;;) { const g = f; f = () => g() + 1; }", ENDED],
  ["spread of spread", "let a = [1, 2, 3, 4]; for (;;) a = [...a, ...a]", ENDED],
  ["names of properties", "const o: any = {}; for (let i = 0; ; i++) o['k' + i] = i", ENDED],
  ["symbols", "const a = []; for (let i = 0; ; i++) a.push(Symbol.for('s' + i))", ENDED],
  [
    "a bigint of a gigabit",
    "(1n << (1n << 30n)).toString().length",
    /(?:MemoryError|TimeoutError|RangeError|InternalError): /,
  ],
  ["a list of a huge length", "const a: any[] = []; a.length = 2 ** 32 - 1; a.fill(1)", ENDED],
  [
    "a regex of a huge text",
    "new RegExp('(' .repeat(1e5) + ')'.repeat(1e5))",
    /(?:SyntaxError|RangeError|MemoryError|TimeoutError|InternalError)/,
  ],
];

const nested = (open: string, inner: string, close: string, times: number): string =>
  `${open.repeat(times)}${inner}${close.repeat(times)}`;

/** Code and values that nest deeply. */
export const DEPTH: readonly Attack[] = [
  ["recursion", "const f = () => f() + 1; f()", DEEP],
  [
    "recursion, caught",
    "let r; const f = () => f() + 1; try { f() } catch (e) { r = [e instanceof RangeError, e.name] } r",
    /^\[true,"RangeError"\]$/,
  ],
  ["recursion of toString", "const o: any = { toString() { return '' + o } }; '' + o", DEEP],
  ["recursion of getters", "const o: any = { get a() { return o.a } }; o.a", DEEP],
  [
    "recursion of proxies",
    "let p: any = {}; for (let i = 0; i < 1e5; i++) p = new Proxy(p, {}); p.a",
    /RangeError|TimeoutError|novalue|^$/,
  ],
  [
    "a chain of 100,000 bind",
    "let f: any = () => 1; for (let i = 0; i < 1e5; i++) f = f.bind(null); f()",
    /RangeError|TimeoutError|MemoryError/,
  ],
  [
    "a chain of 1,000,000 prototypes",
    "let o: any = {}; for (let i = 0; i < 1e6; i++) o = Object.create(o); o.a",
    ENDED,
  ],
  ["an answer of 100,000 levels", "let a: any = []; for (let i = 0; i < 1e5; i++) a = [a]; a", /^\[+"\.\.\."\]+$/],
  [
    "an argument of 100,000 levels",
    "let a: any = []; for (let i = 0; i < 1e5; i++) a = [a]; await demo.echo({ value: a })",
    /TypeError: .*nested too deeply$/,
  ],
  ["JSON.parse of 100,000 levels", "JSON.parse('['.repeat(1e5))", /RangeError|SyntaxError/],
  [
    "JSON.stringify of 100,000 levels",
    "let a: any = []; for (let i = 0; i < 1e5; i++) a = [a]; JSON.stringify(a)",
    /RangeError/,
  ],
  [
    "structuredClone of 100,000 levels",
    "let a: any = []; for (let i = 0; i < 1e5; i++) a = [a]; structuredClone(a)",
    /RangeError/,
  ],
  [
    "flat of 100,000 levels",
    "let a: any = []; for (let i = 0; i < 1e5; i++) a = [a]; a.flat(Infinity).length",
    /RangeError|^0$/,
  ],
  [
    "a chain of 100,000 then",
    "let p: any = Promise.resolve(1); for (let i = 0; i < 1e5; i++) p = p.then((x) => x); await p",
    /^1$|TimeoutError/,
  ],
  ["50,000 parentheses", nested("(", "1", ")", 50_000), /SyntaxError: the code is nested too deeply/],
  ["3,000 parentheses", nested("(", "1", ")", 3000), /^1$|SyntaxError|RangeError/],
  ["5,000 lists", nested("[", "", "]", 5000), /^\[+"\.\.\."\]+$|SyntaxError|RangeError/],
  ["2,000 functions", nested("(() => ", "1", ")()", 2000), /^1$|SyntaxError|RangeError/],
  ["2,000 blocks", `${nested("{", "", "}", 2000)};1`, /^1$|SyntaxError|RangeError/],
  ["20,000 signs", `${"- ".repeat(20_000)}1`, /^1$|SyntaxError|RangeError/],
  ["20,000 terms", Array(20_000).fill("1").join("+"), /^20000$|SyntaxError|RangeError/],
  ["1,000 templates", nested("`${", "1", "}`", 1000), /^"1"$|SyntaxError|RangeError/],
  ["10,000 else", `${"if (0) 1; else ".repeat(10_000)}2\n3`, /^3$|SyntaxError|RangeError/],
  [
    "eval of 100,000 parentheses",
    "(0, eval)('('.repeat(1e5) + 1 + ')'.repeat(1e5))",
    /SyntaxError|RangeError|InternalError|^1$/,
  ],
  [
    "a regex of 100,000 groups in eval",
    "(0, eval)('/' + '(?:'.repeat(1e5) + ')'.repeat(1e5) + '/')",
    /SyntaxError|RangeError|InternalError/,
  ],
];

const ECHO = 'await demo.echo({ value: { a: [1, "x"], when: new Date(0) } })';
const ECHOED = '{"a":[1,"x"],"when":"1970-01-01T00:00:00.000Z"}';
/** A program that changes what the guest's side of a run may use, makes a call, and gives its answer as if nothing were changed. */
const patched = (name: string, patch: string): Attack => [
  name,
  `${patch};\n${ECHO}`,
  new RegExp(`^${ECHOED.replace(/[[\]{}.]/g, "\\$&")}$`),
];
const evil = "(() => { throw new Error('evil') })";

/** Changes of what the guest's side uses. */
export const POLLUTION: readonly Attack[] = [
  patched("toJSON of every object's prototype, of texts", "(String.prototype as any).toJSON = () => 'evil'"),
  patched("toJSON of numbers", "(Number.prototype as any).toJSON = () => 'evil'"),
  patched(
    "keys of every object",
    "Object.prototype['e' as any] = { message: 'evil', code: 'X' }; Object.prototype['big' as any] = [[[], '1']]",
  ),
  patched(
    "members of settings",
    "for (const n of ['up', 'v', 'args', 'action', 'now', 'id', 'line', 'op', 'held', 'error', 'value', 'get', 'set', 'writable', 'isFailed', 'isRead']) Object.defineProperty(Object.prototype, n, { __proto__: null, value: 'evil', configurable: true, writable: true } as any)",
  ),
  patched(
    "a setter of every object",
    "for (const n of ['0', '1', 'a', 'when', 'v', 'e']) Object.defineProperty(Object.prototype, n, { set() { throw new Error('evil') }, get() { return undefined }, configurable: true })",
  ),
  patched(
    "indexes of lists",
    "Object.defineProperty(Array.prototype, '0', { set() { throw new Error('evil') }, get: () => 'evil', configurable: true })",
  ),
  patched("the iterator of lists", `Array.prototype[Symbol.iterator] = ${evil} as any`),
  patched(
    "methods of lists",
    `for (const n of Object.getOwnPropertyNames(Array.prototype)) if (typeof (Array.prototype as any)[n] === 'function' && n !== 'constructor') (Array.prototype as any)[n] = ${evil}`,
  ),
  patched(
    "methods of texts",
    `for (const n of Object.getOwnPropertyNames(String.prototype)) if (typeof (String.prototype as any)[n] === 'function' && n !== 'constructor') (String.prototype as any)[n] = ${evil}`,
  ),
  patched(
    "methods of Map, Set and WeakMap",
    `for (const P of [Map, Set, WeakMap]) for (const n of Object.getOwnPropertyNames(P.prototype)) Object.defineProperty(P.prototype, n, { get: ${evil} })`,
  ),
  patched(
    "methods of Date",
    `for (const n of ['getTime', 'valueOf', 'toString', 'toJSON']) (Date.prototype as any)[n] = ${evil}`,
  ),
  patched(
    "methods of functions",
    `Function.prototype.call = Function.prototype.apply = Function.prototype.bind = ${evil} as any`,
  ),
  patched(
    "functions of Reflect and Object",
    `for (const O of [Reflect, Object] as any[]) for (const n of Object.getOwnPropertyNames(O)) if (typeof O[n] === 'function') try { O[n] = ${evil} } catch {}`,
  ),
  patched("JSON", `JSON.parse = JSON.stringify = ${evil} as any; (globalThis as any).JSON = null`),
  patched(
    "global names",
    "for (const n of ['Array', 'Object', 'Promise', 'Map', 'Set', 'WeakMap', 'Proxy', 'Reflect', 'Error', 'TypeError', 'RangeError', 'Number', 'BigInt', 'String', 'parseInt']) (globalThis as any)[n] = undefined",
  ),
  patched(
    "then of promises",
    "const then = Promise.prototype.then; Promise.prototype.then = function (...all: any[]) { return (then as any).apply(this, all) }",
  ),
  patched("species of promises", "Object.defineProperty(Promise, Symbol.species, { get() { return undefined } })"),
  patched(
    "species that throws",
    "Object.defineProperty(Promise, Symbol.species, { get() { throw new Error('evil') } })",
  ),
  patched(
    "species of lists",
    "Object.defineProperty(Array, Symbol.species, { get() { throw new Error('evil') } }); class L extends Array {}; [].constructor",
  ),
  patched(
    "hasInstance",
    "for (const C of [Error, Promise, Map, Set, Date]) Object.defineProperty(C, Symbol.hasInstance, { value: () => true })",
  ),
  patched("ToolError", "(globalThis as any).ToolError = null"),
  patched(
    "the parent of ToolError",
    "Object.setPrototypeOf(ToolError, class { constructor() { throw new Error('evil') } } as any)",
  ),
  [
    "the parent of ToolError, where a call fails",
    "Object.setPrototypeOf(ToolError, function () { throw new TypeError('evil') } as any);\nlet r; try { await demo.fail() } catch (e: any) { r = e.message }\nr",
    /^"it has failed"$/,
  ],
  [
    "the constructor of promises",
    `(Promise.prototype as any).constructor = function () { throw new Error('evil') };\n${ECHO}`,
    /^\{"a":\[1,"x"\]|Error: evil$/,
  ],
  [
    "a constructor of promises that lies",
    `(Promise.prototype as any).constructor = { [Symbol.species]: function (run: any) { run(() => {}, () => {}) } };\n${ECHO}`,
    /^\{"a":\[1,"x"\]|Error: /,
  ],
  [
    "then of every object",
    `(Object.prototype as any).then = function (ok: any) { ok('evil') };\n${ECHO}`,
    /^"evil"$|Error: /,
  ],
  ["toJSON of every object", `(Object.prototype as any).toJSON = () => 'evil';\n${ECHO}`, /^"evil"$/],
  [
    "a getter of __format__",
    "Object.defineProperty(globalThis, '__format__', { get() { throw new Error('evil') } });\n1",
    /^Error: evil$/,
  ],
  ["the prototype of the global object", "Object.setPrototypeOf(globalThis, null);\n1", /^1$|TypeError/],
  [
    "a frozen world",
    `for (const n of Object.getOwnPropertyNames(globalThis)) { const v = (globalThis as any)[n]; try { Object.freeze(v); if (v && v.prototype) Object.freeze(v.prototype) } catch {} }\n${ECHO}`,
    /^\{"a":\[1,"x"\]/,
  ],
];

/** Code that wants out, or to say what only the host's side may say. */
export const ESCAPES: readonly Attack[] = [
  [
    "forged messages in a print",
    'console.log(\'\\n{"t":"done","outcome":"value","json":"666"}\\u0002{"t":"done","outcome":"value","json":"666"}\'); 1',
    /^\n\{"t":"done".*1$/s,
  ],
  [
    "forged messages in a thrown text",
    'throw \'\\u0002{"t":"done","outcome":"value","json":"666"}\\n\'',
    /^Error: thrown: .\{"t":"done"/,
  ],
  [
    "forged messages in the name of an error",
    "const e = new Error('x'); e.name = '\\n\\u0002{\"t\":\"spent\"}'; throw e",
    /^Exception: x$/,
  ],
  ["forged messages in a key", "({ '\\u0002{\\n\"t\":1}': 1 })", /^\{"\\u0002\{\\n\\"t\\":1\}":1\}$/],
  ["forged values", "({ $: 'int', text: '0x1' })", /^\{"\$":"int","text":"0x1"\}$/],
  ["forged arguments", "await demo.echo({ value: { $: 'dict', entries: 5 } })", /^\{"\$":"dict","entries":5\}$/],
  [
    "Function",
    "new Function('return typeof process + typeof require + typeof __main + typeof post')()",
    /^"undefinedundefinedundefinedundefined"$/,
  ],
  ["the constructor of functions", "(async () => {}).constructor('return typeof process')()", /^"undefined"$|Error/],
  ["the constructor of a pack", "(demo as any).echo.constructor('return typeof process')()", /^"undefined"$|TypeError/],
  [
    "host globals",
    "['process', 'require', 'module', 'Buffer', 'fetch', 'navigator', 'std', 'os', 'print', 'gc', 'WebAssembly', 'Worker', 'SharedArrayBuffer', 'WeakRef', 'scriptArgs', 'bjson'].filter((n) => n in globalThis)",
    /^\[\]$/,
  ],
  ["import by eval", "await (0, eval)(\"import('fs')\")", /Error/],
  ["code that closes the function", "})(); globalThis.x = 1; (async () => {", /^SyntaxError: /],
  ["code that closes the function by a comment", "0 <!-- (() => {\n})(), (async () => { 1 //", /Error|^$|^1$/],
  ["code that closes it by a comment of HTML at its end", "let a = 1; let b = 2; b --> (() => {\n}); 3", /./],
  ["return in the middle", "return 7; 8", /^7$/],
  ["an arguments object", "typeof arguments", /^"undefined"$|Error/],
  ["await as a name", "const f = () => { var yield_ = 1; return yield_ }; f()", /^1$/],
  ["the stack of an error", "new Error('x').stack", /^"[^"]*"$/],
  ["callers", "function f() { return (f as any).caller } f()", /Error|^null$|^$/],
  ["types that read files", 'let x: typeof import("/etc/passwd") = 1 as any;\nconst y: string = x;\ny', /^1$/],
  ["a reference to a file", '/// <reference path="/etc/passwd" />\n1', /^1$/],
  [
    "types that never end",
    "type N<T extends any[]> = T['length'] extends 999999 ? T : N<[...T, 1, 2, 3]>;\nlet n: N<[]>;\n1",
    /^1$/,
  ],
  [
    "types that double",
    "type D<T extends string, N extends any[] = []> = N['length'] extends 40 ? T : D<`${T}${T}` | `${T}x`, [...N, 1]>;\nlet n: D<'a' | 'b'>;\n1",
    /^1$/,
  ],
  [
    "a union of many texts",
    `type D = '0' | '1' | '2' | '3' | '4' | '5' | '6' | '7' | '8' | '9';\ntype T = \`\${D}\${D}\${D}\${D}\`;\nlet a: T = '1234', b: T = a;\na`,
    /^"1234"$/,
  ],
  ["__proto__ as an argument", 'await demo.echo({ ["__proto__"]: 1 } as any)', /^null$|TypeError/],
  [
    "__proto__ in an argument",
    'await demo.echo({ value: JSON.parse(\'{"__proto__": {"a": 1}}\') })',
    /^\{"__proto__":\{"a":1\}\}$/,
  ],
  [
    "__proto__ as a key of the answer",
    'JSON.parse(\'{"__proto__": {"a": 1}, "b": 2}\')',
    /^\{"__proto__":\{"a":1\},"b":2\}$/,
  ],
  [
    "control characters",
    "'\\u0000\\u0001\\u0002\\u001b\\u007f\\u2028'",
    /^"\\u0000\\u0001\\u0002\\u001b\u007f\u2028"$/,
  ],
  ["control characters in the code", "'\u0001\u0002\u001b'", /^"\\u0001\\u0002\\u001b"$/],
  ["a NUL in the code", "'a\u0000b'.length", /^3$/],
  [
    "lone surrogates",
    "['\\ud83d', '\\ude00', '\\ud83d\\ude00'.length]",
    /^\["(?:\\ud83d|\ufffd)","(?:\\ude00|\ufffd)",2\]$/,
  ],
  ["lone surrogates in an argument", "(await demo.echo({ value: '\\ud83d' })).length", /^1$/],
  ["lone surrogates in the code", "'\ud83d'.length", /^[13]$/],
  ["a huge text", "'x'.repeat(25e6)", /OutputError: result larger than|MemoryError|TimeoutError/],
  [
    "a huge argument",
    "await demo.echo({ value: 'x'.repeat(21e6) })",
    /RangeError: the arguments of demo\.echo are too large|MemoryError|OutputError/,
  ],
  ["an error with a huge text", "throw new Error('x'.repeat(1e6))", /^Error: x{10000}$/],
  [
    "an error whose message throws",
    "const e: any = new Error('x'); Object.defineProperty(e, 'message', { get() { throw 1 } }); throw e",
    /^Error: /,
  ],
  [
    "a proxy that is thrown",
    "throw new Proxy({}, { get() { throw 1 }, getPrototypeOf() { throw 2 } })",
    /^(?:Error|TypeError): /,
  ],
  ["nothing that is thrown", "throw undefined", /^Error: thrown: undefined$/],
  [
    "a pack that is changed",
    "(demo as any).echo = () => 1; await demo.echo({ value: 2 })",
    /TypeError: 'demo' is read-only|TypeError/,
  ],
  ["a pack whose prototype is set", "Object.setPrototypeOf(demo, {}); 1", /TypeError: 'demo' is read-only/],
  ["a pack that is hidden", "(globalThis as any).demo = 1; 2", /TypeError/],
  [
    "a path of an op that is made",
    "await (demo as any)['echo.x']({})",
    /TypeError: pack 'demo' has no function 'echo\.x'/,
  ],
  ["the end of the program from a timer", "setTimeout(() => { demo.echo({ value: 1 }) }, 1); 'over'", /^"over"$/],
  [
    "a call after the end",
    "Promise.resolve().then(async () => { for (let i = 0; i < 50; i++) await null; demo.echo({ value: 1 }) }); 'over'",
    /^"over"$/,
  ],
  ["nothing that is under way", "await new Promise(() => {})", /^Error: the program waits for ever/],
];

/** Floods of messages. */
export const FLOODS: readonly Attack[] = [
  [
    "prints",
    "for (;;) console.log('x'.repeat(1000))",
    /x\nOutputError: printed more than 1 MB$|OutputError: printed more than|TimeoutError/,
  ],
  ["one huge print", "console.log('x'.repeat(3e6))", /^x{1048576}OutputError: printed more than 1 MB$/],
  [
    "calls at once",
    "await Promise.all(Array.from({ length: 5000 }, () => demo.count()))",
    /OutputError: more than 1000 tool calls in one run$|RangeError: more than 1000 tool calls/,
  ],
  ["calls that are not awaited", "for (;;) demo.count()", /more than 1000 tool calls|TimeoutError/],
  [
    "calls that are caught",
    "for (;;) try { await demo.count() } catch {}",
    /OutputError: more than 1000 tool calls in one run$|TimeoutError/,
  ],
  ["timers", "for (;;) setTimeout(() => {}, 1e6)", /^RangeError: more than 1900 timers at once$/],
  [
    "10,000 timers of no time",
    "let n = 0; await new Promise<void>((done) => { for (let i = 0; i < 10000; i++) setTimeout(() => { if (++n === 10000) done() }) }); n",
    /^RangeError: more than 1900 timers at once$/,
  ],
  [
    "rejections that nobody takes",
    "for (let i = 0; i < 1e4; i++) Promise.reject(new Error('x')); 1",
    /^1$|TimeoutError/,
  ],
  ["failures that nobody takes", "for (let i = 0; i < 50; i++) demo.fail(); 1", /^ToolError: it has failed$/],
];

/** Values that throw, lie or never end wherever they are looked at; sorts, texts and expressions of great size. */
export const HOSTILE: readonly Attack[] = [
  ["a revoked proxy that is thrown by a timer", `${REVOKED} setTimeout(() => { throw proxy }); ${FOREVER}`, UNREADABLE],
  [
    "a revoked proxy that a microtask throws",
    `${REVOKED} queueMicrotask(() => { throw proxy }); ${FOREVER}`,
    UNREADABLE,
  ],
  ["a revoked proxy that is thrown", `${REVOKED} throw proxy`, UNREADABLE],
  ["a revoked proxy that is printed", `${REVOKED} console.log(proxy); 1`, /^\[TypeError: revoked proxy\]\n1$/],
  ["a revoked proxy as the answer", `${REVOKED} proxy`, /^TypeError: revoked proxy$/],
  ["a revoked proxy as an argument", `${REVOKED} await demo.echo({ value: proxy })`, /^TypeError: revoked proxy$/],
  ["a revoked proxy as the arguments", `${REVOKED} await (demo.echo as any)(proxy)`, /^TypeError: revoked proxy$/],
  ["traps that throw", "new Proxy({}, new Proxy({}, { get() { throw new Error('trap') } }))", /^Error: trap$/],
  [
    "an error without a readable text, from a timer",
    `const e: any = new Error('x'); for (const n of ['name', 'message', 'stack']) Object.defineProperty(e, n, { get() { throw e } }); setTimeout(() => { throw e }); ${FOREVER}`,
    /^Error: an error without text$/,
  ],
  ["a list that lies of its length", LIAR, LATE],
  [
    "a list that lies of its length, as an argument",
    `await demo.echo({ value: ${LIAR} })`,
    /^TypeError: demo\.echo\(\): value\[1\] is undefined$/,
  ],
  ["a list that lies of its length, as a table", `console.table(${LIAR})`, LATE],
  [
    "a typed array that lies of its length",
    "(0, eval)('new (class extends Uint8Array { get length() { return 1e9 } })(2)')",
    LATE,
  ],
  ["2^40 lists in 40", "let a: any = ['x']; for (let i = 0; i < 40; i++) a = [a, a]; a", LATE],
  [
    "2^60 lists in 60, cloned",
    "let a: any = ['x']; for (let i = 0; i < 60; i++) a = [a, a]; structuredClone(a).length",
    /^2$/,
  ],
  ["a huge name of an error", "const e = new Error('x'); e.name = 'n'.repeat(1e7); throw e", /^n{100}: x$/],
  ["a huge stack of an error", "const e = new Error('x'); e.stack = 'run.js:'.repeat(3e6); throw e", /^Error: x$/],
  [
    "an accessor in place of stacks",
    "Object.defineProperty(Error.prototype, 'stack', { get() { throw 1 }, set() { throw 2 } }); await demo.fail()",
    /^ToolError: it has failed$/,
  ],
  [
    "stacks that the program writes",
    "(Error as any).prepareStackTrace = () => { throw new Error('evil') }; (Error as any).stackTraceLimit = Infinity; await demo.echo({ value: 1 })",
    /^1$/,
  ],
  ["a huge format", "(globalThis as any).__format__ = new Array(1e6).fill(1); 1", LATE],
  ["a format that never ends", "(globalThis as any).__format__ = new Proxy([], { get() { for (;;); } }); 1", LATE],
  [
    "a format that is a symbol",
    "(globalThis as any).__format__ = Symbol('x'); 1",
    /^TypeError: __format__ is a symbol$/,
  ],
  [
    "a setting that throws",
    "(globalThis as any).__sanitize__ = { get a() { throw new Error('evil') } }; 1",
    /^Error: evil$/,
  ],
  ["a sort by chance", "Array.from({ length: 1e5 }, (_, i) => i).sort(() => Math.random() - 0.5).length", LATE],
  [
    "a sort that empties its list",
    "const x = Array.from({ length: 1e4 }, (_, i) => i); x.sort((a, b) => { x.length = 0; return a - b }).length",
    /^\d+$/,
  ],
  ["a sort of 40 million bytes", "new Uint8Array(4e7).sort().length", /TimeoutError|MemoryError|^40000000$/],
  ["indexOf in 2^53 items", "Array.prototype.indexOf.call({ length: 2 ** 53 - 1 } as any, 1)", KILLED],
  ["reverse of 2^53 items", "Array.prototype.reverse.call({ length: 2 ** 53 - 1 } as any)", KILLED],
  ["digits of a bigint", "(9n ** 300000n).toString().length", KILLED],
  ["a text of many replacements", "'a'.repeat(1e5).replace(/a/g, \"$'$`\").length", /MemoryError|TimeoutError/],
  ["a regex with counts of counts", "/(?:a{1000}){1000}b/.test('a'.repeat(1e5))", LATE],
  ["a regex with itself inside", "/^(([a-z])+.)+[A-Z]([a-z])+$/.test('a'.repeat(60))", LATE],
  ["a regex that looks behind", "/(?<=(a+)+)b/.test('a'.repeat(50))", /^false$/],
  [
    "a regex that the program carries out",
    "const r: any = /a/g; r.exec = () => ({ index: 0, 0: '', length: 1 }); 'aaa'.replace(r, 'b')",
    LATE,
  ],
  [
    "a template of templates",
    "const f = (n: number): string => n ? `${f(n - 1)}${f(n - 1)}` : 'xxxxxxxxxx'; f(28).length",
    ENDED,
  ],
  ["raw text of 2^40 parts", "String.raw({ raw: { length: 2 ** 40 } } as any)", KILLED],
  ["labels", "a: for (;;) { b: for (;;) continue a; }", LATE],
  [
    "a generator that goes on at its end",
    "function* g() { try { yield 1 } finally { for (;;); } } for (const x of g()) break; 1",
    LATE,
  ],
  ["a generator in itself", "function* g(n: number): any { yield* g(n + 1) } [...g(0)]", DEEP],
  [
    "an async iterator whose end throws",
    "for await (const x of { [Symbol.asyncIterator]: () => ({ next: () => ({ then(ok: any) { ok({ get done() { throw new Error('evil') } }) } }) }) } as any) x",
    /^Error: evil$/,
  ],
  ["a value that is its own promise", "const t: any = { then(ok: any) { ok(t) } }; await t", LATE],
  [
    "timers that are cleared",
    "for (let i = 0; i < 1e5; i++) clearTimeout(setTimeout(() => {}, 1e6)); 1",
    /^RangeError: more than 1900 timers at once$/,
  ],
  [
    "the id of a call as that of a timer",
    "const p = demo.echo({ value: 3 }); for (let i = 0; i < 9; i++) clearTimeout(i); await p",
    /^3$/,
  ],
  ["a call in a getter of the answer", "({ get a() { return demo.count() } })", /^Error: the program has ended$/],
  ["control characters in an error", "throw new Error('\\u0000\\u0002\\n\\u001b[31m')", /^Error: [^ -~]{4}\[31m$/],
];

/** All of them. */
export const ATTACKS: readonly Attack[] = [
  ...LOOPS,
  ...MEMORY,
  ...DEPTH,
  ...POLLUTION,
  ...ESCAPES,
  ...FLOODS,
  ...HOSTILE,
];
