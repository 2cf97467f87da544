/** Classifies exceptions of Monty: an error of the code, an exceeded limit, or a feature that Monty lacks. */

import type { Failure } from "./monty-wire.js";

/** A Python exception of the guest. */
export interface Raised {
  readonly pyType: string;
  readonly message: string;
  readonly line?: number;
  readonly column?: number;
}

/** Builtin names of Python that Monty lacks. */
export const MISSING_BUILTINS: ReadonlySet<string> = new Set(
  `
  BaseExceptionGroup BlockingIOError BrokenPipeError BufferError BytesWarning ChildProcessError ConnectionAbortedError ConnectionError
  ConnectionRefusedError ConnectionResetError DeprecationWarning EOFError Ellipsis EncodingWarning EnvironmentError ExceptionGroup
  FloatingPointError FutureWarning GeneratorExit IOError ImportWarning IndentationError InterruptedError NotImplemented
  PendingDeprecationWarning ProcessLookupError PythonFinalizationError ReferenceError ResourceWarning RuntimeWarning StopAsyncIteration
  SyntaxWarning SystemError TabError UnicodeEncodeError UnicodeError UnicodeTranslateError UnicodeWarning UserWarning Warning
  __build_class__ __builtins__ __debug__ __doc__ __import__ __loader__ __package__ __spec__ aiter anext ascii breakpoint bytearray
  callable classmethod compile complex delattr dir eval exec exit format globals help input issubclass locals memoryview object
  quit staticmethod super vars
  `
    .trim()
    .split(/\s+/),
);

/** The failure of a run that needs a feature which Monty lacks. */
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

/** Public members in CPython; if Monty does not find one of them, Monty lacks it. */
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

/** Messages with which Monty reports a missing feature, as Python exceptions. */
const LACKS: readonly (readonly [type: RegExp, text: RegExp, feature?: string])[] = [
  [/^NotImplementedError$/, /^The monty syntax parser does not yet support (.*)$/],
  [/^NotImplementedError$/, /^(.*?)(?: (?:is|are))? not (?:yet )?supported.*$/],
  [/^SyntaxError$/, /^(.*?)(?: (?:is|are))? not yet supported in Monty$/],
  [/^(?:ModuleNotFound|Import)Error$/, /^No module named '(.*)'$/, "import $1"],
  [/^ImportError$/, /^cannot import name '(.*?)' from '(.*?)'/, "$2.$1"],
  [/^RuntimeError$/, /^'([\w.]+)' is not supported in this environment$/],
  [/^RuntimeError$/, /^Internal error in monty: (exceptions) can only/, "an exception with such arguments"],
  [/^RuntimeError$/, /^(Internal error in monty.*)$/, "this code"],
  [/^AttributeError$/, /^'?module'? (?:object )?'?(\w+)'? has no attribute '(.*)'$/, "$1.$2"],
  [/^AttributeError$/, /^'?module'? (?:object )?has no attribute '(.*)'$/],
  [/^TypeError$/, /^unsupported operand type\(s\) for (%): 'str' and /, "% formatting"],
  [/^TypeError$/, /^unsupported operand type\(s\) for (\|): 'dict' and 'dict'$/, "dict with |"],
  [/^TypeError$/, /^(.*argument) is not supported$/],
  [/^TypeError$/, /^list indices must be integers or slices, not (slice)$/, "slice assignment"],
  [/^TypeError$/, /^JSONEncoder\.__init__\(\) got an unexpected keyword argument '(\w+)'$/, "json.dumps with $1"],
  [/^TypeError$/, /^'(iterator)' object is not iterable$/, "an iterator as a value"],
  [/^TypeError$/, /^cannot convert '(\w+)' object to bytes$/, "bytes of '$1'"],
  [
    /^AttributeError$/,
    /^'\w+' object has no attribute '(__(?:cause|context|traceback|notes)__|add_note|with_traceback)'$/,
  ],
  [/^LookupError$/, /^unknown encoding: (.*)$/, "encoding $1"],
];

const ATTRIBUTE = /^'([\w.]+)' object has no attribute '(\w+)'$/;

/** `f = demo.search`: Monty's packs have no readable members. */
export const TOOL_AS_VALUE = "a tool used as a value";

/** The feature that Monty lacks, if this exception reports one. */
function lacked(raised: Raised, isOp: (path: readonly string[]) => boolean): string | undefined {
  for (const [type, text, feature = "$1"] of LACKS)
    if (type.test(raised.pyType)) {
      const found = text.exec(raised.message);
      if (found) return feature.replace(/\$(\d)/g, (_, group: string) => found[Number(group)] ?? "");
    }
  const [, type, name] = (raised.pyType === "AttributeError" && ATTRIBUTE.exec(raised.message)) || [];
  if (!type || !name) return undefined;
  if (isOp([...type.split("."), name])) return TOOL_AS_VALUE;
  const plain = type.replace("datetime.", "");
  return MEMBERS.get(plain)?.has(name) ? `${plain}.${name}` : undefined;
}

/** The failure for an exception of the guest. */
export function failureOf(raised: Raised, memory: string, isOp: (path: readonly string[]) => boolean): Failure {
  const feature = lacked(raised, isOp);
  if (feature !== undefined) return { ...raised, ...unsupported(feature) };
  if (raised.pyType === "MemoryError" && raised.message.startsWith("memory limit exceeded"))
    return { ok: false, kind: "memory", ...raised, message: `the code needs more than ${memory}` };
  return { ok: false, kind: raised.pyType === "SyntaxError" ? "syntax" : "runtime", ...raised };
}
