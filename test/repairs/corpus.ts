/** Builds the corpus: malformed calls of which it is known what was meant. */

import type { JsonObject } from "toolwright/codegen";
import type { Registry, Tool } from "../../runtime/contract/registry.js";
import { randomOf, shuffled } from "../support/random.js";
import type { Call, Case, Mutator } from "./model.js";
import { ENVELOPE_MUTATORS } from "./mutators-envelope.js";
import { COMPLETE, OP_MUTATORS } from "./mutators-ops.js";
import { VALUE_MUTATORS } from "./mutators-values.js";
import type { Effect, Observer } from "./observed.js";
import { callOf } from "./valid-calls.js";

export const MUTATORS: readonly Mutator[] = [...ENVELOPE_MUTATORS, ...OP_MUTATORS, COMPLETE, ...VALUE_MUTATORS];

/** A malformed call, and the effect of the valid one. */
export interface Known extends Case {
  readonly effect: Effect;
}

/** Valid calls that are tried before a mutator is given up for a registry. */
const TRIES = 60;

/** `each` malformed calls for each mutator, as far as it can be used with calls of the registry. */
export async function corpusOf(
  name: string,
  registry: Registry,
  observer: Observer,
  each: number,
  seed: number,
): Promise<readonly Known[]> {
  const found: Known[] = [];
  for (const [at, mutator] of MUTATORS.entries()) {
    const random = randomOf(seed + at);
    let made = 0;
    for (let tried = 0; made < each && tried < TRIES * each; tried++) {
      const tool = registry.tools[Math.floor(random() * registry.tools.length)];
      const one = tool && (await caseOf(name, tool, mutator, observer, random));
      if (!one) continue;
      found.push(one);
      made++;
    }
  }
  return shuffled(found, randomOf(seed));
}

async function caseOf(
  registry: string,
  tool: Tool,
  mutator: Mutator,
  observer: Observer,
  random: () => number,
): Promise<Known | undefined> {
  const meant: Call | undefined = callOf(tool, random);
  const sent = meant && mutator.mutate(meant, tool, random);
  if (!meant || sent === undefined) return undefined;
  const { envelope, effect } = await observer.call(meant as unknown as JsonObject);
  if (!effect || envelope.meta.warnings.length > 0) return undefined;
  return { registry, tool, mutator, meant, sent, effect };
}
