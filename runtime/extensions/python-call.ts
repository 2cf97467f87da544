/** Calls Python extension tools: each call has a sandbox of its own, and reaches other ops as its caller does, through dispatch. */

import { writeJson } from "../contract/exact-number.js";
import { type Bound, type ErrorCode, fail, type Handler, type Principal } from "../contract/handler.js";
import { readJson } from "../contract/read-json.js";
import type { JsonObject, JsonValue, Tool } from "../contract/registry.js";
import { type CallContext, inherited } from "../dispatch/job.js";
import type { Dispatch } from "../dispatch.js";
import { BUILTIN_EXCEPTIONS, type RunOutcome } from "../run/engine/engine.js";
import type { LazyEngines } from "../run/engines.js";
import type { Finished } from "../run/format.js";
import { type Gate, gateOf } from "../run/gate.js";
import { createPackProxy } from "../run/pack-proxy.js";
import { rewrite } from "../run/rewrite.js";
import type { ToolLoader } from "../run/tool-loader.js";
import { jsonOf, treeOf, treeOfJson } from "../run/value-tree.js";
import type { Project } from "../settings.js";
import type { ExtensionCode } from "./extensions.js";

/** What calls are made with. */
export interface PythonParts {
  readonly dispatch: Pick<Dispatch, "dispatch" | "index">;
  readonly engines: LazyEngines;
  readonly loader: ToolLoader;
}

/** Extension tools that call each other: so many levels, and at each so many at once. */
const MOST_LEVELS = 4;
const MOST_AT_ONCE = 4;

/** The project with handlers for its Python tools; `parts` is asked for at a call, since they need the project themselves. */
export function withPythonTools(project: Project, parts: () => PythonParts): Project {
  const { extensions } = project;
  if (!extensions) return project;
  // A gate for each level: who waits at one is waited for by those above alone, so that no circle of waiting can form.
  const gates = Array.from({ length: MOST_LEVELS }, () => gateOf(MOST_AT_ONCE));
  const kit: Kit = { project, gates, parts };
  return {
    ...project,
    handler: async (op) => {
      const found = extensions.tools.get(op);
      if (found?.code.kind !== "python") return project.handler(op);
      return handlerOf(kit, found.tool, found.code);
    },
  };
}

type PythonCode = Extract<ExtensionCode, { readonly kind: "python" }>;

interface Kit {
  readonly project: Project;
  readonly gates: readonly Gate[];
  readonly parts: () => PythonParts;
}

function handlerOf(kit: Kit, tool: Tool, code: PythonCode): Bound<never, unknown> {
  const run: Handler<JsonObject, JsonValue> = async (args, ctx) => {
    const principal = onBehalf(tool, ctx.principal);
    const gate = kit.gates[(principal.through?.length ?? 1) - 1];
    if (!gate) return fail("INTERNAL", `extension tools call each other too deep: ${chainOf(principal)}`, RUNTIME);
    return gate.pass(() => call({ kit, tool, code, ctx, principal }, args), ctx.signal as AbortSignal);
  };
  return { run, exactNumbers: true };
}

const RUNTIME = { exception: "RuntimeError" };
const chainOf = ({ through = [] }: Principal): string => through.join(" > ");

/** Who calls from inside the tool: the caller, who can write there only if the tool is a write. */
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
  readonly kit: Kit;
  readonly tool: Tool;
  readonly code: PythonCode;
  readonly ctx: CallContext;
  readonly principal: Principal;
}

async function call(one: Call, args: JsonObject): Promise<JsonValue> {
  const { kit, ctx, principal } = one;
  const { settings } = kit.project;
  const { dispatch, engines, loader } = kit.parts();
  const { packs, hidden, projects } = loader.toolsFor(principal);
  const { code, ambiguous } = programOf(one, args, new Set(packs.keys()));
  const { namespace } = createPackProxy({
    dispatch,
    principal,
    packs,
    hidden,
    projects,
    ambiguous,
    gate: gateOf(settings.parallelCalls),
    hooks: inherited(ctx),
    limitMs: (op) => settings.ops.get(op)?.deadline_ms ?? settings.callTimeoutMs,
  });
  const { cpython } = await engines.get();
  const { limits } = settings.run;
  const printed: string[] = [];
  const signal = ctx.signal as AbortSignal;
  const outcome = await cpython.run({ code, namespace, limits, signal, onPrint: (text) => void printed.push(text) });
  if (printed.length > 0) ctx.log.debug("printed", { text: printed.join("").slice(0, MOST_LOGGED) });
  return outcome.ok ? resultOf(outcome, limits.resultDepth) : failure(one, outcome);
}

/** Characters of printed text that the log keeps. */
const MOST_LOGGED = 2000;

/** Lines that {@link moduleOf} puts before the first one of the file. */
export const PRELUDE_LINES = 1;

/** The file under its own name, so that `if __name__ == "__main__"` stays out. */
export const moduleOf = (pack: string, source: string): string =>
  `__name__ = ${JSON.stringify(pack)}\n${source.replace(/^\uFEFF/, "")}\n`;

/** Stands for the arguments while the module is rewritten: they may be large, and only the module has names to resolve. */
const ARGUMENTS = '"\ue000arguments"';

/** The module and the call, whose value is captured. */
function programOf({ tool, code }: Call, args: JsonObject, packs: ReadonlySet<string>) {
  const name = tool.source.call?.export ?? tool.tool_name;
  const call = `${code.asynchronous.has(name) ? "await " : ""}${name}(**__import__("json").loads(${ARGUMENTS}))`;
  const program = rewrite(moduleOf(tool.group, code.source) + call, { aliases: new Map(), packs, bare: new Map() });
  const at = program.code.lastIndexOf(ARGUMENTS);
  // JSON text of JSON text is a literal of Python too.
  const given = JSON.stringify(writeJson(args));
  const text = program.code.slice(0, at) + given + program.code.slice(at + ARGUMENTS.length);
  return { code: text, ambiguous: program.ambiguous };
}

/** The result as JSON, by the rules for results of `run`. */
function resultOf(outcome: Finished, depth: number): JsonValue {
  if (outcome.outcome !== "value") return null;
  const tree =
    (outcome.json === undefined ? undefined : treeOfJson(outcome.json, depth)) ?? treeOf(outcome.value, depth);
  return readJson(jsonOf(tree)) as JsonValue;
}

type Failed = Extract<RunOutcome, { readonly ok: false }>;

/** Exceptions that say what a caller did, or what is not there; any other is the tool's own fault. */
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
  const { kind, pyType, message } = failed;
  if (kind === "cancelled") return fail("CANCELLED", `${tool.op} was cancelled.`);
  const { file } = tool.source;
  const line = failed.line === undefined ? undefined : failed.line - PRELUDE_LINES;
  const inFile = line !== undefined && line >= 1 && line <= source.split("\n").length ? { line } : {};
  const known = BUILTIN_EXCEPTIONS.find((one) => one === pyType);
  const code = (Object.hasOwn(CODES, pyType) ? CODES[pyType] : undefined) ?? "INTERNAL";
  const said = known ? message || pyType : `${pyType}${message === "" ? "" : `: ${message}`}`;
  // Whoever mends a fault needs its place, the innermost; whoever called wrongly does not.
  const isPlaced = code !== "INTERNAL" || /\(\.onetool\/tools\/[^)]*\)$/.test(said);
  const place = !isPlaced ? ` (${file}${inFile.line === undefined ? "" : `, line ${inFile.line}`})` : "";
  return fail(code, `${said}${place}`, { exception: known ?? "RuntimeError", file, ...inFile });
}
