/** Decides which call a refusal suggests. */

import { mayAdminister } from "../../access/principal.js";
import { meantOp } from "../../catalog/op-words.js";
import type { RegistryView } from "../../catalog/registry.js";
import { digest } from "../../contract/canonical.js";
import type { CallEffect, CorrectedCall } from "../../contract/error-body.js";
import { objectOf } from "../../contract/exact-number.js";
import { type ErrorCode, type FieldError, isToolFailure } from "../../contract/handler.js";
import { isObject } from "../../contract/json.js";
import { placeholder } from "../../contract/placeholder.js";
import type { JsonObject, JsonValue, Tool } from "../../contract/registry.js";
import { asRequest, MAX_UNKNOWN } from "../../contract/request-fields.js";
import { isSpent, TooMuchWork, withBudget } from "../../contract/work-budget.js";
import type { Call } from "../call.js";
import { findOp } from "../resolve.js";
import { EVERYBODY } from "../services.js";
import { correctCall, isCorrectable } from "./correct-call.js";
import { isKey } from "./effect.js";
import { inSignatureOrder, mendArguments } from "./mend.js";
import { meantTexts } from "./read-call.js";
import { hinted } from "./skeleton.js";

const REFUSALS: ReadonlySet<ErrorCode> = new Set(["VALIDATION_ERROR", "NOT_FOUND"]);

/** Adds the corrected call to a call that was refused before it reached its handler. */
export async function withSuggestion(call: Call, error: unknown): Promise<Call> {
  const { services, view, tool, errors, options, request, budget } = call;
  const isAsSent = tool === undefined || errors.length > 0;
  if (!isAsSent || !isToolFailure(error) || !REFUSALS.has(error.code)) return call;
  const sent = asRequest(request) ?? {};
  if (isSpent(budget) || !isCorrectable(sent)) return call;
  const { references } = options;
  const corrected = await correctCall(services, { view, sent, references, budget }).catch(() => undefined);
  const isLost = tool === undefined && error.code === "VALIDATION_ERROR" && !namesAnOp(view, sent);
  return { ...call, corrected: corrected ?? (isLost ? exampleCall(call) : undefined) };
}

/** Whether a call says which op is meant, in whatever words. */
const namesAnOp = (view: RegistryView, sent: JsonObject): boolean =>
  [...meantTexts(sent), ...severalOps(sent)].some(
    (text) => findOp(view, text) !== undefined || meantOp(view, text) !== undefined,
  );

const severalOps = ({ op }: JsonObject): readonly string[] =>
  Array.isArray(op) ? op.slice(0, MAX_UNKNOWN).filter((one) => typeof one === "string") : [];

/**
 * How a call looks: an op of the project that reads, before any of a shipped pack; the one that the caller has used most, then the one
 * that all have, for those who see all statistics; before any was used, one that needs nothing, of the entity with the most ops; none
 * that failed again and again.
 */
function exampleCall(call: Call): CorrectedCall | undefined {
  const best = exampleOp(call);
  return best && { op: best.op, args: exampleArguments(best) };
}

function exampleOp({ view, services, principal, options: { session } }: Call): Tool | undefined {
  const own = services.used.get(principal.id);
  const all = mayAdminister(principal) ? services.used.get(EVERYBODY) : undefined;
  const family = new Map<string, number>();
  for (const { op } of view.listed) family.set(parentOf(op), (family.get(parentOf(op)) ?? 0) + 1);
  const rank = (tool: Tool): readonly number[] => [
    tool.source.shipped ? 0 : 1,
    own?.get(tool.op) ?? 0,
    all?.get(tool.op) ?? 0,
    tool.parameters.every(({ required }) => !required) ? 1 : 0,
    family.get(parentOf(tool.op)) ?? 0,
    tool.action === "list" ? 1 : 0,
  ];
  const reads = view.listed.filter(
    ({ op, kind, parameters }) => kind === "read" && parameters.length > 0 && !session?.isGivenUp(op),
  );
  return [...reads].sort((a, b) => compare(rank(b), rank(a)))[0];
}

/** Placeholders for the required arguments, else for one: a call that was not asked for is carried out only when it is filled in. */
function exampleArguments(tool: Tool): JsonObject {
  const needed = tool.parameters.filter(({ required }) => required);
  const some = needed.length > 0 ? needed : tool.parameters.slice(0, 1);
  return objectOf(some.map(({ original }) => [original, argumentOf(tool, original)] as const));
}

