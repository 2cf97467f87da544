/**
 * The guest's side of a TypeScript run: packs, calls, timers, prints, results. It is evaluated once in each process, and its
 * memory is put back before each program.
 *
 * The program can change every object that it reaches, such as `Object.prototype`, so this code keeps its own copies of the built-in
 * functions and writes its messages by hand: no iterators, no `JSON.stringify` of objects, no descriptors with a prototype.
 */

const BASE = String.raw`
const G = globalThis;
const { apply, construct, defineProperty, deleteProperty, getPrototypeOf, setPrototypeOf } = Reflect;
const { freeze, keys: keysOf, prototype: ObjectProto } = Object;
const isProto = (proto, value) => apply(ObjectProto_isPrototypeOf, proto, [value]);
const ObjectProto_isPrototypeOf = ObjectProto.isPrototypeOf;
const { isArray } = Array;
const { isInteger } = Number;
const { isView } = ArrayBuffer;
const parse = JSON.parse;
const quote = JSON.stringify;
const ErrorC = Error, TypeErrorC = TypeError, RangeErrorC = RangeError, PromiseC = Promise, ProxyC = Proxy;
const DateC = Date, MapC = Map, SetC = Set, WeakMapC = WeakMap, ArrayC = Array, BufferC = ArrayBuffer, NumberC = Number;
const MapProto = Map.prototype, SetProto = Set.prototype, WeakProto = WeakMap.prototype, DateProto = Date.prototype;
const { get: map_get, set: map_set, has: map_has, delete: map_delete, forEach: map_each } = MapProto;
const { add: set_add, has: set_has, delete: set_delete, forEach: set_each } = SetProto;
const { get: weak_get, set: weak_set } = WeakProto;
const { getTime: date_time, toISOString: date_iso } = DateProto;
const { indexOf: text_index, slice: text_slice, toLowerCase: text_lower, normalize: text_normalize } = String.prototype;
const text_replace = String.prototype.replace, text_code = String.prototype.charCodeAt;
const list_slice = Array.prototype.slice, list_join = Array.prototype.join, list_sort = Array.prototype.sort;
const number_fixed = Number.prototype.toFixed;
const big_text = BigInt.prototype.toString, BigIntC = BigInt, parseIntC = parseInt;
const promise_then = Promise.prototype.then;
/** The same promise, whose then does not ask the program for the class of the next one. */
const ownPromise = (promise) => { define(promise, "constructor", undefined); return promise; };
const { floor, max, min } = Math;
const { toPrimitive: Symbol_toPrimitive } = Symbol;

const at = (text, part, from) => apply(text_index, text, [part, from]);
const cut = (text, from, to) => apply(text_slice, text, [from, to]);
/** An object of these members alone. */
const record = (members) => { members.__proto__ = null; return members; };
const noop = () => undefined;
/** A property that is listed or not, and can be assigned. */
const define = (owner, name, value, enumerable = false) =>
  defineProperty(owner, name, { __proto__: null, value, writable: true, configurable: true, enumerable });

/** Messages to the host, one a line. */
let outbox = "";
const post = (line) => { outbox += line + "\n"; };
let request, limits, now = 0, began = 0;
let last = 0, calls = 0, underWay = 0, timersLeft = 0, timersOpen = 0, printed = 0, isOver = false, done = "", isMainOver = false;
const waiting = new MapC();
const callLines = new WeakMapC();
/** Text of a native error, whatever the program made of it. */
const textOf = (value) => { try { return "" + value; } catch { return "a value without text"; } };

const FILE = "run.js:";
/** The line of the program, of a stack. */
function lineIn(stack) {
  if (typeof stack !== "string") return undefined;
  const start = at(stack, FILE, 0);
  if (start < 0) return undefined;
  const rest = cut(stack, start + FILE.length, start + FILE.length + 30);
  const line = parseIntC(rest, 10);
  return line > 0 ? line : undefined;
}
const lineHere = () => lineIn(new ErrorC().stack);
`;

