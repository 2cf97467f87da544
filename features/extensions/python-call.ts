/**
 * Calls Python extension tools: each call runs in its own sandbox, and calls other ops as its caller, through
 * dispatch.
 */

import type { HandlerContext } from "../../runtime/call/call.js";
import type { Settings } from "../../runtime/config/settings.js";
import { writeJson } from "../../runtime/contract/exact-number.js";
import { type Bound, type ErrorCode, fail, type Handler, type Principal } from "../../runtime/contract/handler.js";
import { readJson } from "../../runtime/contract/read-json.js";
import type { JsonObject, JsonValue, Tool } from "../../runtime/contract/registry.js";
import type { OpCalls } from "../../runtime/gateway/added-ops.js";
import { type ConcurrencyLimit, concurrencyLimit } from "../../runtime/run/concurrency-limit.js";
import { innerRunsOf } from "../../runtime/run/kept/inner-runs.js";
import { callPlace } from "../../runtime/run/kept/places.js";
import type { FinishedRun, RunOutcome } from "../../runtime/run/languages/language.js";
import { builtinException } from "../../runtime/run/languages/python/exceptions.js";
import { valueStr } from "../../runtime/run/languages/python/python-text.js";
import type { rewrite } from "../../runtime/run/languages/python/rewrite.js";
import { extensionOwnerOf } from "../../runtime/run/owner.js";
import { createPackProxy } from "../../runtime/run/pack-proxy.js";
import { treeJson, treeOf, treeOfJson } from "../../runtime/run/value-tree.js";
import type { ExtensionCode } from "./extensions.js";

/** Limits of extension tools that call each other: nesting levels, and concurrent calls at each level. */
const MAX_LEVELS = 4;
const MAX_AT_ONCE = 4;

type PythonCode = Extract<ExtensionCode, { readonly kind: "python" }>;

/** Makes the handler of one tool. */
export type PythonHandlers = (tool: Tool, code: PythonCode) => Bound<never, unknown>;

/** What makes the handlers of Python tools in one gateway. */
export function pythonHandlers(settings: Settings, calls: () => OpCalls): PythonHandlers {
  // One concurrency limit for each level: a call only waits for calls of deeper levels, so that no deadlock is
  // possible.
  const concurrencyLimits = Array.from({ length: MAX_LEVELS }, () => concurrencyLimit(MAX_AT_ONCE));
  const services: Services = { settings, concurrencyLimits, calls };
  return (tool, code) => handlerOf(services, tool, code);
}

interface Services {
  readonly settings: Settings;
  readonly concurrencyLimits: readonly ConcurrencyLimit[];
  readonly calls: () => OpCalls;
}

function handlerOf(services: Services, tool: Tool, code: PythonCode): Bound<never, unknown> {
  // Dispatch gives every handler this context.
  const handler = async (args: JsonObject, ctx: HandlerContext): Promise<JsonValue> => {
    const principal = onBehalf(tool, ctx.principal);
    const limit = services.concurrencyLimits[(principal.through?.length ?? 1) - 1];
    if (!limit) return fail("INTERNAL", `extension tools call each other too deep: ${chainOf(principal)}`, RUNTIME);
    return limit.pass(() => call({ services, tool, code, ctx, principal }, args), ctx.signal as AbortSignal);
  };
  // Its only effects are its calls, and each call has a key of its own.
  return { run: handler as Handler<JsonObject, JsonValue>, exactNumbers: true, repeatable: true, inPreview: "run" };
}

const RUNTIME = { exception: "RuntimeError" };
const chainOf = ({ through = [] }: Principal): string => through.join(" > ");

/** The principal of calls from inside a tool: the caller, with permission to write only if the tool is a write. */
function onBehalf(tool: Tool, caller: Principal): Principal {
  const before = caller.through ?? [];
  const principal = {
    ...caller,
    allowWrite: caller.allowWrite && tool.kind === "write",
    through: [...before, tool.op],
  };
  if (before.includes(tool.op))
    fail("INTERNAL", `extension tools call each other in a circle: ${chainOf(principal)}`, RUNTIME);
  return principal;
}

interface Call {
  readonly services: Services;
  readonly tool: Tool;
  readonly code: PythonCode;
  readonly ctx: HandlerContext;
  readonly principal: Principal;
}

