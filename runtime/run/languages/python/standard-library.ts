/** Names of Python's standard library that programs use without their import. */

/** Modules that are used by their own name, as in `json.loads`. */
const MODULES: ReadonlySet<string> = new Set(
  (
    "asyncio base64 bisect calendar collections copy csv dataclasses decimal difflib enum fractions functools hashlib heapq html " +
    "io itertools json math operator os pathlib pprint random re statistics string struct sys textwrap time typing urllib uuid zlib"
  ).split(" "),
);

/** Names that are imported from a module. */
const MEMBERS: Readonly<Record<string, string>> = {
  collections: "Counter OrderedDict defaultdict deque namedtuple",
  copy: "deepcopy",
  dataclasses: "asdict dataclass field",
  datetime: "date datetime timedelta timezone",
  decimal: "Decimal",
  enum: "Enum",
  fractions: "Fraction",
  functools: "lru_cache partial reduce",
  io: "BytesIO StringIO",
  itertools: "accumulate chain combinations groupby islice permutations product",
  math: "ceil floor isnan log sqrt",
  operator: "attrgetter itemgetter",
  pathlib: "Path",
  random: "choice randint shuffle",
  statistics: "mean median stdev",
  textwrap: "dedent",
  typing: "Any Dict List Optional",
  "urllib.parse": "quote unquote urlencode urlparse",
  uuid: "uuid4",
  zoneinfo: "ZoneInfo",
};

const MODULE_OF: ReadonlyMap<string, string> = new Map(
  Object.entries(MEMBERS).flatMap(([module, names]) => names.split(" ").map((name) => [name, module] as const)),
);

/**
 * The import that gives an undefined name its meaning in Python; undefined if the standard library has no such name.
 *
 * @param code what follows the name decides for `datetime`, which is a module and a class of it
 */
export function missingImport(name: string, code: string): string | undefined {
  if (
    MODULES.has(name) ||
    (name === "datetime" && /\bdatetime\s*\.\s*(?:date|datetime|time|timedelta|timezone)\b/.test(code))
  )
    return `import ${name === "urllib" ? "urllib.parse" : name}`;
  const module = MODULE_OF.get(name);
  return module === undefined ? undefined : `from ${module} import ${name}`;
}
