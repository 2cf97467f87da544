/** What an exception of Monty is to a run: the guest's fault, a limit, or something that Monty lacks. */

import type { Failure } from "./monty-wire.js";

/** A Python exception as it left the guest. */
export interface Raised {
  readonly pyType: string;
  readonly message: string;
  readonly line?: number;
  readonly column?: number;
}

/** Builtin functions and types of Python that Monty has no name for. */
const MISSING_BUILTINS: ReadonlySet<string> = new Set(
  (
    "aiter anext ascii breakpoint bytearray callable classmethod compile complex delattr dir eval exec exit format globals help input " +
    "issubclass locals memoryview object open quit staticmethod super vars ConnectionError BaseExceptionGroup ExceptionGroup"
  ).split(" "),
);

/** Those that it has. */
const BUILTINS: ReadonlySet<string> = new Set(
  (
    "abs all any bin bool bytes chr dict divmod enumerate filter float frozenset getattr hasattr hash hex id int isinstance iter len list map " +
    "max min next oct ord pow print property range repr reversed round set setattr slice sorted str sum tuple type zip Exception"
  ).split(" "),
);

/** Whether Python has a builtin of this name that Monty lacks. */
export const isMissingBuiltin = (name: string): boolean => MISSING_BUILTINS.has(name);

/** Whether Python has a builtin of this name. */
export const isBuiltin = (name: string): boolean => BUILTINS.has(name) || MISSING_BUILTINS.has(name);

/** Ends a run that needs what Monty lacks. */
export const unsupported = (feature: string): Failure => ({
  ok: false,
  kind: "unsupported",
  pyType: "NotImplementedError",
  message: `${feature} is not available here`,
  feature,
});

const SEQUENCE = "count index";
const TEXT =
  "capitalize center count endswith expandtabs find index isalnum isalpha isascii isdigit islower isspace istitle isupper join ljust " +
  "lower lstrip maketrans partition removeprefix removesuffix replace rfind rindex rjust rpartition rsplit rstrip split splitlines " +
  "startswith strip swapcase title translate upper zfill";
const ALGEBRA = "copy difference intersection isdisjoint issubset issuperset symmetric_difference union";
const NUMBER =
  "as_integer_ratio conjugate imag real from_bytes to_bytes bit_count bit_length denominator numerator fromhex hex is_integer";
const DATE =
  "ctime day fromisocalendar fromisoformat fromordinal fromtimestamp isocalendar isoformat isoweekday max min month replace resolution " +
  "strftime strptime timetuple today toordinal weekday year";
const CLOCK =
  "astimezone combine date dst fold hour microsecond minute now second time timestamp timetz tzinfo tzname utcfromtimestamp utcnow utcoffset utctimetuple";

/** Public members in CPython; one that Monty does not find is Monty's lack. */
const MEMBERS: ReadonlyMap<string, ReadonlySet<string>> = new Map(
  Object.entries({
    str: `${TEXT} casefold encode format format_map isdecimal isidentifier isnumeric isprintable`,
    bytes: `${TEXT} decode fromhex hex`,
    list: `${SEQUENCE} append clear copy extend insert pop remove reverse sort`,
    tuple: SEQUENCE,
    dict: "clear copy fromkeys get items keys pop popitem setdefault update values",
    set: `${ALGEBRA} add clear difference_update discard intersection_update pop remove symmetric_difference_update update`,
    frozenset: ALGEBRA,
    int: NUMBER,
    bool: NUMBER,
    float: NUMBER,
    date: DATE,
    datetime: `${DATE} ${CLOCK}`,
    timedelta: "days max microseconds min resolution seconds total_seconds",
    range: `${SEQUENCE} start step stop`,
  }).map(([type, names]) => [type, new Set(names.split(" "))]),
);

/** Texts by which Monty says that it lacks something, in Python's own exception types. */
const LACKS: readonly (readonly [type: RegExp, text: RegExp])[] = [
  [/^NotImplementedError$/, /^The monty syntax parser does not yet support (.*)$/],
  [/^NotImplementedError$/, /^(.* not yet supported.*)$/],
  [/^SyntaxError$/, /^(.* not yet supported in Monty)$/],
  [/^(?:ModuleNotFound|Import)Error$/, /^No module named '(.*)'$/],
  [/^ImportError$/, /^cannot import name (.*)$/],
  [/^RuntimeError$/, /^'([\w.]+)' is not supported in this environment$/],
  [/^RuntimeError$/, /^(Internal error in monty.*)$/],
  [/^AttributeError$/, /^'?module'? (?:object )?(.*has no attribute '.*')$/],
  [/^TypeError$/, /^unsupported operand type\(s\) for (%): 'str' and /],
  [/^TypeError$/, /^unsupported operand type\(s\) for (\|): 'dict' and 'dict'$/],
  [/^TypeError$/, /^(.*argument is not supported)$/],
  [/^TypeError$/, /^list indices must be integers or slices, not (slice)$/],
  [/^TypeError$/, /^JSONEncoder\.__init__\(\) got an unexpected keyword (argument '\w+')$/],
  [/^TypeError$/, /^'iterator' object is not (iterable)$/],
  [/^TypeError$/, /^cannot convert ('\w+' object to bytes)$/],
  [
    /^AttributeError$/,
    /^'\w+' object has no attribute '(__(?:cause|context|traceback|notes)__|add_note|with_traceback)'$/,
  ],
  [/^LookupError$/, /^(unknown encoding: .*)$/],
];

const ATTRIBUTE = /^'([\w.]+)' object has no attribute '(\w+)'$/;

/** `f = demo.search`: Monty's packs have no members to read. */
export const TOOL_AS_VALUE = "a tool used as a value";

/** What Monty lacked, if this exception says so. */
function lacked(raised: Raised, isOp: (path: readonly string[]) => boolean): string | undefined {
  for (const [type, text] of LACKS) {
    const found = type.test(raised.pyType) ? text.exec(raised.message) : null;
    if (found) return found[1];
  }
  const [, type, name] = (raised.pyType === "AttributeError" && ATTRIBUTE.exec(raised.message)) || [];
  if (!type || !name) return undefined;
  if (isOp([...type.split("."), name])) return TOOL_AS_VALUE;
  const plain = type.replace("datetime.", "");
  return MEMBERS.get(plain)?.has(name) ? `${plain}.${name}` : undefined;
}

/** How an exception of the guest ends its run. */
export function failureOf(raised: Raised, memory: string, isOp: (path: readonly string[]) => boolean): Failure {
  const feature = lacked(raised, isOp);
  if (feature !== undefined) return { ...raised, ...unsupported(feature) };
  if (raised.pyType === "MemoryError" && raised.message.startsWith("memory limit exceeded"))
    return { ok: false, kind: "memory", ...raised, message: `the code needs more than ${memory}` };
  return { ok: false, kind: raised.pyType === "SyntaxError" ? "syntax" : "runtime", ...raised };
}
