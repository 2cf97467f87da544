/** Exposes the ops of one caller as packs of Python objects: resolves calls, and executes them through dispatch. */

import type { CallOptions, CallRecord, Dispatch } from "../call/call.js";
import { effectField } from "../call/corrections/effect.js";
import { meantOp } from "../catalog/op-words.js";
import { byCodeUnit } from "../contract/canonical.js";
import type { CorrectedCall } from "../contract/error-body.js";
import type { ErrorCode, Principal } from "../contract/handler.js";
import { placeholderName } from "../contract/placeholder.js";
import { pythonLiteral } from "../contract/python-types.js";
import type { JsonValue, Tool } from "../contract/registry.js";
import { argumentsAsJson, bindArguments } from "./call-arguments.js";
import { raisedBy } from "./call-errors.js";
import type { ConcurrencyLimit } from "./concurrency-limit.js";
import { type HostCall, HostError, type Namespace, type PackTree, type Value } from "./engine/engine.js";
import { shownMembers } from "./engine/monty-packs.js";
import { valueOfJson } from "./json-values.js";

/** Dependencies of a proxy. */
export interface ProxyParts {
  readonly dispatch: Pick<Dispatch, "dispatch" | "index">;
  readonly principal: Principal;
  readonly packs: PackTree;
  /** Paths of ops that can be called but are never listed. */
  readonly hidden: ReadonlySet<string>;
  readonly projects: ReadonlyMap<string, string>;
  /** Names with several possible ops. */
  readonly ambiguous: ReadonlyMap<string, readonly string[]>;
  /** Limits concurrent calls. */
  readonly gate: ConcurrencyLimit;
  /** Record of the calls; absent: recorded in the proxy only. */
  readonly record?: CallRecord;
  /** Options that the calls inherit from the call whose code makes them. */
  readonly options: CallOptions;
  /** Time limit of an op, in milliseconds. */
  limitMs(op: string): number;
}

/** The namespace of one run, and its calls. */
export interface PackProxy {
  readonly namespace: Namespace;
  /** Ops that ran, are running or may have had an effect, with their counts, in the order of their first call. */
  readonly calls: ReadonlyMap<string, number>;
  /** Ops that were called, with any result. */
  readonly called: ReadonlySet<string>;
  /** Ops whose results were sanitised, stored, and read again. */
  readonly foreign: ReadonlySet<string>;
  /** The last op called. */
  last(): string | undefined;
  /** The lines that an error text adds to an exception with this message. */
  hintsOf(message: string): readonly string[];
  /** The op that a path without an op probably means. */
  meantOp(path: string): string | undefined;
}

/** Failures before the op takes effect. */
const WITHOUT_EFFECT: ReadonlySet<ErrorCode> = new Set([
  "VALIDATION_ERROR",
  "PERMISSION_DENIED",
  "NOT_FOUND",
  "CONFLICT",
  "UNAUTHENTICATED",
  "RATE_LIMITED",
]);

/** Makes the namespace of one run. */
export function createPackProxy(parts: ProxyParts): PackProxy {
  const { dispatch, principal, packs, hidden, projects, gate } = parts;
  const view = dispatch.index.view(principal.grant);
  const { record = { counts: new Map<string, number>(), foreign: new Set<string>() } } = parts;
  const calls = record.counts;
  const called = new Set<string>();
  const hints = new Map<string, readonly string[]>();
  let last: string | undefined;
  const call = async (host: HostCall): Promise<Value> => {
    const tool = view.exact(host.path.join("."));
    if (!tool) throw unknownTool(host.path, parts);
    const bound = boundOf(tool, host, hints);
    const args = argumentsAsJson(tool, bound);
    calls.set(tool.op, (calls.get(tool.op) ?? 0) + 1);
    called.add(tool.op);
    last = tool.op;
    const request = { op: tool.op, args };
    const options = { ...parts.options, signal: host.signal, record, isProgram: true as const };
    const envelope = await gate.pass(() => dispatch.dispatch(request, principal, options), host.signal);
    if (envelope.ok) return valueOfJson(envelope.result);
    if (WITHOUT_EFFECT.has(envelope.error.code)) uncount(calls, tool.op);
    const raised = raisedBy({ tool, bound, error: envelope.error, limitMs: parts.limitMs(tool.op) });
    const meant = meantCall(tool, envelope.error.corrected_call);
    if (meant !== undefined) hints.set(raised.message, [`Did you mean: ${meant}`]);
    throw raised;
  };
  return {
    namespace: { packs, hidden, projects, call },
    calls,
    called,
    foreign: record.foreign,
    last: () => last,
    hintsOf: (text) => hints.get(text) ?? [],
    meantOp: (path) => {
      const meant = meantOp(view, path);
      const isWhole = meant && Object.keys(meant.args).length === 0 && view.isListed(meant.tool.op);
      return isWhole ? meant.tool.op : undefined;
    },
  };
}

