/** Type-checks code against the stubs of the caller's ops; findings are advice, in the names that the code uses. */

import { setImmediate } from "node:timers/promises";
import { closest } from "../../../contract/closest.js";
import { isDataLike } from "../../../contract/data-keys.js";
import { type PythonStubs, pythonStubs } from "../../../contract/python-stubs.js";
import type { Tool } from "../../../contract/registry.js";
import type { CodeFinding, Scope } from "../language.js";
import { BUILTINS } from "./builtins.js";
import type { CodeDiagnostic } from "./engine/type-checker.js";
import type { RewrittenCode } from "./rewrite.js";

/** The ops and projects to check against. */
export interface CheckTargets extends Pick<Scope, "ops" | "hidden" | "projects"> {
  /** Stubs by pack, cached between checks. */
  readonly stubs: Map<string, PythonStubs>;
}

/** Longest finding, in characters: types quote the code, which may be long. */
const MAX_FINDING_LENGTH = 300;

/**
 * Most findings that are reported, and most names of the code that are compared for one: code may contain any number
 * of them.
 */
const MAX_FINDINGS = 100;
const MAX_NAMES = 500;

/** Checks code against stubs. */
export type CodeCheck = (code: string, stubs: string) => Promise<readonly CodeDiagnostic[] | undefined>;

/**
 * Findings in the order of the lines; undefined if the checker gives no answer.
 *
 * @param code - in the form for a type check
 */
export async function checkTypes(
  code: string,
  rewritten: RewrittenCode,
  checked: CheckTargets,
  checking: CodeCheck,
): Promise<readonly CodeFinding[] | undefined> {
  const stubs = await stubsFor(code, checked);
  const about = aboutOf(code, rewritten, checked, stubs);
  const all = await checking(code, stubs.map(definition).join("\n"));
  if (!all) return undefined;
  const found = all.slice(0, MAX_FINDINGS);
  const lines = found.length === 0 ? [] : code.split("\n");
  const findings: CodeFinding[] = [];
  for (const { rule, line, message } of found) {
    const finding = isStored(lines[line - 1] ?? "", rule) ? undefined : said(rule, message, about);
    if (finding) findings.push({ line, ...finding, message: finding.message.slice(0, MAX_FINDING_LENGTH) });
    // Yields to other work, because a finding may be compared with all names of the code.
    await setImmediate();
  }
  return findings.sort((a, b) => a.line - b.line);
}

/**
 * The stubs of the packs that the code names; yields to other work between two packs, because a pack may be large.
 */
async function stubsFor(code: string, { ops, stubs }: CheckTargets): Promise<readonly PythonStubs[]> {
  const packs = [...new Set(ops.map(({ group }) => group))].filter((pack) => named(code, pack));
  const found: PythonStubs[] = [];
  for (const pack of packs) {
    const known =
      stubs.get(pack) ??
      pythonStubs(
        ops.filter(({ group }) => group === pack),
        "keys",
      );
    if (!stubs.has(pack)) await setImmediate();
    stubs.set(pack, known);
    found.push(known);
  }
  return found;
}

/** Whether code contains a name as a whole word. */
const named = (code: string, name: string): boolean =>
  code.includes(name) && new RegExp(`\\b${name.replace(/\W/g, "\\$&")}\\b`).test(code);

/** Adds variables for the packs, which a stub only declares. */
const definition = ({ text, classes }: PythonStubs): string => {
  const packs = [...classes].filter(([, path]) => !path.includes("."));
  return text + packs.map(([type, pack]) => `${pack} = ${type}()`).join("\n");
};

/** Context for translating messages of the checker. */
interface About {
  readonly classes: ReadonlyMap<string, string>;
  readonly results: ReadonlyMap<string, string>;
  readonly ops: ReadonlyMap<string, Tool>;
  /** Paths that may be suggested. */
  readonly shown: readonly string[];
  readonly projects: ReadonlyMap<string, string>;
  /** Names that the code could mean. */
  readonly names: ReadonlySet<string>;
  readonly ambiguous: ReadonlyMap<string, readonly string[]>;
  /** Keys that the code sets or asks for itself, so that they may be there, or are not read. */
  readonly ownKeys: ReadonlySet<string>;
}

function aboutOf(
  code: string,
  rewritten: RewrittenCode,
  { ops, hidden, projects }: CheckTargets,
  stubs: readonly PythonStubs[],
): About {
  const shown = ops.filter(({ op }) => !hidden.has(op));
  return {
    shown: shown.map(({ op }) => op),
    classes: new Map(stubs.flatMap(({ classes }) => [...classes])),
    results: new Map(stubs.flatMap(({ results }) => [...results])),
    ops: new Map(ops.map((tool) => [tool.op, tool])),
    projects,
    names: new Set([...shown.map(({ group }) => group), ...[...rewritten.facts.bound].slice(0, MAX_NAMES)]),
    ambiguous: rewritten.ambiguous,
    ownKeys: ownKeysOf(code),
  };
}

