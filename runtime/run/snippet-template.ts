/**
 * Renders a snippet's template: nunjucks with Python's conventions, without a loader, and with limits on size and
 * time.
 */

import { withinMs } from "../contract/time-budget.js";
import type { LanguageTexts, Marks, PlacedText } from "./languages/language.js";
import { printedValue, snippetMember, textOfValue } from "./snippet-members.js";

/**
 * Time limit of a template, and its multiples for further attempts: on a busy machine the clock also counts the work
 * of other processes.
 */
const RENDER_MS = 100;
const TRIES = [1, 3, 9];

/** Most items of `range`. */
const MAX_RANGE = 100_000;

/** Tags that would load another template. */
const LOADING = ["Include", "Import", "FromImport", "Extends"] as const;

/** Python's constants, and the only function. */
const GLOBALS: ReadonlyMap<string, unknown> = new Map<string, unknown>([
  ["True", true],
  ["False", false],
  ["None", null],
  ["range", range],
]);

/** The result of rendering: text with marks around every value, or the reason of a failure. */
export type Rendered = PlacedText | { readonly kind: "undefined"; readonly name: string };

/** Functions that compiled templates call; the rest of the library's runtime is unchanged. */
interface Runtime {
  memberLookup(holder: unknown, key: unknown): unknown;
  contextOrFrameLookup(context: Context, frame: Frame, name: string): unknown;
  ensureDefined(value: unknown): unknown;
  suppressValue(value: unknown): string;
  callWrap(called: unknown, name: string, context: unknown, args: readonly unknown[]): unknown;
}

interface Frame {
  lookup(name: string): unknown;
}

interface Context {
  getVariables(): object;
}

type Root = (env: unknown, context: unknown, frame: unknown, runtime: unknown, done: unknown) => unknown;

/** The parts of the library that its types leave out. */
interface Nunjucks {
  readonly Environment: new (loaders: readonly [], options: object) => Environment;
  readonly Template: new (text: string, env: object, path: string, compile: boolean) => Template;
  readonly parser: { parse(text: string): { findAll(type: unknown): readonly unknown[] } };
  readonly nodes: Readonly<Record<string, unknown>>;
  readonly runtime: object;
}

interface Environment {
  readonly filters: object;
}

interface FilterNode {
  readonly name: { readonly value: string };
}

interface Template {
  rootRenderFunc: Root;
  render(values: object): string;
}

/** How the values of a template are written. */
interface Writing {
  readonly marks: Marks;
  /** Most characters of the text. */
  readonly most: number;
  readonly printed: LanguageTexts["printed"];
}

/** Renders a template with these values. */
export async function renderTemplate(
  body: string,
  values: ReadonlyMap<string, string>,
  writing: Writing,
): Promise<Rendered> {
  const nunjucks = (await import("nunjucks")).default as unknown as Nunjucks;
  for (const times of TRIES) {
    const rendered = renderOnce(nunjucks, body, { ...writing, values, ms: RENDER_MS * times });
    if (rendered !== "timeout") return rendered;
  }
  return { kind: "invalid", reason: `it takes longer than ${RENDER_MS} ms` };
}

/** Why a template does not compile, if so. Effects of its values are not checked. */
export async function templateFault(body: string): Promise<string | undefined> {
  const nunjucks = (await import("nunjucks")).default as unknown as Nunjucks;
  try {
    if (isLoading(nunjucks, body)) return NOT_LOADED;
    compiled(nunjucks, body);
    const used = nunjucks.parser.parse(body).findAll(nunjucks.nodes["Filter"]) as readonly FilterNode[];
    const known = environmentOf(nunjucks).filters;
    const unknown = used.find(({ name }) => !Object.hasOwn(known, name.value));
    return unknown && `there is no filter ${unknown.name.value}`;
  } catch (error) {
    return reasonOf(error);
  }
}

const NOT_LOADED = "include, import and extends are not available";

const isLoading = ({ parser, nodes }: Nunjucks, body: string): boolean =>
  LOADING.some((name) => parser.parse(body).findAll(nodes[name]).length > 0);

const environmentOf = ({ Environment }: Nunjucks): Environment =>
  new Environment([], { autoescape: false, throwOnUndefined: true });

const compiled = (nunjucks: Nunjucks, body: string): Template =>
  new nunjucks.Template(body, environmentOf(nunjucks), "snippet", true);

