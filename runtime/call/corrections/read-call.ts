/**
 * Reads a call whose parts are in the wrong places: arguments under another name, as text, in a list or beside the op;
 * flags in other spellings; the op under another name. Nothing is dropped that may have been meant.
 */

import { canonicalJson } from "../../contract/canonical.js";
import type { CallEffect } from "../../contract/envelope.js";
import { isExact, objectOf } from "../../contract/exact-number.js";
import { GATEWAY_TOOLS } from "../../contract/gateway-tools.js";
import { isObject, own } from "../../contract/json.js";
import type { JsonObject, JsonValue, Tool } from "../../contract/registry.js";
import { MAX_UNKNOWN } from "../../contract/request-fields.js";
import { withoutPlural, wordsIn } from "../../contract/typo.js";
import { admits, propertiesOf } from "../arguments/schema.js";
import { nearestArgument } from "./argument-names.js";
import { effectField, joinEffects, readEffect, readFlag } from "./effect.js";
import { readKeywords, readLenient } from "./lenient-json.js";
import { readNamed } from "./named-values.js";
import { nameOwnId, nestMembers, putIntoBody } from "./nested-names.js";

/** Arguments and flags of a call. */
export interface ReadArguments {
  readonly args: JsonObject;
  readonly effect: CallEffect;
}

/** Fields that hold an op, beside `op`, in the order in which they are looked at. */
const OP_FIELDS =
  "op name tool command operation path action method function op_name tool_name function_name cmd".split(" ");
/** Fields that hold the arguments. */
const HOLDERS: ReadonlySet<string> = new Set(
  "args arg arguments argument params parameters param input inputs kwargs payload tool_args tool_input function_args arguments_json args_json data".split(
    " ",
  ),
);
/** Fields that hold a whole call. */
const WHOLE_CALLS: ReadonlySet<string> = new Set("function function_call tool_call call request".split(" "));
/** Fields inside or beside the arguments that hold some of them. */
const SPREAD: ReadonlySet<string> = new Set(
  "update updates patch change changes set fields values attributes properties body request_body query query_params path path_params filter filters where object item record resource details options settings flags meta".split(
    " ",
  ),
);
/** Arguments that are also what models write about a call: beside `args`, it is not known which of both they are. */
const PROSE: ReadonlySet<string> = new Set(
  "title name label description summary comment comments note notes message reason text".split(" "),
);
/** Fields that clients and models add, and that say nothing about the call. */
const NOISE: ReadonlySet<string> = new Set(
  "reasoning thought thoughts thinking explanation rationale call_id tool_call_id tool_use_id".split(" "),
);
/** Words that say whether a call is to be carried out. */
const GO_AHEADS: ReadonlySet<string> = new Set(
  "apply approve approved commit confirm confirmed doit execute force forreal go live perform proceed really run save write".split(
    " ",
  ),
);
/** Values of `type` that say only that it is a call. */
const CALL_TYPES: ReadonlySet<string> = new Set("exec function call tool tool_call tool_use function_call".split(" "));
/** Tools that take a call: `name: "tool_exec"` beside the op says nothing more. */
const GATEWAY_NAMES: ReadonlySet<string> = new Set(GATEWAY_TOOLS.map(({ name }) => name));
/** Calls inside calls that are read. */
const MAX_DEPTH = 4;

/** Whether a field of the call is a flag, even if an argument has almost the same name. */
const isField = (name: string): name is keyof CallEffect => name === "dry_run" || name === "idempotency_key";

const snake = (name: string): string => wordsIn(name).join("_");

/** Words of an `op` that say only that a call follows. Any other says what is to be done, so that no other field does. */
const CALL_WORDS: ReadonlySet<string> = new Set(
  "exec execute executor call calls run invoke use tool tools function functions op command action request api gateway".split(
    " ",
  ),
);

/** Whether a text names nothing that could be done. */
const isEmptyOp = (text: string): boolean => wordsIn(text).every((word) => CALL_WORDS.has(word));

/** Words that ask about an op, which is not to be called then. */
const HELP_WORDS: ReadonlySet<string> = new Set(
  "help describe explain doc docs documentation schema usage info discover inspect".split(" "),
);