/** A key as code has it. */
const KEY = "(?:\"([^\"\\\\\\n]{1,200})\"|'([^'\\\\\\n]{1,200})')";
/** `r["a"] = 1`, `r.setdefault("a", 1)`, `"a" in r`, `r.update({"a": 1})`, `r.update(a=1)`. */
const OWN_KEYS: readonly RegExp[] = [
  new RegExp(`\\[ {0,4}${KEY} {0,4}\\] {0,4}(?:[-+*/%&|^@]|//|\\*\\*|<<|>>)?=(?!=)`, "g"),
  new RegExp(`\\bsetdefault\\( {0,4}${KEY}`, "g"),
  new RegExp(`${KEY} (?:not )?in\\b`, "g"),
];
const UPDATES: readonly RegExp[] = [new RegExp(`${KEY} {0,4}:`, "g"), /([A-Za-z_]\w{0,200}) {0,4}=(?!=)/g];

function ownKeysOf(code: string): ReadonlySet<string> {
  const forms = /\.update\(|\|=| \| /.test(code) ? [...OWN_KEYS, ...UPDATES] : OWN_KEYS;
  return new Set(forms.flatMap((form) => [...code.matchAll(form)].map(([, a, b]) => a ?? b ?? "")));
}

/** Whether a line stores a key of a result, which is allowed for unknown keys. */
const isStored = (line: string, rule: string): boolean =>
  rule === "invalid-key" && /\]\s*(?:[-+*/%&|^]|\/\/|\*\*|<<|>>)?=(?!=)/.test(line.slice(0, MAX_LINE_LENGTH));

/** Characters of a line that are examined. */
const MAX_LINE_LENGTH = 1000;

type Said = Omit<CodeFinding, "line">;
type Saying = (found: readonly string[], about: About) => string | Said | undefined;

/**
 * Messages of the checker with their translation; others are dropped, because the checker knows only a part of Python.
 */