const VALUES = `
const isPromise = (value) => isProto(PromiseC.prototype, value);
const isBoxed = (value) => isProto(NumberC.prototype, value) || isProto(StringProto, value) || isProto(BooleanProto, value);
const StringProto = String.prototype, BooleanProto = Boolean.prototype;
const ErrorProto = Error.prototype, RegExpProto = RegExp.prototype, regexp_text = RegExp.prototype.toString;
/** What packs and ops are called, by object. */
const packNames = new WeakMapC();

/** The path of a value, such as items[2].id. */
function pathText(where) {
  if (where.up === undefined) return where.name;
  const { name } = where;
  return pathText(where.up) + (typeof name === "number" ? "[" + name + "]" : "." + name);
}
const fail = (where, why) => { throw new TypeErrorC(pathText(where) + " " + why); };

/**
 * A value as the text of JSON: in an answer as it stands, in an argument with objects as lists of entries, because the order and
 * names of members are the caller's. Undefined: it is left out.
 */
function encode(value, isAnswer, where, open, depth) {
  if (value === null) return "null";
  const kind = typeof value;
  if (kind === "string") return quote(value);
  if (kind === "boolean") return value ? "true" : "false";
  if (kind === "number") {
    if (value - value === 0) return value === 0 ? "0" : "" + value;
    return isAnswer ? "null" : fail(where, "is " + value + ", which JSON cannot hold");
  }
  if (kind === "undefined") return undefined;
  if (kind === "bigint") {
    if (isAnswer && !isTagged) { isExact = false; return "" + value; }
    const isLess = value < 0n;
    return '{"$":"int","text":"' + (isLess ? "-" : "") + "0x" + apply(big_text, isLess ? -value : value, [16]) + '"}';
  }
  if (kind === "symbol") return isAnswer ? '"[symbol]"' : fail(where, "is a symbol");
  const pack = apply(weak_get, packNames, [value]);
  if (kind === "function") {
    const name = pack || textOf(value.name);
    return isAnswer ? quote("[function" + (name ? " " + name : "") + "]") : fail(where, "is a function: call it");
  }
  if (pack) return isAnswer ? quote("[pack " + pack + "]") : fail(where, "is a pack, not a value");
  if (isPromise(value)) return fail(where, "is a promise: use await, or await Promise.all([...])");
  if (apply(set_has, open, [value])) return isAnswer ? '"[circular]"' : fail(where, "holds itself");
  if (depth > limits.resultDepth) return isAnswer ? '"..."' : fail(where, "is nested too deeply");
  apply(set_add, open, [value]);
  const text = encodeObject(value, isAnswer, where, open, depth + 1);
  apply(set_delete, open, [value]);
  return text;
}

function encodeObject(value, isAnswer, where, open, depth) {
  const inner = (item, name) => encode(item, isAnswer, { __proto__: null, up: where, name }, open, depth);
  if (isArray(value)) return encodeList(value, isAnswer, inner, where);
  if (isProto(DateProto, value)) {
    const time = apply(date_time, value, []);
    if (time - time === 0) return quote(apply(date_iso, value, []));
    return isAnswer ? "null" : fail(where, "is no valid date");
  }
  if (isProto(MapProto, value)) {
    const members = entries(isAnswer);
    apply(map_each, value, [(item, key) => {
      if (typeof key === "object" || typeof key === "symbol") fail(where, "has a key that is no text");
      members.add(textOf(key), inner(item, textOf(key)));
    }]);
    return members.text();
  }
  if (isProto(SetProto, value) || isView(value)) {
    const items = [];
    if (isView(value)) for (let place = 0; place < value.length; place++) define(items, place, value[place], true);
    else apply(set_each, value, [(item) => define(items, items.length, item, true)]);
    return encodeList(items, isAnswer, inner, where);
  }
  if (isBoxed(value)) return inner(value.valueOf(), "valueOf()");
  if (isProto(RegExpProto, value)) return quote(apply(regexp_text, value, []));
  const { toJSON } = value;
  if (typeof toJSON === "function") return inner(apply(toJSON, value, [""]), "toJSON()");
  const members = entries(isAnswer);
  if (isProto(ErrorProto, value)) {
    members.add("name", inner(textOf(value.name), "name"));
    members.add("message", inner(textOf(value.message), "message"));
  }
  const names = keysOf(value);
  for (let place = 0; place < names.length; place++) members.add(names[place], inner(value[names[place]], names[place]));
  return members.text();
}

function encodeList(list, isAnswer, inner, where) {
  let text = "";
  const { length } = list;
  for (let place = 0; place < length; place++) {
    const item = inner(list[place], place) ?? (isAnswer ? "null" : fail({ __proto__: null, up: where, name: place }, "is undefined"));
    text += place === 0 ? item : "," + item;
  }
  return "[" + text + "]";
}

/** Members of an object, as text. */
function entries(isAnswer) {
  const isPlain = isAnswer && !isTagged;
  let text = "";
  return {
    __proto__: null,
    add(name, item) {
      if (item === undefined) return;
      if (text !== "") text += ",";
      text += isPlain ? quote(name) + ":" + item : "[" + quote(name) + "," + item + "]";
    },
    text: () => (isPlain ? "{" + text + "}" : '{"$":"dict","entries":[' + text + "]}"),
  };
}
/** Whether the text of the answer can be read without loss; whether it is written as arguments are, to be read so. */
let isExact = true, isTagged = false;

/** Puts exact integers where a number would have rounded them. */
function patched(value, bigs) {
  let root = { __proto__: null, v: value };
  for (let place = 0; place < bigs.length; place++) {
    const path = bigs[place][0];
    let holder = root, name = "v";
    for (let step = 0; step < path.length; step++) { holder = holder[name]; name = path[step]; }
    define(holder, name, BigIntC(bigs[place][1]), true);
  }
  return root.v;
}
`;

