/** Where secrets are looked up: the places that `secrets.from` names, and the files that an orchestrator mounts. */

import { closeSync, constants, fstatSync, openSync, readdirSync, readSync } from "node:fs";
import { join, resolve } from "node:path";
import { fail } from "../contract/handler.js";
import { onLine } from "../contract/message-text.js";
import type { SecretsEntry } from "../contract/settings/entries.js";
import { CONFIG_DEFAULTS } from "../contract/settings/project-settings.js";
import { codeOf } from "../contract/thrown.js";
import { UsageError } from "../contract/usage-error.js";
import { MAX_SECRET_BYTES, SECRET_NAME, withoutLineEnd } from "./secret-programs.js";

/** Kinds of places of secrets. */
export type SecretPlace = "environment" | "secrets" | "folder" | "program";

/** Looks a secret up. @throws ToolFailure UNAVAILABLE if the place cannot be read */
export interface SecretLookup {
  (name: string): string | undefined;
  /** Where it looks, as {@link secretPlaces} says it; absent: in the default places. */
  readonly places?: string;
}

const SHOWN_PLACES: Readonly<Record<SecretPlace, (argument: string) => string>> = {
  environment: () => "in the environment",
  secrets: () => "in .onetool/secrets.yaml",
  folder: (argument) => `in the folder ${onLine(argument)}`,
  // Not its arguments, which may tell more than a log is to hold.
  program: (argument) => `with the program ${onLine(argument.split(/\s/, 1)[0] ?? "")}`,
};

/**
 * Where secrets are looked up, for messages.
 *
 * @example
 * secretPlaces({ from: ["env", "dir: /run/secrets"] }); // "in the environment or in the folder /run/secrets"
 */
export function secretPlaces({ from = CONFIG_DEFAULTS.secrets.from }: SecretsEntry = {}): string {
  const places = from.map((text) => {
    const { place, argument } = secretEntry(text);
    return SHOWN_PLACES[place](argument);
  });
  const last = places.at(-1) ?? "nowhere, since secrets.from is empty";
  return places.length < 2 ? last : `${places.slice(0, -1).join(", ")} or ${last}`;
}

/**
 * Reads secrets from the files of a folder, one file a name, at each look-up: a mounted file that changes takes effect at
 * the next call.
 *
 * @param root the folder from which a relative path counts
 */
export function folderSecrets(root: string, folder: string): SecretLookup {
  return (name) => {
    if (!SECRET_NAME.test(name)) return undefined;
    const text = readBounded(join(resolve(root, folder), name), name, folder);
    return text === undefined ? undefined : withoutLineEnd(text) || undefined;
  };
}

/** Files of a folder that are read at once, at most. */
const MAX_FILES = 500;

/** The secrets of a folder with their names; files that cannot be read are left out. */
export function allInFolder(root: string, folder: string): readonly (readonly [name: string, value: string])[] {
  const lookup = folderSecrets(root, folder);
  const names = readdirSync(resolve(root, folder)).filter((name) => SECRET_NAME.test(name));
  return names.slice(0, MAX_FILES).flatMap((name) => {
    try {
      const value = lookup(name);
      return value === undefined ? [] : [[name, value] as const];
    } catch {
      return [];
    }
  });
}

function readBounded(path: string, name: string, folder: string): string | undefined {
  const refuse = (what: string): never =>
    fail("UNAVAILABLE", `The secret ${name} cannot be read: its file in ${onLine(folder)} ${what}.`, { secret: name });
  let file: number;
  try {
    // Opening a named pipe would otherwise block until another process writes to it.
    file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (error) {
    return ["ENOENT", "ENOTDIR"].includes(String(codeOf(error))) ? undefined : refuse("cannot be opened");
  }
  try {
    if (!fstatSync(file).isFile()) return refuse("is no regular file");
    const bytes = Buffer.alloc(MAX_SECRET_BYTES + 1);
    const length = readSync(file, bytes, 0, bytes.length, 0);
    return length > MAX_SECRET_BYTES
      ? refuse(`has more than ${MAX_SECRET_BYTES} bytes`)
      : bytes.toString("utf8", 0, length);
  } finally {
    closeSync(file);
  }
}

/** The kind and the argument of an entry of `secrets.from`. @throws UsageError for any other text */
export function secretEntry(text: string): { readonly place: SecretPlace; readonly argument: string } {
  if (text === "env") return { place: "environment", argument: "" };
  if (text === "file") return { place: "secrets", argument: "" };
  const [, kind, argument = ""] = /^(dir|exec):\s*(\S.*?)\s*$/.exec(text) ?? [];
  if (kind === "dir") return { place: "folder", argument };
  if (kind === "exec" && argument.includes("{name}")) return { place: "program", argument };
  throw new UsageError(
    `toolwright.yaml: secrets.from holds ${JSON.stringify(onLine(text))}; it takes env, file, "dir: FOLDER", and "exec: PROGRAM {name}"`,
  );
}
