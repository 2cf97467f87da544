/** Seeded changes of what a text holds: validators take it all the same, so that the truth is a table of what arrives. */

import type { Json } from "../../../../test/support/project.js";
import { randomOf } from "../../../../test/support/random.js";
import { CONTEXTS } from "./neutral.js";
import type { Pair } from "./pairs.js";
import { PLACES } from "./reshaping.js";

type Random = () => number;

const pick = <T>(items: readonly T[], random: Random): T => items[Math.floor(random() * items.length)] as T;

/** What arrives, and the ways to say so. */
const FORMS: Readonly<Record<string, readonly Json[]>> = {
  text: [{}, { contentEncoding: "8bit" }, { description: "A text." }, { format: "password" }],
  base64: [{ contentEncoding: "base64" }, { contentEncoding: "BASE64" }],
  base64url: [{ contentEncoding: "base64url" }],
  bytes: [{ format: "binary" }, { contentMediaType: "application/octet-stream" }],
  csv: [{ contentMediaType: "text/csv" }, { contentMediaType: "text/CSV" }],
  png: [{ contentMediaType: "image/png", contentEncoding: "base64" }],
  object: [
    { contentMediaType: "application/json", contentSchema: { type: "object" } },
    { contentMediaType: "application/json", contentSchema: { type: "object", description: "A thing." } },
  ],
  list: [{ contentMediaType: "application/json", contentSchema: { type: "array" } }],
};

const TYPES: readonly Json[] = ["string", "string", ["string", "null"]];
const PUT: typeof CONTEXTS = { ...CONTEXTS, ...PLACES };

function pairOf(random: Random): Pair {
  const [was, is] = [pick(Object.keys(FORMS), random), pick(Object.keys(FORMS), random)];
  const type = pick(TYPES, random);
  const names = [pick(Object.keys(PUT), random), pick(Object.keys(PUT), random)];
  const [before, after] = [was, is].map((form) => {
    const node: Json = { type, ...structuredClone(pick(FORMS[form] ?? [], random)) };
    const root: Json = { type: "object", properties: { v: node } };
    names.reduce((place, name) => PUT[name]?.(place, root) ?? place, node);
    return root;
  }) as [Json, Json];
  const name = `${was} to ${is} in ${names.join(" in ")}`;
  return { name, before, after, truth: was === is ? "compatible" : "breaking" };
}

/** A number of pairs of a seed, each with its truth. */
export function encodingPairsOf(seed: number, count: number): readonly Pair[] {
  return Array.from({ length: count }, (_, i) => pairOf(randomOf(seed * 100_003 + i)));
}