const CALLS = `
const RETRYABLE = record({ UNAVAILABLE: true, TIMEOUT: true, RATE_LIMITED: true });
function described(error, code, op, details) {
  define(error, "code", code, true);
  define(error, "op", op, true);
  define(error, "retryable", RETRYABLE[code] === true, true);
  define(error, "details", details, true);
  return error;
}
class ToolError extends Error {
  constructor(message, code, op, details) {
    super(message);
    described(this, code, op, details);
  }
}
/** The error of a failed call, whatever the program has made of the parent of its class. */
const toolError = (failure, op) =>
  described(construct(ErrorC, [failure.message], ToolError), failure.code, op, failure.details);
define(ToolError.prototype, "name", "ToolError");

/** Calls a pack's op. The answer is a promise that says so if it is used as a value. */
function callOp(path, op, args) {
  if (isOver) throw new ErrorC("the program has ended");
  const line = lineHere();
  const where = { __proto__: null, up: undefined, name: op + "(): argument" };
  let positional = "", named = "", omitted = "";
  const only = args[0];
  if (args.length === 1 && isNamed(only)) {
    const names = keysOf(only);
    for (let place = 0; place < names.length; place++) {
      const name = names[place];
      const text = encode(only[name], false, { __proto__: null, up: undefined, name: op + "(): " + name }, new SetC(), 0);
      if (text === undefined) omitted += (omitted === "" ? "" : ",") + quote(name);
      else named += (named === "" ? "" : ",") + "[" + quote(name) + "," + text + "]";
    }
  } else
    for (let place = 0; place < args.length; place++) {
      const text = encode(args[place], false, where, new SetC(), 0);
      if (text !== undefined) positional += (positional === "" ? "" : ",") + text;
    }
  if (positional.length + named.length + omitted.length > limits.resultBytes) throw new RangeErrorC("the arguments of " + op + " are too large");
  // The host ends the run at the first call beyond the limit.
  if (++calls > limits.hostCalls + 1) throw new RangeErrorC("more than " + limits.hostCalls + " tool calls in one run");
  const id = ++last;
  let segments = "";
  for (let place = 0; place < path.length; place++) segments += (place === 0 ? "" : ",") + quote(path[place]);
  post('{"t":"call","id":' + id + ',"path":[' + segments + '],"args":[' + positional + '],"kwargs":[' + named + "]" +
    (omitted === "" ? "" : ',"omitted":[' + omitted + "]") + (line === undefined ? "" : ',"line":' + line) + "}");
  underWay++;
  const held = { __proto__: null, op, line, resolve: noop, reject: noop, isRead: false };
  const promise = ownPromise(new PromiseC((resolve, reject) => { held.resolve = resolve; held.reject = reject; }));
  apply(map_set, waiting, [id, held]);
  return followed(promise, held);
}
/** Whether a value holds arguments by name. */
function isNamed(value) {
  if (typeof value !== "object" || value === null || isArray(value)) return false;
  const proto = getPrototypeOf(value);
  return proto === ObjectProto || proto === null;
}

/** What follows a value, or a promise. */
const after = (value, next) => apply(promise_then, ownPromise(new PromiseC((resolve) => resolve(value))), [next]);
/** A promise that throws if a member of its value is read: without that, a forgotten await would give undefined. */
function followed(promise, held) {
  return new ProxyC(promise, {
    __proto__: null,
    get(target, name) {
      if (name === "then")
        return (onValue, onError) => {
          held.isRead = true;
          if (typeof onError === "function") return apply(promise_then, target, [onValue, onError]);
          const next = { __proto__: null, op: held.op, line: held.line, isRead: false };
          const made = ownPromise(apply(promise_then, target, [onValue]));
          apply(promise_then, made, [noop, (error) => leave(error, next)]);
          return followed(made, next);
        };
      if (name === "catch") return (onError) => { held.isRead = true; return apply(promise_then, target, [undefined, onError]); };
      if (name === "finally")
        return (onEnd) => {
          held.isRead = true;
          if (typeof onEnd !== "function") return apply(promise_then, target, [onEnd, onEnd]);
          return apply(promise_then, target, [
            (value) => after(onEnd(), () => value),
            (error) => after(onEnd(), () => { throw error; }),
          ]);
        };
      if (name === Symbol_toPrimitive) return () => { throw new TypeErrorC(held.op + "() gives a promise, not a text or a number: use await"); };
      if (name === "constructor") return PromiseC;
      if (typeof name === "symbol") return target[name];
      throw new TypeErrorC(held.op + "() gives a promise, which has no '" + name + "': use await");
    },
    set(_, name) { throw new TypeErrorC(held.op + "() gives a promise, whose '" + textOf(name) + "' cannot be set: use await"); },
  });
}

/** Promises of async functions that have not ended. */
const unended = new SetC();
/** An async function whose promises are followed as those of calls are. */
function follow(name, line, called) {
  const follower = function (...args) {
    const held = { __proto__: null, op: name === "" ? "the async function" : name, line, isRead: false };
    const promise = ownPromise(apply(called, this, args));
    apply(set_add, unended, [held]);
    const ended = () => apply(set_delete, unended, [held]);
    apply(promise_then, promise, [ended, (error) => { ended(); leave(error, held); }]);
    return followed(promise, held);
  };
  define(follower, "name", name);
  return follower;
}
/** Whether an async function is under way whose promise the program has not asked for. */
function isUnended() {
  let is = false;
  apply(set_each, unended, [(held) => { is = is || !held.isRead; }]);
  return is;
}

/** Failures that the program has not taken yet: it may await the promise later, and at its end it fails with the first. */
const untaken = new SetC();
function leave(error, held) {
  if (!held.isRead) apply(set_add, untaken, [{ __proto__: null, error, held }]);
}
const end = (message) => { if (done === "") done = message; };
let ending;

/** A member of a pack that is missing. */
function missing(name, shown, text) {
  let available = "";
  for (let place = 0; place < shown.length; place++) available += (place === 0 ? "" : ", ") + shown[place];
  return new TypeErrorC("pack '" + name + "' has no function '" + text + "'. Available: " + available);
}

const readOnly = (name) => () => { throw new TypeErrorC("'" + name + "' is read-only"); };

/** A pack, whose members are made when they are first used. A pack that is an op too is a function. */
function packOf(path, held) {
  const name = apply(list_join, path, ["."]);
  const inner = new MapC();
  const shown = [];
  let isOp = false;
  for (let place = 0; place < held.length; place++) {
    const member = held[place][0], below = held[place][1];
    if (member === "") { isOp = true; continue; }
    apply(map_set, inner, [member, below]);
    if (below !== false) define(shown, shown.length, member, true);
  }
  const made = new MapC();
  const target = isOp ? (...args) => callOp(path, name, args) : { __proto__: null };
  const member = (key) => {
    const known = apply(map_get, made, [key]);
    if (known !== undefined) return known;
    const below = apply(map_get, inner, [key]);
    const way = apply(list_slice, path, []);
    define(way, way.length, key, true);
    const one = isArray(below) ? packOf(way, below) : opOf(way);
    apply(map_set, made, [key, one]);
    return one;
  };
  const pack = new ProxyC(target, {
    __proto__: null,
    get(_, key) {
      if (typeof key === "symbol" || key === "then" || key === "toJSON") return undefined;
      if (apply(map_has, inner, [key])) return member(key);
      if (key === "toString" || key === "valueOf" || key === "constructor") return () => "[pack " + name + "]";
      throw missing(name, shown, key);
    },
    has: (_, key) => typeof key === "string" && apply(map_has, inner, [key]),
    ownKeys: () => apply(list_slice, shown, []),
    getOwnPropertyDescriptor: (_, key) =>
      typeof key === "string" && apply(map_has, inner, [key])
        ? { __proto__: null, value: member(key), enumerable: true, configurable: true, writable: false }
        : undefined,
    set: readOnly(name), defineProperty: readOnly(name), deleteProperty: readOnly(name), setPrototypeOf: readOnly(name),
    preventExtensions: readOnly(name),
  });
  apply(weak_set, packNames, [pack, name]);
  return pack;
}
function opOf(path) {
  const name = apply(list_join, path, ["."]);
  const op = (...args) => callOp(path, name, args);
  define(op, "name", name);
  freeze(op);
  apply(weak_set, packNames, [op, name]);
  return op;
}
`;

