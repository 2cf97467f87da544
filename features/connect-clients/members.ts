/** Takes members out of the text of a client's file and puts them back, and verifies that nothing else changed. */

import { isDeepStrictEqual } from "node:util";
import { isPlainObject, parsedValues } from "../../runtime/cli/client-text.js";
import type { Client } from "../../runtime/cli/clients.js";
import type { Values } from "../../runtime/contract/json.js";
import { UsageError } from "../../runtime/contract/usage-error.js";
import { changedJson } from "./json-text.js";
import { appendedToml, withoutToml } from "./toml-text.js";

/** The names that lead to a member, from the root of the document. */
export type MemberPath = readonly string[];

/** A member that was taken out. */
export interface TakenMember {
  readonly at: MemberPath;
  /** A document in the format of the file that holds this member only. */
  readonly document: string;
}

/** What is done to a text, in order. */
export interface MemberChanges {
  readonly out?: readonly MemberPath[];
  readonly back?: readonly TakenMember[];
}

/** The value at a path of a document, or `undefined`. */
export const valueAt = (values: unknown, path: MemberPath): unknown =>
  path.reduce<unknown>(
    (value, key) => (isPlainObject(value) && Object.hasOwn(value, key) ? value[key] : undefined),
    values,
  );

/** The values of a document with one at a path; `undefined` takes it out. */
function withValue(values: Values, [key = "", ...rest]: MemberPath, value: unknown): Values {
  const there = Object.hasOwn(values, key) ? values[key] : undefined;
  const inner = rest.length === 0 ? value : withValue(isPlainObject(there) ? there : {}, rest, value);
  const entries = Object.entries(values).filter(([name]) => name !== key || inner !== undefined);
  if (inner === undefined) return Object.fromEntries(entries);
  return Object.fromEntries([...entries.filter(([name]) => name !== key), [key, inner]]);
}

/** A member as a document of its own. */
export async function memberDocument(at: MemberPath, value: unknown, format: Client["format"]): Promise<string> {
  const whole = at.reduceRight((inner, key) => Object.fromEntries([[key, inner]]), value) as Values;
  return format === "toml" ? (await import("smol-toml")).stringify(whole) : JSON.stringify(whole);
}

/**
 * The text with members taken out, and others put back where there is none of their name.
 *
 * @param file - the file's name for messages
 * @throws UsageError if the text is invalid, or the rest cannot be preserved
 */
export async function changedMembers(
  text: string,
  format: Client["format"],
  { out = [], back = [] }: MemberChanges,
  file: string,
): Promise<string> {
  const before = await parsedValues(text, format);
  if (before === undefined)
    throw new UsageError(`${file} is no ${format.toUpperCase()} that can be read, and is left as it is: correct it`);
  let [after, expected] = [text, before];
  for (const path of out.filter((one) => valueAt(before, one) !== undefined)) {
    expected = withValue(expected, path, undefined);
    after = format === "toml" ? await withoutToml(after, path) : await changedJson(after, [{ path, value: undefined }]);
  }
  for (const { at, document } of back.filter((one) => valueAt(expected, one.at) === undefined)) {
    const value = valueAt(await parsedValues(document, format), at);
    expected = withValue(expected, at, value);
    after = format === "toml" ? appendedToml(after, document) : await changedJson(after, [{ path: at, value }]);
  }
  const read = await parsedValues(after, format);
  if (isDeepStrictEqual(shape(read, format), shape(expected, format))) return after;
  throw new UsageError(
    `${file} holds ${[...out, ...back.map((one) => one.at)].map((one) => one.join(".")).join(", ")} in a form that cannot be changed safely, and is left as it is: change it by hand`,
  );
}

/** A value for comparison. In TOML, a table that has lost its last member is gone. */
function shape(value: unknown, format: Client["format"]): unknown {
  if (format !== "toml" || !isPlainObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .map(([key, one]) => [key, shape(one, format)] as const)
      .filter(([, one]) => !(isPlainObject(one) && Object.keys(one).length === 0)),
  );
}