/** Whether a text asks for help, as `tool_help` does. */
export const asksForHelp = (text: string): boolean => {
  const words = wordsIn(text);
  return (
    words.some((word) => HELP_WORDS.has(word)) && words.every((word) => HELP_WORDS.has(word) || CALL_WORDS.has(word))
  );
};

/** The texts of a call in which its op may be, likely ones first. */
export function opTexts(sent: JsonValue | undefined, depth = 0): readonly string[] {
  const call = asCall(sent);
  if (!call || depth > MAX_DEPTH) return [];
  const texts = OP_FIELDS.flatMap((field) => {
    const value = own(call, field);
    return typeof value === "string" && !isEmptyOp(value) ? [value] : [];
  });
  const inner = Object.entries(call)
    .slice(0, MAX_UNKNOWN)
    .filter(([name]) => HOLDERS.has(snake(name)) || WHOLE_CALLS.has(snake(name)));
  return [
    ...texts,
    ...joinedOps(call).map(({ text }) => text),
    ...inner.flatMap(([, value]) => opTexts(value, depth + 1)),
  ];
}

/** Those texts that may say which op is to be called: none if one asks for help, only `op` if that says anything. */
export function meantTexts(sent: JsonObject): readonly string[] {
  const { op } = sent;
  if (typeof op === "string" && !isEmptyOp(op)) return [op, ...joinedOps(sent).map(({ text }) => text)];
  const texts = opTexts(sent);
  return texts.some(asksForHelp) ? [] : texts;
}

/** The texts of a request in the fields where an op may be, at any level. */
export function textsIn(sent: unknown, depth = 0): readonly string[] {
  if (!isObject(sent) || depth > MAX_DEPTH) return [];
  const fields = Object.entries(sent).slice(0, MAX_UNKNOWN);
  return fields.flatMap(([name, value]) =>
    typeof value === "string" && OP_FIELDS.includes(name) ? [value] : textsIn(value, depth + 1),
  );
}

/** An op in two fields: `{"op": "onto.task", "action": "list"}`, `{"entity": "task", "action": "list"}`. */
function joinedOps(call: JsonObject): readonly { readonly text: string; readonly fields: readonly string[] }[] {
  const given = (field: string): boolean => typeof own(call, field) === "string" && own(call, field) !== "";
  const noun = ["op", "entity", "resource"].find(given);
  const verb = ["action", "verb", "method"].find(given);
  if (noun === undefined || verb === undefined) return [];
  return [{ text: `${String(call[noun])}.${String(call[verb])}`, fields: [noun, verb] }];
}

const isNothing = (value: JsonValue): boolean =>
  value === null || value === "" || (typeof value === "object" && !isExact(value) && Object.keys(value).length === 0);

/** A call, or the only one in a list, or one as text. */
function asCall(value: JsonValue | undefined): JsonObject | undefined {
  const read = typeof value === "string" ? (readLenient(value) ?? readKeywords(value)) : value;
  const one = Array.isArray(read) && read.length === 1 ? (read[0] as JsonValue) : read;
  return isObject(one) ? one : undefined;
}

/** What finds the op in a text. */
export type FindTool = (text: string) => Tool | undefined;

/** The arguments and flags of a call of a known op; undefined if they cannot be told without a guess. */
export function readCall(tool: Tool, sent: JsonObject, find: FindTool): ReadArguments | undefined {
  const reading = new Reading(tool, find);
  reading.envelope(sent, 0);
  return reading.result();
}

class Reading {
  readonly #tool: Tool;
  readonly #find: FindTool;
  readonly #declared: ReadonlySet<string>;
  readonly #args = new Map<string, JsonValue>();
  #effect: CallEffect | undefined = {};
  #isClear = true;

  constructor(tool: Tool, find: FindTool) {
    this.#tool = tool;
    this.#find = find;
    this.#declared = declaredNames(tool);
  }

