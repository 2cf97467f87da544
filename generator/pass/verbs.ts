/** The verb vocabulary: what a verb says about an op. `vocabulary.verbs` in toolwright.yaml extends it. */

import type { Kind } from "toolwright/codegen";

/** What a verb says about the ops it begins. */
export interface Verb {
  readonly kind: Kind;
  readonly destructive?: true;
  readonly idempotent?: true;
}

const READ: Verb = { kind: "read", idempotent: true };
const WRITE: Verb = { kind: "write" };
const REPEATABLE: Verb = { kind: "write", idempotent: true };

const VERBS: ReadonlyMap<string, Verb> = new Map([
  ...["list", "search", "get", "find", "read", "describe", "count", "visit", "query", "fetch"].map(
    (one) => [one, READ] as const,
  ),
  ...["create", "add", "tag", "resolve", "call", "send", "commit"].map((one) => [one, WRITE] as const),
  ...["update", "move", "link", "set", "upsert"].map((one) => [one, REPEATABLE] as const),
  ["delete", { kind: "write", destructive: true, idempotent: true }],
  ["remove", { kind: "write", destructive: true, idempotent: true }],
  ["unlink", { kind: "write", destructive: true }],
  ["reorganize", { kind: "write", destructive: true }],
]);

/** The vocabulary in force: the built-in verbs and the configured ones. */
export function verbs(configured: Readonly<Record<string, Kind>> = {}): ReadonlyMap<string, Verb> {
  return new Map([
    ...VERBS,
    ...Object.entries(configured).map(([verb, kind]) => [verb, kind === "read" ? READ : WRITE] as const),
  ]);
}