const WORLD = String.raw`
/** The time of the program: that of the last delivery, and a microsecond more with each reading. */
let readings = 0;
const clock = () => { readings++; return now + readings / 1000; };
function GuestDate(...args) {
  if (new.target === undefined) return "" + new GuestDate();
  if (args.length === 0) args = [floor(clock())];
  return construct(DateC, args, new.target);
}
GuestDate.prototype = DateProto;
define(GuestDate, "now", () => floor(clock()));
define(GuestDate, "parse", DateC.parse);
define(GuestDate, "UTC", DateC.UTC);
define(GuestDate, "name", "Date");
define(DateProto, "constructor", GuestDate);
define(G, "Date", GuestDate);

const notHere = (name, instead) => () => { throw new TypeErrorC(name + " is not available here: " + instead); };
const DATE_TEXTS = ["toLocaleString", "toLocaleDateString", "toLocaleTimeString"];
for (let place = 0; place < 3; place++)
  define(DateProto, DATE_TEXTS[place], notHere("Date." + DATE_TEXTS[place], "use toISOString()"));

/** Groups as en-US does, with three decimals at most. */
define(NumberC.prototype, "toLocaleString", function toLocaleString(...options) {
  if (options.length > 0 && options[0] !== undefined && !(options.length === 1 && options[0] === "en-US"))
    notHere("toLocaleString with a locale or options", "use toFixed() or your own text")();
  const value = +this;
  if (value - value !== 0) return value !== value ? "NaN" : value > 0 ? "\u221e" : "-\u221e";
  const fixed = apply(number_fixed, value < 0 ? -value : value, [3]);
  let whole = fixed, part = "";
  const dot = at(fixed, ".", 0);
  if (dot >= 0) { whole = cut(fixed, 0, dot); part = cut(fixed, dot, fixed.length); }
  while (part !== "" && (part[part.length - 1] === "0" || part === ".")) part = cut(part, 0, part.length - 1);
  let grouped = "";
  for (let end = whole.length; end > 0; end -= 3) grouped = cut(whole, max(0, end - 3), end) + (grouped === "" ? "" : "," + grouped);
  return (value < 0 ? "-" : "") + grouped + part;
});
define(BigIntC.prototype, "toLocaleString", function toLocaleString() { return "" + this; });

const folded = (text) => apply(text_lower, apply(text_replace, apply(text_normalize, text, ["NFD"]), [/\p{M}/gu, ""]), []);
/** Marks before digits, digits before letters. */
const rankOf = (code) => (code >= 48 && code <= 57 ? 1 : code >= 97 && code <= 122 ? 2 : code > 127 ? 3 : 0);
function compare(one, other) {
  const size = min(one.length, other.length);
  for (let place = 0; place < size; place++) {
    const a = apply(text_code, one, [place]), b = apply(text_code, other, [place]);
    if (a !== b) return rankOf(a) === rankOf(b) ? (a < b ? -1 : 1) : rankOf(a) < rankOf(b) ? -1 : 1;
  }
  return one.length === other.length ? 0 : one.length < other.length ? -1 : 1;
}
define(String.prototype, "localeCompare", function localeCompare(other, locale, options) {
  if (locale !== undefined || options !== undefined)
    notHere("localeCompare with a locale or options", "compare folded texts, such as a.toLowerCase() < b.toLowerCase()")();
  const one = textOf(this), two = textOf(other);
  // Letters, then accents, then case: small before capital.
  return compare(folded(one), folded(two)) ||
    compare(apply(text_lower, apply(text_normalize, one, ["NFD"]), []), apply(text_lower, apply(text_normalize, two, ["NFD"]), [])) ||
    (one === two ? 0 : one > two ? -1 : 1);
});
const CASES = ["toLocaleLowerCase", "toLowerCase", "toLocaleUpperCase", "toUpperCase"];
for (let place = 0; place < 4; place += 2) {
  const plain = String.prototype[CASES[place + 1]];
  define(String.prototype, CASES[place], function (locale) {
    if (locale !== undefined) notHere(CASES[place] + " with a locale", "use " + CASES[place + 1] + "()")();
    return apply(plain, this, []);
  });
}

/** Random numbers: the key stream of ChaCha20, whose key is the seed of the run. */
const chacha = { __proto__: null, input: new Uint32Array(16), out: new Uint32Array(16), used: 16 };
function seedWith(hex) {
  const { input } = chacha;
  input[0] = 0x61707865; input[1] = 0x3320646e; input[2] = 0x79622d32; input[3] = 0x6b206574;
  for (let place = 0; place < 8; place++) input[4 + place] = parseIntC(cut(hex, place * 8, place * 8 + 8), 16);
  for (let place = 12; place < 16; place++) input[place] = 0;
  chacha.used = 16;
}
function quarter(x, a, b, c, d) {
  let t;
  x[a] += x[b]; t = x[d] ^ x[a]; x[d] = (t << 16) | (t >>> 16);
  x[c] += x[d]; t = x[b] ^ x[c]; x[b] = (t << 12) | (t >>> 20);
  x[a] += x[b]; t = x[d] ^ x[a]; x[d] = (t << 8) | (t >>> 24);
  x[c] += x[d]; t = x[b] ^ x[c]; x[b] = (t << 7) | (t >>> 25);
}
function randomWord() {
  if (chacha.used === 16) {
    const { input, out } = chacha;
    for (let place = 0; place < 16; place++) out[place] = input[place];
    for (let round = 0; round < 10; round++) {
      quarter(out, 0, 4, 8, 12); quarter(out, 1, 5, 9, 13); quarter(out, 2, 6, 10, 14); quarter(out, 3, 7, 11, 15);
      quarter(out, 0, 5, 10, 15); quarter(out, 1, 6, 11, 12); quarter(out, 2, 7, 8, 13); quarter(out, 3, 4, 9, 14);
    }
    for (let place = 0; place < 16; place++) out[place] += input[place];
    input[12]++;
    chacha.used = 0;
  }
  return chacha.out[chacha.used++];
}
define(Math, "random", () => (floor(randomWord() / 32) * 67108864 + floor(randomWord() / 64)) / 9007199254740992);
const HEX = "0123456789abcdef";
const crypto = {
  getRandomValues(target) {
    if (!isView(target)) throw new TypeErrorC("crypto.getRandomValues takes a typed array");
    const bytes = new Uint8Array(target.buffer, target.byteOffset, target.byteLength);
    for (let place = 0; place < bytes.length; place++) bytes[place] = randomWord() & 255;
    return target;
  },
  randomUUID() {
    let text = "";
    for (let place = 0; place < 32; place++) {
      if (place === 8 || place === 12 || place === 16 || place === 20) text += "-";
      const digit = randomWord() & 15;
      text += HEX[place === 12 ? 4 : place === 16 ? (digit & 3) | 8 : digit];
    }
    return text;
  },
};

/** What a print shows of a value. */
function shown(value) {
  if (typeof value === "string") return value;
  if (value === undefined) return "undefined";
  if (typeof value === "number" || typeof value === "bigint") return "" + value;
  try {
    if (isError(value)) return textOf(value.name) + ": " + textOf(value.message);
    if (typeof value === "object" && value !== null && isPromise(value)) return "[promise: use await]";
    return encode(value, true, { __proto__: null, up: undefined, name: "a printed value" }, new SetC(), 0) ?? "undefined";
  } catch (error) {
    return "[" + textOf(error) + "]";
  }
}
/** Longest text of one message. */
const PRINT_LENGTH = 65536;
function printText(text) {
  // The host counts bytes, which are no fewer, and ends the run at the first beyond the limit: more is not kept for it.
  const left = limits.printBytes + 1 - printed;
  if (text.length > left) text = cut(text, 0, max(0, left));
  printed += text.length;
  for (let start = 0, next; start < text.length; start = next) {
    next = start + PRINT_LENGTH;
    const code = next < text.length ? apply(text_code, text, [next - 1]) : 0;
    // The halves of a character stay together.
    if (code >= 0xd800 && code < 0xdc00) next++;
    post('{"t":"print","s":' + quote(cut(text, start, next)) + "}");
  }
}
function formatted(args) {
  let text = "", from = 0;
  if (typeof args[0] === "string" && args.length > 1 && at(args[0], "%", 0) >= 0) {
    const form = args[0];
    from = 1;
    for (let place = 0; place < form.length; place++) {
      const mark = form[place] === "%" ? form[place + 1] : undefined;
      if (mark === "%") { text += "%"; place++; }
      else if (mark !== undefined && at("sdifjoO", mark, 0) >= 0 && from < args.length) {
        const value = args[from++];
        text += mark === "d" || mark === "f" ? shown(NumberC(value)) : mark === "i" ? shown(parseIntC(value, 10)) : shown(value);
        place++;
      } else text += form[place];
    }
  }
  for (let place = from; place < args.length; place++) text += (place === 0 ? "" : " ") + shown(args[place]);
  return text + "\n";
}
const print = (...args) => printText(formatted(args));
/** Rows below the names of their members. */
function table(rows) {
  if (!isArray(rows) || rows.length === 0) return print(rows);
  const columns = new SetC();
  for (let place = 0; place < rows.length; place++) {
    const row = rows[place];
    const names = typeof row === "object" && row !== null ? keysOf(row) : ["value"];
    for (let name = 0; name < names.length; name++) apply(set_add, columns, [names[name]]);
  }
  let text = "";
  apply(set_each, columns, [(name) => { text += (text === "" ? "" : "\t") + name; }]);
  for (let place = 0; place < rows.length; place++) {
    const row = rows[place];
    let line = "", isFirst = true;
    apply(set_each, columns, [(name) => {
      const cell = typeof row === "object" && row !== null ? row[name] : name === "value" ? row : undefined;
      line += (isFirst ? "" : "\t") + (cell === undefined ? "" : shown(cell));
      isFirst = false;
    }]);
    text += "\n" + line;
  }
  printText(text + "\n");
}
const console = { log: print, info: print, debug: print, warn: print, error: print, dir: (value) => print(value), table };

function clone(value, seen) {
  if (typeof value === "function" || typeof value === "symbol") throw new TypeErrorC(shown(value) + " cannot be cloned");
  if (typeof value !== "object" || value === null) return value;
  const known = apply(map_get, seen, [value]);
  if (known !== undefined) return known;
  const keep = (copy) => { apply(map_set, seen, [value, copy]); return copy; };
  if (apply(weak_get, packNames, [value]) || isPromise(value)) throw new TypeErrorC(shown(value) + " cannot be cloned");
  if (isArray(value)) {
    const copy = keep([]);
    for (let place = 0; place < value.length; place++) define(copy, place, clone(value[place], seen), true);
    return copy;
  }
  if (isProto(DateProto, value)) return keep(new DateC(apply(date_time, value, [])));
  if (isProto(MapProto, value)) {
    const copy = keep(new MapC());
    apply(map_each, value, [(item, key) => apply(map_set, copy, [clone(key, seen), clone(item, seen)])]);
    return copy;
  }
  if (isProto(SetProto, value)) {
    const copy = keep(new SetC());
    apply(set_each, value, [(item) => apply(set_add, copy, [clone(item, seen)])]);
    return copy;
  }
  if (isView(value)) return keep(value.slice());
  if (isProto(RegExpProto, value)) return keep(new RegExp(value.source, value.flags));
  const isFault = isProto(ErrorProto, value);
  const copy = keep(isFault ? new ErrorC(value.message) : {});
  if (isFault) define(copy, "name", value.name);
  const names = keysOf(value);
  for (let place = 0; place < names.length; place++) define(copy, names[place], clone(value[names[place]], seen), true);
  return copy;
}

const MOST_TIMER_MS = 2147483647;
/** Most timers at once, beyond one for each call; the host keeps those that are cleared. It ends the run at a few more. */
const MORE_TIMERS = 900;
function setTimer(action, ms, ...args) {
  if (typeof action !== "function") throw new TypeErrorC("setTimeout takes a function");
  const most = limits.hostCalls + MORE_TIMERS;
  if (timersOpen >= most) throw new RangeErrorC("more than " + most + " timers at once");
  timersOpen++;
  const id = ++last;
  const time = +ms > 0 ? min(floor(+ms), MOST_TIMER_MS) : 0;
  post('{"t":"timer","id":' + id + ',"ms":' + time + "}");
  timersLeft++;
  apply(map_set, waiting, [id, { __proto__: null, action, args }]);
  return id;
}
function clearTimer(id) {
  const held = apply(map_get, waiting, [id]);
  if (held === undefined || held.action === undefined) return;
  apply(map_delete, waiting, [id]);
  timersLeft--;
}
const names = { console, crypto, ToolError, setTimeout: setTimer, clearTimeout: clearTimer,
  structuredClone: (value) => clone(value, new MapC()),
  queueMicrotask: (action) => {
    const made = ownPromise(apply(promise_then, ownPromise(new PromiseC((resolve) => resolve())), [() => action()]));
    apply(promise_then, made, [noop, (error) => end(failure(error))]);
  },
  performance: { now: () => { readings++; return now - began + readings / 1000; }, timeOrigin: 0 } };
const worldNames = keysOf(names);
for (let place = 0; place < worldNames.length; place++) define(G, worldNames[place], names[worldNames[place]]);
// Programs know deep recursion as a RangeError.
setPrototypeOf(InternalError.prototype, RangeError.prototype);
define(InternalError.prototype, "name", "RangeError");
deleteProperty(G, "InternalError");
// When something is collected depends on memory.
deleteProperty(G, "WeakRef");
deleteProperty(G, "FinalizationRegistry");
deleteProperty(G, "SharedArrayBuffer");
`;

