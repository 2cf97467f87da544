/** Makes the corrected call of a refused one: what was meant, in the form that is accepted, or nothing. */

import { type MeantOp, meantOp } from "../../catalog/op-words.js";
import type { RegistryView } from "../../catalog/registry.js";
import { canonicalJson } from "../../contract/canonical.js";
import type { CallEffect, CorrectedCall } from "../../contract/error-body.js";
import { mapMembers } from "../../contract/exact-number.js";
import { isObject, isTooDeep } from "../../contract/json.js";
import { asSent, MAX_REPEATED } from "../../contract/placeholder.js";
import type { JsonObject, JsonValue, Tool } from "../../contract/registry.js";
import { TooMuchWork, type WorkBudget, withBudget } from "../../contract/work-budget.js";
import { PLACEHOLDER } from "../arguments/unfilled-placeholders.js";
import type { Resolved } from "../call.js";
import { argumentCheck, type Checked } from "../prepare.js";
import { namedOps } from "../request-names.js";
import { findOp, isNegated, namedGatewayTool } from "../resolve.js";
import type { Services } from "../services.js";
import { readLenient } from "./lenient-json.js";
import { inSignatureOrder, mendArguments } from "./mend.js";
import { meantTexts, readCall } from "./read-call.js";

/** Times that arguments are mended and checked: a value inside a text or under another name may have faults, too. */
const MAX_PASSES = 4;
/** Texts of a call that are compared with ops. */
const MAX_TEXTS = 20;

/** The refused call, and who made it. */
export interface RefusedCall {
  readonly view: RegistryView;
  readonly sent: JsonObject;
  /** Replaces references by earlier results. */
  readonly references?: ((args: JsonValue) => Resolved) | undefined;
  /** Set if something beside the call was wrong, so that the same call may be right. */
  readonly mayRepeat?: true;
  /** What the call has left to spend. Default: what any call may spend. */
  readonly budget?: WorkBudget;
}

/**
 * The corrected call; undefined if the op is unknown, if what was meant cannot be told, or if it would be the same call
 * again.
 */
export async function correctCall(services: Services, refused: RefusedCall): Promise<CorrectedCall | undefined> {
  const { view, references } = refused;
  if (!isCorrectable(refused.sent) || new Set(namedOps(view, refused.sent).values()).size > 1) return undefined;
  const sent = unfolded(refused.sent);
  const meant = opOf(view, sent);
  const read = meant && readCall(meant.tool, sent, (text) => opIn(view, text)?.tool);
  if (!meant || !read) return undefined;
  const { tool } = meant;
  if (Object.keys(meant.args).some((name) => Object.hasOwn(read.args, name))) return undefined;
  const args: JsonObject = { ...read.args, ...meant.args };
  const resolved = references?.(args) ?? { args, errors: [] };
  // References are kept as they are: their values belong to the entry that they come from.
  const mended =
    resolved.errors.length > 0 || !isObject(resolved.args)
      ? inSignatureOrder(args, tool)
      : await mendedArguments(services, tool, resolved.args, refused.budget);
  const call: CorrectedCall | undefined = mended && { op: tool.op, args: mended, ...inOrder(read.effect) };
  const isOther = refused.mayRepeat || canonicalJson(refused.sent) !== canonicalJson(call ?? null);
  return call && isOther ? { ...call, args: shortened(call.args) as JsonObject } : undefined;
}

/** Arguments without long texts: the caller has them. */
function shortened(value: unknown): unknown {
  if (typeof value === "string") return value.length > MAX_REPEATED ? asSent(value.length) : value;
  return typeof value === "object" && value !== null ? mapMembers(value, shortened) : value;
}

