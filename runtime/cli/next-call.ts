/** The commands that a failed `toolwright call` or `exec` prints: each is accepted as it stands, or has a value to fill in. */

import { isNoArgument } from "../call/corrections/mend.js";
import { findOp } from "../call/resolve.js";
import type { RegistryView } from "../catalog/registry.js";
import { acceptedNames } from "../contract/accepted-names.js";
import type { CorrectedCall, ErrorBody } from "../contract/envelope.js";
import { isExact, objectOf } from "../contract/exact-number.js";
import { isObject } from "../contract/json.js";
import { onLine } from "../contract/message-text.js";
import type { JsonObject, JsonValue } from "../contract/registry.js";
import { callCommand } from "./arguments.js";
import { nearFlag } from "./near-flag.js";

/** A flag of the command. */
export interface CommandFlag {
  /** Its name with its dashes. */
  readonly name: string;
  readonly takesValue: boolean;
}

/** How the call was made. */
export interface MadeCall {
  readonly words: readonly unknown[];
  readonly call: Omit<CorrectedCall, "args"> & { readonly args: Readonly<Record<string, unknown>> };
  /** Flags to repeat, as words. */
  readonly tail: readonly string[];
  /** All flags that the command takes. */
  readonly flags: readonly CommandFlag[];
}

/** Most suggestions that are written as commands. */
const MAX_SUGGESTED = 3;

/** The lines that follow an envelope that is not ok. */
export function nextCalls(error: ErrorBody, made: MadeCall, view: RegistryView): readonly string[] {
  const { corrected_call: better } = error;
  const commandOf = (call: CorrectedCall, more: readonly string[] = []): string =>
    `try: ${callCommand(call, findOp(view, call.op)?.tool, [...more, ...made.tail])}`;
  const meant = meantFlags(better?.args, made);
  const misspelt = meant.map(
    ({ argument, flag }) => `--${onLine(argument)} is no argument: did you mean ${flag.name}?`,
  );
  if (!better)
    return [
      ...(findOp(view, made.call.op) ? [] : misspelt),
      ...suggestedCalls(error, made, view).map((call) => commandOf(call)),
    ];
  const dropped = new Set(meant.map(({ argument }) => argument));
  const left = droppedNames(better.args).filter((name) => !dropped.has(name));
  return [
    ...misspelt,
    ...(left.length === 0 ? [] : [`left out: ${left.map((name) => onLine(name)).join(", ")}, which it does not take`]),
    commandOf(
      { ...better, args: withoutUnknown(better.args) },
      meant.flatMap(({ words }) => words),
    ),
  ];
}

/** The calls of suggested ops that take the arguments of the call. */
function suggestedCalls({ details }: ErrorBody, { call }: MadeCall, view: RegistryView): readonly CorrectedCall[] {
  // Those of an op that is there are about its arguments.
  const suggestions = findOp(view, call.op) ? [] : details["suggestions"];
  const ops = (Array.isArray(suggestions) ? suggestions : []).flatMap((one: unknown) =>
    typeof one === "string" ? [one] : isObject(one) && typeof one["op"] === "string" ? [one["op"]] : [],
  );
  return ops
    .flatMap((op) => (takes(view, op, call.args) ? [{ ...call, op, args: call.args as JsonObject }] : []))
    .slice(0, MAX_SUGGESTED);
}

function takes(view: RegistryView, op: string, args: MadeCall["call"]["args"]): boolean {
  const tool = view.exact(op);
  if (!tool) return false;
  const { declared, open } = acceptedNames(tool.parameters_schema);
  const aliases = new Set(tool.parameters.flatMap((one) => [one.name, ...one.aliases]));
  return Object.keys(args).every((name) => open || declared.has(name) || aliases.has(name));
}

/**
 * Arguments that were given as flags, and that are misspelt flags of the command.
 *
 * @param corrected what the op takes of them; absent if there is no such op
 */
function meantFlags(corrected: JsonObject | undefined, { words, call, tail, flags }: MadeCall) {
  const names = flags.map(({ name }) => name);
  return Object.entries(corrected ?? call.args).flatMap(([argument, value]) => {
    const isFlag = words.some((word) => typeof word === "string" && word.split("=")[0] === `--${argument}`);
    const isMeant = isFlag && (corrected === undefined || isNoArgument(argument, value as JsonValue));
    const near = isMeant ? nearFlag(`--${argument}`, names) : undefined;
    const flag = flags.find(({ name }) => name === near);
    if (!flag) return [];
    const said = flag.takesValue ? [flag.name, String(call.args[argument])] : [flag.name];
    return [{ argument, flag, words: tail.includes(flag.name) ? [] : said }];
  });
}

const isMembers = (value: JsonValue): value is JsonObject => isObject(value) && !isExact(value);

/** The names of arguments that an op does not take, at every level. */
function droppedNames(value: JsonValue): readonly string[] {
  if (Array.isArray(value)) return value.flatMap((one: JsonValue) => droppedNames(one));
  if (!isMembers(value)) return [];
  return Object.entries(value).flatMap(([name, member]) =>
    isNoArgument(name, member) ? [name] : droppedNames(member),
  );
}

/** A value without the arguments that an op does not take. */
function withoutUnknown<T extends JsonValue>(value: T): T {
  if (Array.isArray(value)) return value.map((one: JsonValue) => withoutUnknown(one)) as unknown as T;
  if (!isMembers(value)) return value;
  const kept = Object.entries(value).filter(([name, member]) => !isNoArgument(name, member));
  return objectOf(kept.map(([name, member]) => [name, withoutUnknown(member)] as const)) as T;
}