  result(): ReadArguments | undefined {
    if (!this.#isClear || !this.#effect) return undefined;
    const args = nestMembers(nameOwnId(objectOf([...this.#args]), this.#tool), this.#tool.parameters_schema);
    return { args: putIntoBody(args, this.#tool), effect: this.#effect };
  }

  envelope(fields: JsonObject, depth: number): void {
    const opFields = this.#opFields(fields);
    const isFilled = Object.entries(fields).some(([name, value]) => this.#isHolder(name) && !isNothing(value));
    for (const [name, value] of this.#entries(fields)) {
      if (opFields.includes(name) || this.#isNoise(name, value)) continue;
      if (isFilled && this.#isRemark(name)) this.#isClear = false;
      else if (this.#isWholeCall(name, value)) this.envelope(value, depth + 1);
      else if (this.#isHolder(name)) this.#held(value, depth + 1);
      else if (isField(name) && !this.#declared.has(name)) this.#flag(name, value);
      else this.#member(name, value);
    }
  }

  #isWholeCall(name: string, value: JsonValue): value is JsonObject {
    return WHOLE_CALLS.has(snake(name)) && !this.#declared.has(name) && isObject(value);
  }

  /** Whether an argument beside the others may be a remark about the call, or a flag of it: `dryRun` where both may be meant. */
  #isRemark(name: string): boolean {
    const isFlag = !isField(name) && effectField(name) !== undefined;
    return this.#declared.has(name) && (isFlag || PROSE.has(snake(name)));
  }

  #isHolder(name: string): boolean {
    return name === "args" || (HOLDERS.has(snake(name)) && !this.#declared.has(name));
  }

  /** The fields from which the op was read. */
  #opFields(fields: JsonObject): readonly string[] {
    const joined = joinedOps(fields).find(({ text }) => this.#find(text)?.op === this.#tool.op);
    const field = this.#opField(fields);
    return joined?.fields ?? (field === undefined ? [] : [field]);
  }

  /** Whether a field beside the op says only that this is a call, or which one of a client's calls. */
  #isNoise(name: string, value: JsonValue): boolean {
    if (typeof value !== "string" || this.#declared.has(name)) return false;
    if (GATEWAY_NAMES.has(value) && OP_FIELDS.includes(name)) return true;
    if ((name === "pack" && value === this.#tool.group) || (name === "method" && value === "tools/call")) return true;
    return name === "id" || (name === "type" && CALL_TYPES.has(value));
  }

  /** The field from which the op was read. */
  #opField(fields: JsonObject): string | undefined {
    const isThis = (field: string): boolean => {
      const value = own(fields, field);
      return typeof value === "string" && this.#find(value)?.op === this.#tool.op;
    };
    if (Object.hasOwn(fields, "op") && !this.#declared.has("op")) {
      const others = OP_FIELDS.filter((field) => field !== "op" && !this.#declared.has(field) && isThis(field));
      return isThis("op") || others.length === 0 ? "op" : others[0];
    }
    return OP_FIELDS.find(isThis);
  }

  /** What stands in place of the arguments: an object, one in a list, one as text, a whole call. */
  #held(value: JsonValue, depth: number): void {
    if (value === null || (Array.isArray(value) && value.length === 0)) return;
    if (typeof value === "string" && /^\s*(?:null|None)?\s*$/.test(value)) return;
    const held = asCall(value) ?? readNamed(this.#tool, value, this.#declared);
    if (!held || depth > MAX_DEPTH) this.#isClear = false;
    else if (this.#isCall(held)) this.envelope(held, depth);
    else this.#arguments(held, depth);
  }

  /** Whether an object names this op in a field that is no argument. */
  #isCall(value: JsonObject): boolean {
    const field = this.#opField(value);
    const text = field === undefined || this.#declared.has(field) ? undefined : own(value, field);
    return typeof text === "string" && this.#find(text)?.op === this.#tool.op;
  }

  #arguments(fields: JsonObject, depth: number): void {
    for (const [name, value] of this.#entries(fields)) {
      const isHolder = !this.#declared.has(name) && HOLDERS.has(snake(name));
      const isHeld = isHolder && Object.keys(fields).length === 1 && asCall(value) !== undefined;
      if (isHeld) this.#held(value, depth + 1);
      else this.#member(name, value);
    }
  }

  #entries(fields: JsonObject): readonly (readonly [string, JsonValue])[] {
    const entries = Object.entries(fields);
    const unknown = entries.filter(([name]) => !this.#declared.has(name));
    if (unknown.length > MAX_UNKNOWN) this.#isClear = false;
    return this.#isClear ? entries : [];
  }

  /** Whether an object holds arguments of the op, nothing else, and none with another value than was given before. */
  #isSpread(name: string, value: JsonValue): value is JsonObject {
    const words = wordsIn(this.#tool.op).map(withoutPlural);
    const isKnown = SPREAD.has(snake(name)) || words.includes(withoutPlural(snake(name)));
    const property = propertiesOf(this.#tool.parameters_schema).get(name);
    const takesObject = property && admits(property, {}, this.#tool.parameters_schema);
    if (!isKnown || !isObject(value) || isExact(value) || takesObject === true) return false;
    const members = Object.entries(value);
    const isOther = (one: string, member: JsonValue): boolean => !isSame(this.#args.get(one) ?? member, member);
    if (members.some(([one, member]) => isOther(one, member))) return false;
    return members.length > 0 && members.every(([one]) => this.#declared.has(one) || effectField(one) !== undefined);
  }

  /** An argument, a flag, or something that is neither. */
  #member(name: string, sent: JsonValue): void {
    const read = typeof sent === "string" && !this.#declared.has(name) && SPREAD.has(snake(name)) && asCall(sent);
    const value = read || sent;
    if (this.#isSpread(name, value)) {
      for (const [inner, one] of Object.entries(value)) this.#plain(inner, one);
    } else this.#plain(name, sent);
  }

  #plain(name: string, value: JsonValue): void {
    const isDeclared = this.#declared.has(name);
    const nearest = isDeclared ? name : nearestArgument(name, [...this.#declared]);
    const field = isDeclared ? undefined : effectField(name);
    // `dry_run` may be the flag of the call or the argument `dryRun` of the op.
    if (field !== undefined && nearest !== undefined && effectField(nearest) !== undefined) this.#isClear = false;
    else if (field === undefined && nearest === undefined && this.#withholds(name, value)) this.#isClear = false;
    else if (field !== undefined && nearest === undefined) this.#flag(field, value);
    else if (isDeclared || !NOISE.has(snake(name)) || typeof value !== "string") this.#argument(name, value);
  }

  /** Whether something that is no argument says that nothing is to be done yet. */
  #withholds(name: string, value: JsonValue): boolean {
    return this.#tool.kind === "write" && isWithheld(name, value);
  }

  #flag(field: keyof CallEffect, value: JsonValue): void {
    if (value === null) return;
    const read = readEffect(field, value);
    this.#effect = read && this.#effect && joinEffects(this.#effect, read);
    if (!this.#effect) this.#isClear = false;
  }

  #argument(name: string, value: JsonValue): void {
    const known = this.#args.get(name);
    if (known !== undefined && !isSame(known, value)) this.#isClear = false;
    this.#args.set(name, value);
  }
}

/** Whether a member says that a call is not to be carried out: `confirm: false`, `mode: "dry_run"`, `flags: ["--dry-run"]`. */
export function isWithheld(name: string, value: JsonValue, depth = 0): boolean {
  if (depth > MAX_DEPTH || effectField(name) === "dry_run") return true;
  if (typeof value === "string" && effectField(value) === "dry_run") return true;
  if (GO_AHEADS.has(wordsIn(name).join("")) && readFlag(value) === false) return true;
  const members = Array.isArray(value)
    ? (value as readonly JsonValue[]).map((one) => ["", one] as const)
    : isObject(value) && !isExact(value)
      ? Object.entries(value)
      : [];
  return members.slice(0, MAX_UNKNOWN).some(([inner, one]) => isWithheld(inner, one, depth + 1));
}

const isSame = (a: JsonValue, b: JsonValue): boolean => canonicalJson(a) === canonicalJson(b);

/** Names and aliases of the arguments. */
function declaredNames(tool: Tool): ReadonlySet<string> {
  const endpoints = tool.parameters_schema["x-endpoints"];
  return new Set([
    ...propertiesOf(tool.parameters_schema).keys(),
    ...tool.parameters.flatMap(({ name, aliases }) => [name, ...aliases]),
    ...(isObject(endpoints) ? Object.keys(endpoints) : []),
  ]);
}
