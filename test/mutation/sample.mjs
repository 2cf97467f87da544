/**
 * A plugin of Stryker that leaves out all mutants but a sample: a checker, which Stryker asks before it runs a mutant.
 * Its input is the environment, since it runs in a child process: `MUTATION_SHARE`, from 0 to 1, and `MUTATION_SEED`.
 */

import { createHash } from "node:crypto";
import { relative } from "node:path";

/**
 * Whether a mutant is in the sample. The choice depends on the mutant's file, place and replacement and on the seed
 * alone, so that the same call gives the same sample.
 */
function isSampled({ fileName, location: { start, end }, mutatorName, replacement }, { share, seed }) {
  const place = [start.line, start.column, end.line, end.column];
  const key = JSON.stringify([seed, relative(process.cwd(), fileName), place, mutatorName, replacement]);
  return createHash("sha256").update(key).digest().readUInt32BE() < share * 2 ** 32;
}

class Sample {
  #sample = { share: Number(process.env.MUTATION_SHARE), seed: process.env.MUTATION_SEED };

  async init() {}

  async group(mutants) {
    return mutants.length > 0 ? [mutants.map(({ id }) => id)] : [];
  }

  async check(mutants) {
    const result = (mutant) =>
      isSampled(mutant, this.#sample) ? { status: "passed" } : { status: "compileError", reason: "not in the sample" };
    return Object.fromEntries(mutants.map((mutant) => [mutant.id, result(mutant)]));
  }
}

export const strykerPlugins = [{ kind: "Checker", name: "sample", injectableClass: Sample }];