interface Task extends Writing {
  readonly values: ReadonlyMap<string, string>;
  readonly ms: number;
}

function renderOnce(nunjucks: Nunjucks, body: string, { values, ms, ...writing }: Task): Rendered | "timeout" {
  const { most } = writing;
  const seen: Seen = { missing: undefined, failed: undefined, size: 0 };
  try {
    if (isLoading(nunjucks, body)) return { kind: "invalid", reason: NOT_LOADED };
    const template = compiled(nunjucks, body);
    const root = template.rootRenderFunc;
    const runtime = { ...nunjucks.runtime, ...runtimeOf(writing, seen) };
    template.rootRenderFunc = (self, context, frame, _, done) => root(self, context, frame, runtime, done);
    const text = withinMs(ms, () => template.render(Object.fromEntries(values)));
    return text.length > most + 3 * seen.size ? { kind: "invalid", reason: TOO_LARGE } : { kind: "text", text };
  } catch (error) {
    if (seen.failed !== undefined) return { kind: "undefined", name: seen.failed };
    return isTimeout(error) ? "timeout" : { kind: "invalid", reason: reasonOf(error) };
  }
}

/** State of a rendering: the last undefined name, the name for which it failed, and the size of its output. */
interface Seen {
  missing: string | undefined;
  failed: string | undefined;
  size: number;
}

const NO_RESULT =
  "a filter gives nothing for its value, as `int` does for a word: give a value that fits, or the filter a default, as in int(0)";
const TOO_LARGE = "its text is larger than limits.code_bytes";

function runtimeOf({ marks, most, printed }: Writing, seen: Seen): Runtime {
  const noted = (value: unknown, name: string): unknown => {
    if (value === undefined) seen.missing = name;
    return value;
  };
  return {
    memberLookup: (holder, key) => noted(snippetMember(holder, key), printedValue(key)),
    contextOrFrameLookup: (context, frame, name) => noted(lookup(context, frame, name), name),
    ensureDefined(value) {
      if (value !== undefined) return value;
      if (seen.missing === undefined) throw new Error(NO_RESULT);
      seen.failed = seen.missing;
      throw new Error("undefined variable");
    },
    suppressValue(value) {
      const own = textOfValue(value);
      const text = (own ?? printed(value)).replaceAll(marks.open, "").replaceAll(marks.close, "");
      seen.size += text.length + 1;
      if (seen.size > most) throw new Error(TOO_LARGE);
      return (own === undefined ? marks.open : "") + marks.open + text + marks.close;
    },
    callWrap(called, name, context, args) {
      if (typeof called === "function") return Reflect.apply(called, context, args);
      if (called === undefined) seen.failed = name.replaceAll(/\["(\w+)"\]/g, ".$1");
      throw new Error(`'${name}' cannot be called`);
    },
  };
}

function lookup(context: Context, frame: Frame, name: string): unknown {
  const local = frame.lookup(name);
  if (local !== undefined) return local;
  const values = context.getVariables();
  return Object.hasOwn(values, name) ? Reflect.get(values, name) : GLOBALS.get(name);
}

function range(...bounds: readonly unknown[]): readonly number[] {
  const [first = 0, second, step = 1] = bounds
    .filter((bound) => typeof bound === "number" || typeof bound === "string")
    .map(Number);
  const [start, stop] = second === undefined ? [0, first] : [first, second];
  const length = Math.max(0, Math.ceil((stop - start) / step)) || 0;
  if (length > MAX_RANGE) throw new Error(`range() of more than ${MAX_RANGE} items`);
  return Array.from({ length }, (_, i) => start + i * step);
}

const isTimeout = (error: unknown): boolean =>
  typeof error === "object" && error !== null && "code" in error && error.code === "ERR_SCRIPT_EXECUTION_TIMEOUT";

/** The last line of an error of the library, without its position, whose path is meaningless here. */
function reasonOf(error: unknown): string {
  if (error instanceof Error || (typeof error === "object" && error !== null && "message" in error)) {
    const lines = String(error.message)
      .split("\n")
      .map((line) => line.trim());
    const place = /\[Line (\d+)/.exec(lines[0] ?? "")?.[1];
    const reason = (lines.at(-1) ?? "").replace(/^(?:Template render error|Error|RangeError|TypeError): /, "");
    return place && lines.length > 1 ? `${reason} (line ${place})` : reason;
  }
  return String(error);
}
