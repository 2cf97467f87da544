/** Finds the read of what a call is about: by the op that the configuration names, that gets the entity, or that gets its address. */

import type { RegistryView } from "../catalog/registry.js";
import { own } from "../contract/json.js";
import type { JsonObject, Tool } from "../contract/registry.js";

/** A read of what a call is about. */
export interface EntityRead {
  readonly op: string;
  readonly args: JsonObject;
  /** Arguments of the call with ids below what is read. */
  readonly unread: readonly string[];
}

/** A read that may be made, with the argument of the call for each of its own, where they have other names. */
interface Candidate {
  readonly read: Tool | undefined;
  readonly names?: ReadonlyMap<string, string>;
  readonly unread?: readonly string[];
}

/**
 * The first read of which the call has all required arguments: of the op `named` in the configuration, or of the entity, or of the longest part of the address.
 *
 * @param view what the caller sees
 * @returns undefined if no op reads it, or it is not known which id to read
 */
export function entityRead(
  view: RegistryView,
  tool: Tool,
  args: JsonObject,
  named: string | undefined,
): EntityRead | undefined {
  const candidates: readonly Candidate[] =
    named === undefined ? [...ofEntity(view, tool), ...ofAddress(view, tool)] : [{ read: view.exact(named) }];
  for (const { read, names, unread = [] } of candidates) {
    if (read?.kind !== "read") continue;
    const needed = read.parameters.filter(({ required }) => required).map(({ original }) => original);
    const given = needed.map((name) => [name, own(args, names?.get(name) ?? name)] as const);
    const known = given.flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const]));
    if (known.length < needed.length || (known.length === 0 && named === undefined)) continue;
    return { op: read.op, args: Object.fromEntries(known), unread };
  }
  return undefined;
}

function ofEntity(view: RegistryView, { op, entity, group }: Tool): readonly Candidate[] {
  const beside = view.exact(`${op.slice(0, op.lastIndexOf(".") + 1)}get`);
  const isOfEntity = (one: Tool): boolean => one.group === group && one.entity === entity && one.action === "get";
  return [{ read: beside }, { read: entity === undefined ? undefined : view.listed.find(isOfEntity) }];
}

/** The ops that get an address or what it is below, the longest part first; names of parameters may differ. */
function ofAddress(view: RegistryView, tool: Tool): readonly Candidate[] {
  const names = pathParameters(tool);
  const gets = names.length === 0 ? [] : view.listed.filter((one) => one.op !== tool.op && isGetBeside(one, tool));
  return names.map((_, at) => {
    const part = formOf(addressUpTo(sendOf(tool), names.length - at));
    const read = gets.find((one) => formOf(sendOf(one)) === part);
    const pairs = (read ? pathParameters(read) : []).map((name, place) => [name, names[place] ?? name] as const);
    return { read, names: new Map(pairs), unread: names.slice(names.length - at) };
  });
}

/**
 * The op that lists what an argument in the address of another op is the id of: GET of the address before it.
 *
 * @returns undefined if there is none that needs no other arguments than the call has before the id
 */
export function listBefore(view: RegistryView, tool: Tool, argument: string): Tool | undefined {
  const at = pathParameters(tool).indexOf(argument);
  const before = [...sendOf(tool).matchAll(PARAMETER)][at]?.index;
  if (before === undefined) return undefined;
  const address = formOf(sendOf(tool).slice(0, before).replace(/\/$/, ""));
  const isWithin = (one: Tool): boolean =>
    one.parameters.every(({ original, required }) => !required || pathParameters(one).includes(original));
  return view.listed.find((one) => isGetBeside(one, tool) && formOf(sendOf(one)) === address && isWithin(one));
}

const isGetBeside = (one: Tool, { source: { file } }: Tool): boolean =>
  one.source.file === file && sendOf(one).startsWith("GET ") && !one.request?.body;

const sendOf = ({ request }: Tool): string => request?.send ?? "";

/** A parameter in an address; `${NAME}` is a variable. */
const PARAMETER = /(?<!\$)\{([^{}]*)\}/g;

/**
 * The arguments in the address of a request, in order.
 *
 * @example pathParameters(tool) // ["note_id"], of DELETE https://api.example.com/notes/{note_id}
 */
export function pathParameters(tool: Tool): readonly string[] {
  const renamed = Object.entries(tool.request?.args ?? {}).map(
    ([argument, sent]) => [/^path (\S+)/.exec(sent)?.[1], argument] as const,
  );
  const argumentOf = new Map(renamed);
  return [...sendOf(tool).matchAll(PARAMETER)].map(([, name = ""]) => argumentOf.get(name) ?? name);
}

/** `GET /notes/{id}` → `/notes/{}`. */
const formOf = (send: string): string => send.replace(/^\S+ /, "").replace(PARAMETER, "{}");

/** The part of an address that ends behind a number of its parameters. */
function addressUpTo(send: string, count: number): string {
  const last = [...send.matchAll(PARAMETER)][count - 1];
  return last ? send.slice(0, last.index + last[0].length) : "";
}
