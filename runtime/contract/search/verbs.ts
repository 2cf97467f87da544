/** The verbs of tools by class: the search takes those of a class for each other, and the generator reads the kind of an op from them. */

import type { Kind } from "../registry.js";

/** What an op does that has the verb. */
export interface VerbMeaning {
  readonly kind: Kind;
  readonly idempotent?: true;
}

export const READ: VerbMeaning = { kind: "read", idempotent: true };
export const WRITE: VerbMeaning = { kind: "write" };
/** A write that does the same when it is repeated. */
export const REPEATABLE: VerbMeaning = { kind: "write", idempotent: true };

/**
 * The classes: their names, what their verbs mean, and the verbs, likely ones first. A verb may be in several classes. The vocabulary of
 * the generator says where the kind of a verb differs from that of its class.
 */
export const VERB_CLASSES = [
  ["get", READ, "get fetch read show retrieve describe view display see obtain inspect lookup"],
  ["list", READ, "list enumerate browse ls index"],
  ["search", READ, "search find query locate lookup filter"],
  ["create", WRITE, "create add new insert make register post generate"],
  ["add", WRITE, "add attach link append assign insert put"],
  ["update", WRITE, "update edit modify set patch change alter adjust put replace"],
  ["delete", REPEATABLE, "delete remove erase destroy drop purge del rm discard clear unset unlink detach uninstall"],
  ["enable", REPEATABLE, "enable activate"],
  ["disable", REPEATABLE, "disable deactivate"],
  ["start", WRITE, "start run trigger launch execute begin dispatch invoke"],
  ["stop", WRITE, "stop cancel end terminate abort kill"],
  ["check", READ, "check verify validate test confirm"],
  ["download", READ, "download export"],
  ["upload", WRITE, "upload import"],
  ["send", WRITE, "send deliver submit publish post"],
  ["move", REPEATABLE, "move transfer mv"],
  ["copy", WRITE, "copy duplicate clone fork cp"],
  ["lock", WRITE, "lock"],
  ["unlock", WRITE, "unlock"],
  ["approve", WRITE, "approve accept"],
  ["reject", WRITE, "reject decline deny dismiss"],
  ["rename", WRITE, "rename"],
  ["restore", WRITE, "restore recover revert"],
  ["merge", WRITE, "merge"],
  ["close", WRITE, "close"],
  ["count", READ, "count"],
] as const satisfies readonly (readonly [name: string, VerbMeaning, verbs: string])[];

type ClassName = (typeof VERB_CLASSES)[number][0];

/** How near two classes are, from 0 to 1; others are not related. */
const RELATED: readonly (readonly [ClassName, ClassName, number])[] = [
  ["create", "add", 0.9],
  ["list", "search", 0.7],
  ["update", "rename", 0.7],
  ["enable", "start", 0.7],
  ["disable", "stop", 0.7],
  ["get", "search", 0.5],
  ["get", "download", 0.5],
  ["get", "check", 0.5],
  ["get", "list", 0.4],
  ["update", "add", 0.4],
  ["update", "enable", 0.4],
  ["update", "disable", 0.4],
  ["delete", "stop", 0.3],
];

/** From how near on a verb of another class is offered in place of a verb. */
const NEAR = 0.7;

/** The verbs of each class. */
export const VERBS_OF: ReadonlyMap<string, readonly string[]> = new Map(
  VERB_CLASSES.map(([name, , verbs]) => [name, verbs.split(" ")]),
);

/** How near two classes are: 1 if they are one, 0 if they are not related. */
export function classRelation(a: string, b: string): number {
  if (a === b) return 1;
  return RELATED.find(([one, other]) => (one === a && other === b) || (one === b && other === a))?.[2] ?? 0;
}

/** The verbs that an op may have in place of a verb, likely ones first; none if it is no verb. */
export function verbsLike(verb: string): readonly string[] {
  const own = [...VERBS_OF].flatMap(([name, verbs]) => (verbs.includes(verb) ? [name] : []));
  const near = [...VERBS_OF.keys()].filter((name) =>
    own.some((one) => one !== name && classRelation(one, name) >= NEAR),
  );
  const all = [...own, ...near].flatMap((name) => VERBS_OF.get(name) ?? []);
  return [...new Set(all)].filter((other) => other !== verb);
}
