/** Changes that were written to deceive the comparison: none is called safe. Ajv itself says that a value was taken and is refused. */

import { describe, expect, test } from "vitest";
import { loadChecks } from "../../../generator/core/checker.js";
import { completeTool } from "../../../test/support/partial-registry.js";
import type { Json } from "../../../test/support/project.js";
import { compareTools } from "../compare.js";
import { ATTACKS, DEFINITIONS } from "./attack-cases.js";
import { validatorOf } from "./mutations/oracle.js";

await loadChecks();

const argument = (schema: Json): Json => ({ type: "object", properties: { a: schema }, $defs: DEFINITIONS });
const isModern = (...schemas: readonly Json[]): boolean => !schemas.some((one) => Array.isArray(one.items));

describe("a change that breaks callers is an error, however it looks", () => {
  test.each(ATTACKS)("for %s", (_, before, after, refused) => {
    const modern = isModern(before, after);
    const [takes, takesNow] = [before, after].map((one) => validatorOf(argument(one), modern));
    expect([takes?.({ a: refused }), takesNow?.({ a: refused })]).toEqual([true, false]);
    const [old, now] = [before, after].map((one) => completeTool({ parameters_schema: argument(one) }));
    const levels = compareTools([old as never], [now as never]).map((one) => one.level);
    expect(levels).toContain("error");
  });
});
