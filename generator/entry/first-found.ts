/** Tells a reviewer of learned words which op a search for a word finds first. */

import { opSearchOf } from "../../runtime/catalog/op-search.js";
import { indexRegistry } from "../../runtime/catalog/registry.js";
import type { Registry } from "../../runtime/contract/registry.js";

/** The op that a search for a word finds first; undefined if it finds none. The index is made with the first word. */
export function firstFoundIn(registry: Registry): (word: string) => string | undefined {
  const view = indexRegistry(registry, { ops: new Map(), aliases: new Map() }).view({ level: "admin", projects: "*" });
  const project = { settings: { synonyms: new Map<string, string>() } };
  return (word) => opSearchOf(view, project)(word, 1).best[0]?.tool.op;
}
