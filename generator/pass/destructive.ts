/** Whether a write may delete, replace or reset something, where neither its server nor the configuration says. */

import type { NameableDefinition } from "../core/ir.js";
import { nameWords } from "../core/names.js";
import { firstSentences } from "./description-verb.js";
import type { FoundVerb } from "./verb-of.js";
import { ADDITIVE, saysRemoval } from "./verbs.js";

/** Sentences of a description that say what the tool does; the description of an HTTP operation begins with its summary. */
const SENTENCES = 2;
const HTTP_SENTENCES = 3;
/** Words in a name that empty what they name: `set_to_null`. */
const EMPTY: ReadonlySet<string> = new Set(["empty", "nil", "none", "null"]);

/**
 * Whether a write counts as destructive. It does, as in MCP, unless its verb adds or edits what it names and no word of
 * removal stands in its name, its path, the beginning of its description, or the name of a switch.
 *
 * @param op - the path of the op, which may have another verb than the tool's name
 */
export function isDestructive(one: NameableDefinition, op: string, found: FoundVerb | undefined): boolean {
  // `post_users_suspend` may be named after its method, which says nothing.
  const isMethod = one.http?.method === "POST" && found?.word === "post";
  if (!found || isMethod || !ADDITIVE.has(found.word)) return true;
  if (nameWords(one.name).some((word) => EMPTY.has(word))) return true;
  const summary = firstSentences(one.description, one.http ? HTTP_SENTENCES : SENTENCES);
  return [one.name, op, one.http?.path ?? "", ...summary, ...switchesOf(one)].some((text) =>
    nameWords(text).some(saysRemoval),
  );
}

/** Names of boolean arguments, such as `overwrite` or `delete_source`. */
const switchesOf = ({ input }: NameableDefinition): readonly string[] =>
  input.kind === "object"
    ? input.properties.flatMap(({ name, schema }) => (schema.kind === "boolean" ? [name] : []))
    : [];
