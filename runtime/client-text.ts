/** The text of a client's configuration file, read: JSON as clients write it, and TOML. */

import { homedir } from "node:os";
import { relative, resolve, sep } from "node:path";
import type { Client } from "./clients.js";

/** Values by name. */
export type Values = Readonly<Record<string, unknown>>;

/** Whether a value has members by name; a date has none. */
export const isRecord = (value: unknown): value is Values =>
  typeof value === "object" && value !== null && [Object.prototype, null].includes(Object.getPrototypeOf(value));

/** What a text holds, as plain objects; undefined where it does not parse, or is no table of names. Empty text holds nothing. */
export async function valuesIn(text: string, format: Client["format"]): Promise<Values | undefined> {
  try {
    const values = plain(await (format === "toml" ? tomlIn(text) : jsonIn(text)));
    return isRecord(values) ? values : undefined;
  } catch {
    return undefined;
  }
}

/** Copies, so that every object has the usual prototype; `__proto__` stays a member like others. */
function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain);
  return isRecord(value)
    ? Object.fromEntries(Object.entries(value).map(([key, one]) => [key, plain(one)] as const))
    : value;
}

async function tomlIn(text: string): Promise<unknown> {
  const { parse } = await import("smol-toml");
  return parse(text, { integersAsBigInt: "asNeeded" });
}

/** Comments and trailing commas are allowed. */
async function jsonIn(text: string): Promise<unknown> {
  const { getNodeValue, parseTree } = await import("jsonc-parser");
  const errors: object[] = [];
  const tree = parseTree(text, errors as never, { allowTrailingComma: true, allowEmptyContent: true });
  if (errors.length > 0) return undefined;
  return tree ? getNodeValue(tree) : {};
}

/** A path as people read it: from the root, or from their home. */
export function shownPath(path: string, root: string): string {
  for (const [folder, start] of [
    [root, ""],
    [homedir(), "~/"],
  ] as const) {
    const rest = relative(folder, path);
    if (rest !== "" && !rest.startsWith("..") && resolve(folder, rest) === path)
      return start + rest.split(sep).join("/");
  }
  return path;
}