const MAIN = String.raw`
const MOST_TEXT = 10000;
/** Longest name of an error that is told, in characters. */
const MOST_NAME = 100;
/** Whether a value is an error; a proxy may throw at this question. */
function isError(value) {
  try { return typeof value === "object" && isProto(ErrorProto, value); } catch { return false; }
}
/** The last message of a program that failed. */
function failure(error, callLine) {
  let name = "Error", message, line = callLine;
  if (isError(error)) {
    try { name = cut(textOf(error.name), 0, MOST_NAME); message = textOf(error.message); } catch { message = "an error without text"; }
    try { line = apply(weak_get, callLines, [error]) ?? lineIn(error.stack) ?? line; } catch {}
    if (message === "stack overflow") message = "Maximum call stack size exceeded";
  } else message = "thrown: " + shown(error);
  if (message.length > MOST_TEXT) message = cut(message, 0, MOST_TEXT);
  return '{"t":"done","error":' + quote(name) + ',"kind":"runtime","message":' + quote(message) +
    (line > 0 ? ',"line":' + line : "") + "}";
}

/** The last message of a program that ended. */
function answered(value) {
  const where = { __proto__: null, up: undefined, name: "the result" };
  let fields = timersLeft > 0 ? ',"timers":' + timersLeft : "";
  const format = G.__format__, sanitize = G.__sanitize__;
  const plain = (setting, name) => encode(setting, false, { __proto__: null, up: undefined, name }, new SetC(), 0);
  if (format !== undefined) fields += ',"format":' + plain(format, "__format__");
  if (sanitize !== undefined) fields += ',"sanitize":' + plain(sanitize, "__sanitize__");
  if (value === undefined) return '{"t":"done","outcome":"novalue","json":"null"' + fields + "}";
  isExact = true;
  const json = encode(value, true, where, new SetC(), 0) ?? "null";
  if (format === "raw") fields += ',"str":' + quote(typeof value === "string" ? value : json);
  if (json.length > limits.resultBytes) return '{"t":"done","large":true}';
  if (!isExact && json.length <= 1000000) {
    isTagged = true;
    fields += ',"value":' + encode(value, true, where, new SetC(), 0);
  }
  return '{"t":"done","outcome":' + (value === null ? '"none"' : '"value"') + ',"json":' + quote(json) + fields + "}";
}
function finish() {
  isOver = true;
  let lost = ending.isFailed ? ending : undefined;
  apply(set_each, untaken, [(one) => { if (lost === undefined && !one.held.isRead) lost = { __proto__: null, error: one.error, line: one.held.line }; }]);
  try { done = lost ? failure(lost.error, lost.line) : answered(ending.value); }
  catch (error) { done = failure(error); }
}

/** What the program has said so far. Runs nothing of the program. */
function said() {
  const text = outbox + (done === "" ? "" : "\x02" + done);
  outbox = "";
  return text;
}

return {
  __proto__: null,
  /** Makes what a program finds, of the request as text. */
  open(text) {
    request = parse(text);
    limits = request.limits;
    now = began = request.now;
    seedWith(request.seed);
    for (let place = 0; place < request.packs.length; place++) {
      const name = request.packs[place][0], held = request.packs[place][1];
      const one = isArray(held) ? packOf([name], held) : opOf([name]);
      defineProperty(G, name, { __proto__: null, value: one, writable: false, configurable: false, enumerable: true });
    }
    define(G, "__format__", undefined);
    define(G, "__sanitize__", undefined);
  },
  /** Begins a program, a function. */
  begin(main) {
    let made;
    try { made = main(follow); } catch (error) { done = failure(error); return; }
    apply(promise_then, ownPromise(made), [
      (value) => { isMainOver = true; ending = { __proto__: null, isFailed: false, value, error: undefined, line: undefined }; },
      (error) => { isMainOver = true; ending = { __proto__: null, isFailed: true, value: undefined, error, line: undefined }; },
    ]);
  },
  /** Takes a message of the host. */
  deliver(text) {
    const message = parse(text);
    setPrototypeOf(message, null);
    if (message.now > now) { now = message.now; readings = 0; }
    if (message.tick === true) timersOpen--;
    const held = apply(map_get, waiting, [message.id]);
    if (held === undefined) return;
    apply(map_delete, waiting, [message.id]);
    if (held.action !== undefined) {
      timersLeft--;
      try { apply(held.action, undefined, held.args); } catch (error) { end(failure(error)); }
      return;
    }
    underWay--;
    if (message.e === undefined) {
      held.resolve(message.big === undefined ? message.v : patched(message.v, message.big));
      return;
    }
    const error = toolError(message.e, held.op);
    if (held.line !== undefined) apply(weak_set, callLines, [error, held.line]);
    held.reject(error);
    leave(error, held);
  },
  /** What the program has to say, and its last message after the character of code 2. Called when no job is left. */
  take() {
    const isLeft = underWay > 0 || (timersLeft > 0 && isUnended());
    if (done === "" && isMainOver && (ending.isFailed || !isLeft)) finish();
    if (done === "" && underWay === 0 && timersLeft === 0)
      done = failure(new ErrorC("the program waits for ever: nothing that it waits for is under way"));
    return said();
  },
  said,
};
`;

/** An expression whose value has the functions `open`, `begin`, `deliver`, `take` and `said`. */
export const PRELUDE = `(function () {"use strict";\n${BASE}\n${VALUES}\n${CALLS}\n${WORLD}\n${MAIN}\n})()`;