/** Binds the arguments; stores hints with the valid names for an exception about a name. */
function boundOf(tool: Tool, { args, kwargs }: HostCall, hints: Map<string, readonly string[]>) {
  try {
    return bindArguments(tool, args, kwargs);
  } catch (error) {
    const names = tool.parameters.map(({ name }) => name).join(", ");
    if (error instanceof HostError && error.message.includes("unexpected keyword")) {
      const isMeant = error.message.includes("(did you mean");
      const hasEffect = !isMeant && kwargs.some(([name]) => effectField(name) !== undefined);
      const next = names === "" ? "Next: call it without arguments" : `Next: use ${names}`;
      hints.set(error.message, [hasEffect ? NO_EFFECT : next]);
    }
    throw error;
  }
}

/** What a program cannot say of a call: without it, the call would do more than it is meant to. */
const NO_EFFECT = "Next: call tool_exec, which takes dry_run and idempotency_key; calls in a program have neither";

/** Longest call that a message shows, in characters. */
const MAX_CALL_LENGTH = 500;

/** The call that was probably meant, as code; undefined if a part of it must be filled in. */
function meantCall(tool: Tool, corrected: CorrectedCall | undefined): string | undefined {
  if (!corrected || corrected.op !== tool.op || holdsPlaceholder(corrected.args)) return undefined;
  const named = Object.entries(corrected.args).map(([original, value]) => {
    const name = tool.parameters.find((one) => one.original === original)?.name;
    return name === undefined ? undefined : `${name}=${pythonLiteral(value)}`;
  });
  const text = `${tool.op}(${named.join(", ")})`;
  return named.includes(undefined) || text.length > MAX_CALL_LENGTH ? undefined : text;
}

const holdsPlaceholder = (value: JsonValue): boolean =>
  typeof value === "object" && value !== null
    ? Object.values(value).some((one) => holdsPlaceholder(one as JsonValue))
    : placeholderName(value) !== undefined;

function uncount(calls: CallRecord["counts"], op: string): void {
  const count = (calls.get(op) ?? 1) - 1;
  if (count > 0) calls.set(op, count);
  else calls.delete(op);
}

/** The exception for a path without an op. */
function unknownTool(path: readonly string[], { packs, hidden, ambiguous, projects }: ProxyParts): HostError {
  const [first = ""] = path;
  const several = ambiguous.get(first);
  if (path.length === 1 && several) return new HostError("NameError", ambiguity(first, several));
  if (path.length > 1 && first === "proj" && projects.size > 0)
    return new HostError("AttributeError", noProject(path[1] ?? "", { packs, hidden, projects }));
  let at: PackTree | null | undefined = packs;
  let depth = 0;
  for (; depth < path.length - 1 && at?.get(path[depth] ?? ""); depth++) at = at.get(path[depth] ?? "");
  if (depth === 0 && !packs.has(first)) return new HostError("NameError", `name '${first}' is not defined`);
  const name = path[depth] ?? "";
  const held = path.slice(0, depth);
  if (at?.has(name) || depth === 0) return new HostError("TypeError", `'${path.join(".")}' is a pack, not a function`);
  return new HostError("AttributeError", noFunction(held, name, at ?? new Map(), hidden));
}

/** Message about an unknown function of a pack. */
export function noFunction(
  path: readonly string[],
  name: string,
  pack: PackTree,
  hidden: ReadonlySet<string> | undefined,
): string {
  const available = [...shownMembers(pack, path, hidden)].sort(byCodeUnit).join(", ");
  return `pack '${path.join(".")}' has no function '${name}'. Available: ${available}`;
}

/** Message about an ambiguous bare name. */
export const ambiguity = (name: string, paths: readonly string[]): string =>
  `name '${name}' is ambiguous: ${paths.join(", ")}`;

/** Message about an unknown project, with functions in the order of the pack's help page. */
export function noProject(
  name: string,
  { packs, hidden, projects }: Pick<Namespace, "packs" | "hidden" | "projects">,
): string {
  const functions = [...shownMembers(packs.get("proj") ?? new Map(), ["proj"], hidden)]
    .sort(byCodeUnit)
    .reverse()
    .join(", ");
  const names = [...projects.keys()].sort(byCodeUnit).join(", ");
  return `proj has no function or project '${name}'. Functions: ${functions}. Projects: ${names}`;
}