/** `{"op":"onto.task.list({\"limit\":3})"}`, `{"op":"{\"op\":…}"}` and `{"op":{…}}` as calls of their own parts; any other call as it is. */
function unfolded(call: JsonObject): JsonObject {
  const sent =
    Array.isArray(call["op"]) && call["op"].length === 1 ? { ...call, op: call["op"][0] as JsonValue } : call;
  const { op, args, ...others } = sent;
  const hasArguments = args !== undefined && !(isObject(args) && Object.keys(args).length === 0);
  const rest: JsonObject = hasArguments ? { args, ...others } : others;
  const text = typeof op === "string" ? op.trim().replace(/;$/, "") : "";
  const [, name, inside] = /^([\p{L}\p{N}_.]+)\s*\((\s*\{.*\}\s*)\)$/su.exec(text) ?? [];
  const written = text.startsWith("{") ? text : (inside ?? "");
  const read = isObject(op) ? op : readLenient(written);
  if (!isObject(read)) return sent;
  const parts: JsonObject = name === undefined ? read : { op: name, args: read };
  return Object.keys(parts).some((key) => Object.hasOwn(rest, key)) ? sent : { ...parts, ...rest };
}

/** Characters of a call, in names and values, that are corrected at most: the event loop waits while they are looked at. */
const MAX_CORRECTED_LENGTH = 100_000;

/** Whether a call is small enough to be corrected. */
export function isCorrectable(sent: JsonObject): boolean {
  if (isTooDeep(sent)) return false;
  let left = MAX_CORRECTED_LENGTH;
  const fits = (value: JsonValue): boolean => {
    left -= typeof value === "string" ? value.length : 1;
    if (left < 0) return false;
    if (Array.isArray(value)) return value.every(fits);
    if (!isObject(value)) return true;
    return Object.entries(value).every(([name, member]) => {
      left -= name.length;
      return fits(member);
    });
  };
  return fits(sent);
}

/**
 * The op of a call: in the field for it, else the first known one anywhere, else a probable one. A call of another gateway tool has none;
 * `tool_exec` in place of the op may be around the call.
 */
function opOf(view: RegistryView, sent: JsonObject): MeantOp | undefined {
  const { op } = sent;
  const gateway = typeof op === "string" ? namedGatewayTool(view, op) : undefined;
  if (gateway !== undefined && gateway !== "tool_exec") return undefined;
  const texts = meantTexts(sent).slice(0, MAX_TEXTS);
  for (const text of texts) {
    const tool = findOp(view, text)?.tool;
    if (tool) return { tool, args: {} };
  }
  return typeof op === "string" && gateway === undefined && !isNegated(op) ? meantOp(view, op) : undefined;
}

const opIn = (view: RegistryView, text: string): MeantOp | undefined => {
  const tool = findOp(view, text)?.tool;
  return tool ? { tool, args: {} } : undefined;
};

const inOrder = ({ dry_run, idempotency_key }: CallEffect): CallEffect => ({
  ...(dry_run === undefined ? {} : { dry_run }),
  ...(idempotency_key === undefined ? {} : { idempotency_key }),
});

/** The arguments after mending; undefined if that is too much work. */
async function mendedArguments(
  services: Services,
  tool: Tool,
  args: JsonObject,
  budget: WorkBudget | undefined,
): Promise<JsonObject | undefined> {
  const check = await argumentCheck(services, tool);
  try {
    const mended = withBudget(() => mendRepeatedly(tool, args, check), budget);
    return mended && inSignatureOrder(mended, tool);
  } catch (cause) {
    if (cause instanceof TooMuchWork) return undefined;
    throw cause;
  }
}

/** Whether a finding counts members that were not looked at. */
const isCount = (path: string): boolean => path === "*" || path.endsWith(".*");

/**
 * Mends and checks until nothing is left to mend; undefined if not everything was looked at, or if arguments without a
 * placeholder would be refused.
 */
function mendRepeatedly(tool: Tool, given: JsonObject, check: (args: JsonObject) => Checked): JsonObject | undefined {
  let args = given;
  for (let pass = 0; ; pass++) {
    // What is undecided has an error, too.
    const { args: repaired, errors, undecided } = check(args);
    args = repaired;
    const open = errors.filter(({ keyword }) => keyword !== PLACEHOLDER);
    if (open.some(({ path }) => isCount(path))) return undefined;
    if (open.length === 0) return args;
    if (pass === MAX_PASSES) return open.length < errors.length ? args : undefined;
    const mended = mendArguments(tool, args, { errors: open, undecided });
    if (!mended) return undefined;
    args = mended;
  }
}