const SAYINGS: readonly (readonly [rule: string, form: RegExp, say: Saying])[] = [
  ["invalid-syntax", /^(.*)$/s, ([text]) => `syntax: ${text}`],
  ["unresolved-reference", /^Name `(\w+)` used when not defined$/, ([name = ""], about) => unknownName(name, about)],
  [
    "unresolved-attribute",
    /^Object of type `(\w+)` has no attribute `(\w+)`$/,
    ([type = "", name = ""], about) => unknownAttribute(type, name, about),
  ],
  ["invalid-key", /^Unknown key "(.*)" for TypedDict `(\w+)`(.*)$/s, unknownKey],
  [
    "unknown-argument",
    /^Argument `(\w+)` does not match any known parameter of bound method `(\w+\.\w+)`$/,
    ([name = "", method = ""], about) => unknownArgument(name, opOf(method, about)),
  ],
  [
    "missing-argument",
    /^No arguments? provided for required parameters? (.+) of bound method `(\w+\.\w+)`$/s,
    ([names = "", method = ""], about) => ofOp(method, about, (op) => `${op}() is missing ${quoted(names)}`),
  ],
  [
    "too-many-positional-arguments",
    /^Too many positional arguments to bound method `(\w+\.\w+)`: expected (\d+), got (\d+)$/,
    ([method = "", most, count], about) =>
      // The checker counts the pack as an argument.
      ofOp(method, about, (op) => `${op}() takes ${Number(most) - 1} by position at most, not ${Number(count) - 1}`),
  ],
  [
    "parameter-already-assigned",
    /^Multiple values provided for parameter `(\w+)` of bound method `(\w+\.\w+)`$/,
    ([name, method = ""], about) => ofOp(method, about, (op) => `${op}() got '${name}' twice`),
  ],
  [
    "invalid-argument-type",
    /^Argument to bound method `(\w+\.\w+)` is incorrect: Expected `(.*)`, found `(.*)`$/s,
    ([method = "", expected = "", found = ""], about) =>
      isDictionary(expected, found, about)
        ? undefined
        : ofOp(method, about, (op) => {
            return `an argument of ${op}() must be ${plainType(expected, about)}, not ${plainType(found, about)}`;
          }),
  ],
  [
    "call-non-callable",
    /^Object of type `(\w+)` is not callable$/,
    ([type = ""], { classes }) => (classes.has(type) ? `'${classes.get(type)}' is a pack, not a function` : undefined),
  ],
  // Dictionaries are joined with `|`, which the checker does not know for a `TypedDict`.
  ["unsupported-operator", /^(?!Operator `\|)(.*)$/s, ([text], about) => lowered(resultNames(text, about))],
];

function said(rule: string, message: string, about: About): Said | undefined {
  for (const [known, form, say] of SAYINGS) {
    const found = known === rule ? form.exec(message) : null;
    if (!found) continue;
    const text = say(found.slice(1), about);
    return typeof text === "string" ? { message: text } : text;
  }
  return undefined;
}

const meant = (name: string, candidates: Iterable<string>): string => {
  const near = closest(name, candidates);
  return near === undefined || near === name ? "" : `; did you mean ${near}?`;
};

/** Makes ``Operator `+` is not …`` the middle of a sentence. */
const lowered = (text: string): string => text.charAt(0).toLowerCase() + text.slice(1);
const quoted = (names: string): string => names.replaceAll("`", "'");

/** The op of a method: `_Demo.search` is `demo.search`, and so is `_Demo_Search.__call__`. */
function opOf(method: string, { classes, ops }: About): Tool | undefined {
  const [type = "", name = ""] = method.split(".");
  return ops.get(name === "__call__" ? `${classes.get(type)}` : `${classes.get(type)}.${name}`);
}

function ofOp(method: string, about: About, say: (op: string) => string): string | undefined {
  const tool = opOf(method, about);
  return tool && say(tool.op);
}

/** Replaces the checker's names of result types by descriptions. */
const resultNames = (text: string | undefined, { results }: About): string =>
  (text ?? "").replace(/_\w+/g, (name) => (results.has(name) ? `a part of the result of ${results.get(name)}` : name));

/** Whether a part of a result is passed where objects are expected: the checker takes no `TypedDict` for a `dict`. */
const isDictionary = (expected: string, found: string, { results }: About): boolean =>
  /\bdict\b|\bAny\b|_\w+/.test(expected) && [...found.matchAll(/_\w+/g)].some(([name]) => results.has(name));

/** Formats `Literal["a", "b"]` as `"a" or "b"`. */
function plainType(text: string | undefined, about: About): string {
  const values = /^Literal\[(.*)\]$/s.exec(text ?? "")?.[1];
  return values === undefined ? resultNames(text, about) : values.replaceAll(", ", " or ");
}

function unknownName(name: string, { names, projects, ambiguous }: About): string | undefined {
  if (BUILTINS.has(name) || (name === "proj" && projects.size > 0)) return undefined;
  const several = ambiguous.get(name);
  return several
    ? `name '${name}' is ambiguous: ${several.join(", ")}`
    : `name '${name}' is not defined${meant(name, names)}`;
}

function unknownAttribute(type: string, name: string, { classes, shown, projects }: About): string | undefined {
  const pack = classes.get(type);
  if (pack === undefined || (pack === "proj" && projects.has(name))) return undefined;
  const members = shown.flatMap((op) => (op.startsWith(`${pack}.`) ? op.slice(pack.length + 1) : []));
  const near = closest(name, [...new Set(members.map((one) => one.split(".")[0] ?? one))]);
  return `pack '${pack}' has no function '${name}'${near === undefined ? "" : `; did you mean ${pack}.${near}?`}`;
}

function unknownKey(
  [key = "", type = "", near = ""]: readonly string[],
  { results, ops, ownKeys }: About,
): string | Said | undefined {
  const op = results.get(type);
  if (op === undefined || ownKeys.has(key)) return undefined;
  const wanted = /did you mean "(.*)"\?$/s.exec(near)?.[1];
  const meant = wanted === undefined || closest(key, [wanted]) === undefined ? "" : `; did you mean '${wanted}'?`;
  const learned = ops.get(op)?.learned_result;
  if (!learned) return `the result of ${op}() has no key '${key}'${meant}`;
  // Keys that look like data are not known by name, and others not before three calls had them.
  if (isDataLike(key)) return undefined;
  const basis = learned.pinned ? "its type is written by a person" : `${learned.calls} calls seen so far`;
  const message = `results of ${op}() have no known key '${key}' (${basis})${meant}`;
  return { message, is_learned: true };
}

function unknownArgument(name: string, tool: Tool | undefined): string | undefined {
  if (!tool) return undefined;
  const names = tool.parameters.map((one) => one.name);
  return `${tool.op}() has no argument '${name}'${meant(name, names) || `: it takes ${names.join(", ") || "none"}`}`;
}
