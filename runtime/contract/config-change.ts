/** Changes of `toolwright.yaml` that the console offers: what can be changed, how a change is read, and who makes it. */

import { isObject } from "./json.js";
import type { Policy, Registry } from "./registry.js";

/** The rules of a pinned policy. */
export type PinnedRules = Pick<Policy, "do" | "dont" | "edge_cases">;

/** One change. `null` takes out what is there. */
export type ConfigChange =
  /** A short name for an op. */
  | { readonly kind: "alias"; readonly name: string; readonly target: string | null }
  /** Whether an op is left out of lists. */
  | { readonly kind: "hidden"; readonly op: string; readonly hidden: boolean }
  | { readonly kind: "policy"; readonly op: string; readonly policy: PinnedRules | null }
  /** A server at an address; servers that are started by a command are not added from a browser. */
  | { readonly kind: "server"; readonly name: string; readonly url: string | null }
  | { readonly kind: "enabled"; readonly name: string; readonly enabled: boolean };

/** What can be changed, as `toolwright.yaml` has it now. */
export interface ConfigView {
  /** The file, relative to the root. */
  readonly file: string;
  readonly aliases: readonly { readonly name: string; readonly target: string }[];
  /** Ops that are left out of lists. */
  readonly hidden: readonly string[];
  readonly policies: readonly ({ readonly op: string } & PinnedRules)[];
  readonly servers: readonly {
    readonly name: string;
    /** Its URL or its command, without secrets. */
    readonly address: string;
    readonly enabled: boolean;
  }[];
}

/** A change that is not written yet. */
export interface ConfigPreview {
  /** Digest of the text that the change was made for. */
  readonly digest: string;
  /** The change as a unified diff, with secrets masked; empty if it changes nothing. */
  readonly diff: string;
  /** Why it cannot be written; empty if it can. */
  readonly faults: readonly string[];
}

/** The outcome of a change. */
export type ConfigWritten =
  | { readonly ok: true; readonly ops: number }
  /** Nothing has changed. `stale`: the file is not the one of the preview any more. */
  | { readonly ok: false; readonly stale: boolean; readonly faults: readonly string[] };

/** Makes changes of the configuration. */
export interface ConfigEditor {
  /** @throws UsageError if the configuration has faults */
  view(registry: Registry): Promise<ConfigView>;
  preview(change: ConfigChange, registry: Registry): Promise<ConfigPreview>;
  /**
   * Writes a change, reads a server that is new, and generates. After a fault, all files are as before.
   *
   * @param digest - of the preview
   */
  write(change: ConfigChange, digest: string, registry: Registry): Promise<ConfigWritten>;
}

/** Longest name, address or rule, in characters, and most rules of a list. */
const MAX_TEXT_LENGTH = 2000;
const MAX_RULES = 50;

// biome-ignore lint/suspicious/noControlCharactersInRegex: a value of one line has none.
const CONTROL = /[\u0000-\u001f\u007f]/;
const isText = (value: unknown): value is string =>
  typeof value === "string" && value.trim() !== "" && value.length <= MAX_TEXT_LENGTH && !CONTROL.test(value);
const isRules = (value: unknown): boolean => Array.isArray(value) && value.length <= MAX_RULES && value.every(isText);

const orNull = (isValid: (value: unknown) => boolean) => (value: unknown) => value === null || isValid(value);
const isFlag = (value: unknown): boolean => typeof value === "boolean";
const isPolicy = (value: unknown): boolean =>
  isObject(value) &&
  Object.keys(value).length === 3 &&
  [value["do"], value["dont"], value["edge_cases"]].every(isRules);

/** The members of each kind of change. */
const MEMBERS: Readonly<Record<ConfigChange["kind"], Readonly<Record<string, (value: unknown) => boolean>>>> = {
  alias: { name: isText, target: orNull(isText) },
  hidden: { op: isText, hidden: isFlag },
  policy: { op: isText, policy: orNull(isPolicy) },
  server: { name: isText, url: orNull(isText) },
  enabled: { name: isText, enabled: isFlag },
};

/** Reads a change that a browser has sent; undefined for a value of another form. */
export function readConfigChange(value: unknown): ConfigChange | undefined {
  if (!isObject(value) || typeof value["kind"] !== "string" || !Object.hasOwn(MEMBERS, value["kind"])) return undefined;
  const members = Object.entries(MEMBERS[value["kind"] as ConfigChange["kind"]]);
  const isWhole = Object.keys(value).length === members.length + 1;
  return isWhole && members.every(([name, isValid]) => isValid(value[name]))
    ? (value as unknown as ConfigChange)
    : undefined;
}
