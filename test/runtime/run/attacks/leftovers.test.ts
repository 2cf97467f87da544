/** What a program leaves in its process is not there for the next program of the same caller. */

import { expect } from "vitest";
import { eachCase } from "../../../support/each-case.js";
import { pythonEngine, runWith } from "../../../support/run/python.js";
import { LEFTOVERS } from "./leftovers.js";

const engine = pythonEngine(1);

/** What code gives, after what it has printed; an exception that it does not catch is its text. */
async function given(code: string): Promise<string> {
  const outcome = await runWith(engine(), code);
  return `${outcome.printed}${outcome.ok ? String(outcome.value) : `${outcome.name}: ${outcome.message}`}`;
}

const SHOWN = "\n__ret(repr(seen))";
const guarded = (code: string): string =>
  `try:\n${code.replace(/^/gm, "  ")}\nexcept OSError as e: print(e.strerror)\n`;

eachCase(
  LEFTOVERS,
  "the context of decimal",
  "a descriptor",
  "bytes of the library",
)("%s is gone", { timeout: 240_000 }, async (_what, leave, look) => {
  const before = await given(`${look}${SHOWN}`);
  const inOne = await given(`${guarded(leave)}${look}${SHOWN}`);
  // A row whose second step does not see what the first does would pass always.
  expect(inOne).not.toBe(before);
  for (let i = 0; i < 3; i++) expect(await given(`${look}${SHOWN}`)).toBe(before);
});