async function call(one: Call, args: JsonObject): Promise<JsonValue> {
  const { services, ctx, principal } = one;
  const { settings } = services;
  const { dispatch, languages, loader } = services.calls();
  const { language, interpreter } = await languages.named("python");
  const { packs, hidden, projects } = loader.toolsFor(principal);
  const { code, ambiguous } = programOf(
    one,
    args,
    new Set(packs.keys()),
    await import("../../runtime/run/languages/python/rewrite.js"),
  );
  const { namespace } = createPackProxy({
    dispatch,
    principal,
    texts: language.texts,
    packs,
    hidden,
    projects,
    ambiguous,
    gate: concurrencyLimit(settings.parallelCalls),
    options: ctx.inherited,
    keyPrefix: ctx.key === undefined ? undefined : `${ctx.key}.`,
    limitMs: (op) => settings.ops.get(op)?.deadline_ms ?? settings.callTimeoutMs,
  });
  const { limits } = settings.run;
  const printed: string[] = [];
  const signal = ctx.signal as AbortSignal;
  // In a run, it gets what it has received again when the run goes on.
  const place = ctx.key === undefined ? undefined : callPlace({ key: ctx.key });
  const inner =
    place === undefined ? undefined : innerRunsOf(ctx.inherited.run)?.open({ code, namespace, place, signal });
  const onPrint = (text: string): void => void printed.push(text);
  const { ended, ...followed } = inner ?? {};
  const outcome = await interpreter.run({
    owner: extensionOwnerOf(principal),
    isInner: true,
    ...{ code, namespace, limits, signal, onPrint },
    ...followed,
  });
  ended?.(outcome);
  if (printed.length > 0) ctx.log.debug("printed", { text: printed.join("").slice(0, MAX_LOGGED_LENGTH) });
  return outcome.ok ? resultOf(outcome, limits.resultDepth) : failure(one, outcome);
}

/** Characters of printed text that are logged. */
const MAX_LOGGED_LENGTH = 2000;

/** Number of lines that {@link moduleOf} adds before the file. */
export const PRELUDE_LINES = 1;

/** The file with its own module name, so that `if __name__ == "__main__"` does not run. */
export const moduleOf = (pack: string, source: string): string =>
  `__name__ = ${JSON.stringify(pack)}\n${source.replace(/^\uFEFF/, "")}\n`;

/**
 * Placeholder for the arguments while the module is rewritten: they may be large, and contain no names to resolve.
 */
const ARGUMENTS = '"\ue000arguments"';

/** The module, and the call whose value is captured. */
function programOf(
  { tool, code }: Call,
  args: JsonObject,
  packs: ReadonlySet<string>,
  run: { readonly rewrite: typeof rewrite },
) {
  const name = tool.source.call?.export ?? tool.tool_name;
  const call = `${code.asynchronous.has(name) ? "await " : ""}${name}(**__import__("json").loads(${ARGUMENTS}))`;
  const program = run.rewrite(moduleOf(tool.group, code.source) + call, { aliases: new Map(), packs, bare: new Map() });
  const at = program.code.lastIndexOf(ARGUMENTS);
  // A JSON string is also a valid Python literal.
  const given = JSON.stringify(writeJson(args));
  const text = program.code.slice(0, at) + given + program.code.slice(at + ARGUMENTS.length);
  return { code: text, ambiguous: program.ambiguous };
}

/** The result as JSON, by the rules for results of `run`. */
function resultOf(outcome: FinishedRun, depth: number): JsonValue {
  if (outcome.outcome !== "value") return null;
  const tree =
    (outcome.json === undefined ? undefined : treeOfJson(outcome.json, depth)) ??
    treeOf(outcome.value, depth, valueStr);
  return readJson(treeJson(tree)) as JsonValue;
}

type Failed = Extract<RunOutcome, { readonly ok: false }>;

/** Exceptions that report a fault of the caller or a missing object; any other is an internal error of the tool. */
const CODES: Readonly<Record<string, ErrorCode>> = {
  ValueError: "VALIDATION_ERROR",
  LookupError: "NOT_FOUND",
  FileNotFoundError: "NOT_FOUND",
  PermissionError: "PERMISSION_DENIED",
  TimeoutError: "TIMEOUT",
  ConnectionError: "UNAVAILABLE",
  NotImplementedError: "UNAVAILABLE",
};

function failure({ tool, code: { source } }: Call, failed: Failed): never {
  const { kind, name, message } = failed;
  if (kind === "cancelled") return fail("CANCELLED", `${tool.op} was cancelled.`);
  const { file } = tool.source;
  const line = failed.line === undefined ? undefined : failed.line - PRELUDE_LINES;
  const inFile = line !== undefined && line >= 1 && line <= source.split("\n").length ? { line } : {};
  const known = builtinException(name);
  const code = (Object.hasOwn(CODES, name) ? CODES[name] : undefined) ?? "INTERNAL";
  const said = known ? message || name : `${name}${message === "" ? "" : `: ${message}`}`;
  // The author who fixes an internal error needs its innermost position; a caller with invalid arguments does not.
  const isPlaced = code !== "INTERNAL" || /\(\.onetool\/tools\/[^)]*\)$/.test(said);
  const place = !isPlaced ? ` (${file}${inFile.line === undefined ? "" : `, line ${inFile.line}`})` : "";
  return fail(code, `${said}${place}`, { exception: known ?? "RuntimeError", file, ...inFile });
}
