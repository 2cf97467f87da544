/** Values of secrets: the environment first, then `.onetool/secrets.yaml`, which only its owner may read. */

import { closeSync, constants, existsSync, fstatSync, openSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parse, parseDocument } from "yaml";
import { fail } from "./contract/handler.js";
import { HOME, homeFolder } from "./home.js";
import { writeWhole } from "./whole-file.js";

const FILE = "secrets.yaml";
/** Bits of a mode that let group or others in. */
const OTHERS = 0o077;

/**
 * Makes the lookup of a project. The file is read when a secret is asked for that the environment lacks, so that a corrected
 * file counts at the next call; it throws ToolFailure UNAVAILABLE for a file that must not or cannot be read.
 *
 * @param root the folder that holds `.onetool/`
 */
export function secretsOf(root: string): (name: string) => string | undefined {
  const path = join(root, HOME, FILE);
  return (name) => (Object.hasOwn(process.env, name) && process.env[name]) || fromFile(path, name);
}

/**
 * Adds secrets to `.onetool/secrets.yaml`, which only its owner may read; what else is in it stays, with its comments.
 *
 * @returns the path of the file, relative to the root
 */
export async function keepSecrets(root: string, values: ReadonlyMap<string, string>): Promise<string> {
  const path = join(await homeFolder(root), FILE);
  const document = parseDocument(existsSync(path) ? readFileSync(path, "utf8") : "");
  for (const [name, value] of values) document.set(name, value);
  await writeWhole(path, document.toString(), { mode: 0o600, isDurable: true });
  return `${HOME}/${FILE}`;
}

function fromFile(path: string, name: string): string | undefined {
  const text = textOf(path, name);
  if (text === undefined) return undefined;
  const value = valuesIn(text, name).get(name);
  return typeof value === "string" || typeof value === "number" ? String(value) : undefined;
}

function textOf(path: string, name: string): string | undefined {
  let file: number;
  try {
    // A pipe would wait for somebody to write.
    file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (error) {
    const absent = error instanceof Error && "code" in error && (error.code === "ENOENT" || error.code === "ENOTDIR");
    return absent ? undefined : refuse(name, "cannot be opened", "let the user that runs toolwright read it");
  }
  try {
    const stats = fstatSync(file);
    if (!stats.isFile()) refuse(name, "is no file", "put a file in its place");
    const { mode } = stats;
    const open = process.platform !== "win32" && (mode & OTHERS) !== 0;
    const shown = `0${(mode & 0o777).toString(8)}`;
    return open
      ? refuse(name, `has mode ${shown}, so that others may reach it`, `chmod 600 ${HOME}/${FILE}`)
      : readFileSync(file, "utf8");
  } finally {
    closeSync(file);
  }
}

function valuesIn(text: string, name: string): ReadonlyMap<string, unknown> {
  let value: unknown;
  try {
    value = parse(text) ?? {};
  } catch {
    value = undefined;
  }
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? new Map(Object.entries(value))
    : refuse(name, "is no map of names to values", "write one NAME: value on each line");
}

const refuse = (name: string, what: string, remedy: string): never =>
  fail("UNAVAILABLE", `The secret ${name} is not set, and ${HOME}/${FILE} ${what}: ${remedy}.`, { secret: name });
