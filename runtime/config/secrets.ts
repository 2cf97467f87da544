/** Looks up secrets: in the environment first, then in `.onetool/secrets.yaml`, which only its owner may read. */

import { closeSync, constants, existsSync, fstatSync, openSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { parse, parseDocument } from "yaml";
import { writeAtomically } from "../contract/atomic-write.js";
import { fail } from "../contract/handler.js";
import { isRecord } from "../contract/json.js";
import { codeOf } from "../contract/thrown.js";
import { directoryFault, STATE_DIRECTORY, stateDirectory } from "./state-directory.js";

const FILE = "secrets.yaml";
/** Permission bits of group and others. */
const OTHERS = 0o077;

/**
 * Makes the secret lookup of a project. The file is read whenever the environment lacks a secret, so that a corrected
 * file takes effect at the next call; it throws ToolFailure UNAVAILABLE if the file cannot be read or others may read
 * it.
 *
 * @param root the folder that contains `.onetool/`
 */
export function secretsOf(root: string): (name: string) => string | undefined {
  const path = join(root, STATE_DIRECTORY, FILE);
  return (name) => (Object.hasOwn(process.env, name) && process.env[name]) || fromFile(path, name);
}

/**
 * Adds secrets to `.onetool/secrets.yaml`, which only its owner may read; other entries and comments stay.
 *
 * @returns the path of the file, relative to the root
 */
export async function keepSecrets(root: string, values: ReadonlyMap<string, string>): Promise<string> {
  const path = join(await stateDirectory(root), FILE);
  const document = parseDocument(existsSync(path) ? readFileSync(path, "utf8") : "");
  for (const [name, value] of values) document.set(name, value);
  await writeAtomically(path, document.toString(), { mode: 0o600, isDurable: true });
  return `${STATE_DIRECTORY}/${FILE}`;
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
    // Opening a named pipe would otherwise block until another process writes to it.
    file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (error) {
    const absent = ["ENOENT", "ENOTDIR"].includes(String(codeOf(error)));
    const fault = absent ? undefined : directoryFault(dirname(path));
    if (fault !== undefined) fail("UNAVAILABLE", `${fault}.`, { secret: name });
    return absent ? undefined : refuse(name, "cannot be opened", "let the user that runs toolwright read it");
  }
  try {
    const stats = fstatSync(file);
    if (!stats.isFile()) refuse(name, "is no file", "put a file in its place");
    const { mode } = stats;
    const open = process.platform !== "win32" && (mode & OTHERS) !== 0;
    const shown = `0${(mode & 0o777).toString(8)}`;
    return open
      ? refuse(name, `has mode ${shown}, so that others may reach it`, `chmod 600 ${STATE_DIRECTORY}/${FILE}`)
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
  return isRecord(value)
    ? new Map(Object.entries(value))
    : refuse(name, "is no map of names to values", "write one NAME: value on each line");
}

const refuse = (name: string, what: string, remedy: string): never =>
  fail("UNAVAILABLE", `The secret ${name} is not set, and ${STATE_DIRECTORY}/${FILE} ${what}: ${remedy}.`, {
    secret: name,
  });