function argumentOf({ parameters_schema: schema }: Tool, name: string): string {
  const properties = isObject(schema["properties"]) ? schema["properties"] : {};
  return Object.hasOwn(properties, name) ? hinted(properties[name], name, schema) : placeholder(name);
}

const parentOf = (op: string): string => op.slice(0, Math.max(0, op.lastIndexOf(".")));

function compare(a: readonly number[], b: readonly number[]): number {
  return a.reduce((order, value, at) => order || value - (b[at] ?? 0), 0);
}

/** Codes after which the same call would fail again for the same reason, whatever its arguments are. */
const NOT_ABOUT_THE_CALL: ReadonlySet<ErrorCode> = new Set([
  "UNAVAILABLE",
  "INTERNAL",
  "TIMEOUT",
  "CANCELLED",
  "PERMISSION_DENIED",
  "RATE_LIMITED",
  "UNAUTHENTICATED",
]);

/** The corrected call of a failure: the added one, or the call as it was understood, mended by the failure's details. */
export function suggestedCall(call: Call, code: ErrorCode, details: JsonObject): CorrectedCall | undefined {
  if (NOT_ABOUT_THE_CALL.has(code) || details["outcome"] === "unknown") return undefined;
  if (call.corrected) return call.corrected;
  const { tool } = call;
  if (!tool || call.errors.length > 0) return undefined;
  const told = MEND[code]?.(call.args, details) ?? call.args;
  const args = mended(tool, told, errorsIn(details));
  if (!args || digest(args) === digest(inSignatureOrder(call.args, tool))) return undefined;
  return { op: tool.op, args, ...effectOf(call.request) };
}

/**
 * A suggested call that was tried, without carrying it out: mended once more, or undefined, if it would be refused. What is left
 * to fill in does not count.
 */
export async function triedCall(call: Call, suggested: CorrectedCall | undefined): Promise<CorrectedCall | undefined> {
  const { services, view, principal, corrected } = call;
  if (!suggested || (view.exact(suggested.op)?.kind === "write" && !principal.allowWrite)) return undefined;
  if (suggested === corrected) return suggested;
  const { references } = call.options;
  const sent: JsonObject = { ...suggested };
  return correctCall(services, { view, sent, references, mayRepeat: true }).catch(() => undefined);
}

function mended(tool: Tool, args: JsonObject, errors: readonly FieldError[]): JsonObject | undefined {
  try {
    const found = withBudget(() => mendArguments(tool, args, { errors, undecided: [] }));
    return found && inSignatureOrder(found, tool);
  } catch (cause) {
    if (cause instanceof TooMuchWork) return undefined;
    throw cause;
  }
}

/** The flags of a call that passed the check of its envelope. */
function effectOf(request: unknown): CallEffect {
  const { dry_run, idempotency_key } = asRequest(request) ?? {};
  return {
    ...(typeof dry_run === "boolean" ? { dry_run } : {}),
    ...(isKey(idempotency_key) ? { idempotency_key } : {}),
  };
}

const errorsIn = (details: JsonObject): readonly FieldError[] => {
  const errors = details["field_errors"];
  const found = Array.isArray(errors)
    ? errors.filter((error) => isObject(error) && typeof error["path"] === "string")
    : [];
  return found as unknown as readonly FieldError[];
};

const MEND: Readonly<Partial<Record<ErrorCode, (args: JsonObject, details: JsonObject) => JsonObject>>> = {
  NOT_FOUND: (args, { kind, id }) =>
    typeof id === "string"
      ? withoutId(args, id, typeof kind === "string" && kind !== "" ? `<${kind}_id>` : "<id>")
      : args,
  CONFLICT: (args, { current_version }) =>
    typeof current_version === "number" && Object.hasOwn(args, "expected_version")
      ? { ...args, expected_version: placeholder("expected_version", `${current_version}, after reading what changed`) }
      : args,
};

/** Replaces an unknown id in the arguments by a placeholder. */
function withoutId(args: JsonObject, id: string, instead: string): JsonObject {
  const replace = (value: JsonValue): JsonValue => {
    if (value === id) return instead;
    if (Array.isArray(value)) return value.map(replace);
    return isObject(value) ? withoutId(value, id, instead) : value;
  };
  return objectOf(Object.entries(args).map(([name, value]) => [name, replace(value)]));
}
