/** Comments of typed functions: their places, and tags that cannot be used there. */

import type { JsonSchema } from "toolwright/codegen";
import { describe, expect, test } from "vitest";
import { buildProject, functionsProject, onlyTool } from "../../support/generator-host.js";

const propertiesOf = async (source: string): Promise<JsonSchema> =>
  (await onlyTool(functionsProject(source))).parameters_schema["properties"] as JsonSchema;
const messages = async (source: string): Promise<readonly string[]> =>
  (await buildProject(functionsProject(source))).diagnostics.map((one) => `${one.code} ${one.message}`);

describe("a comment on the line of what stands before it counts", () => {
  test.each([
    ["{ /** The a. @pattern ^b+$ */ a: string; /** @minLength 3 */ b?: string }"],
    ["{ /** The a. @pattern ^b+$ */ a: string, /** @minLength 3 */ b?: string }"],
    ["{ /** The a. @pattern ^b+$ */\n a: string; /* no */ /** @minLength 3 */ b?: string }"],
    ["{\n /** The a. @pattern ^b+$ */\n a: string;\n /** @minLength 3 */ b?: string }"],
  ])("in the type %s", { tags: "full" }, async (type) => {
    const named = `interface W ${type}\n/** Gets it. */\nexport function getIt(args: W): void {}`;
    const inline = `/** Gets it. */\nexport function getIt(args: ${type}): void {}`;
    for (const source of [named, inline])
      expect(await propertiesOf(source)).toEqual({
        a: { type: "string", description: "The a.", pattern: "^b+$" },
        b: { type: "string", minLength: 3 },
      });
  });

  test("between parameters too", async () => {
    const source = `/** Gets it.
      * @param b - how many */
      export function getIt(/** The a, {@link X}. @pattern ^b+$ */ a: string,
        /** Not this text. @maximum 9 */ b = 1): void {}`;
    expect(await propertiesOf(source)).toEqual({
      a: { type: "string", description: "The a, X.", pattern: "^b+$" },
      b: { type: "number", default: 1, maximum: 9, description: "how many" },
    });
  });

  test("but one that ends the line of a member says nothing of the next", async () => {
    const source = `/** Gets it. */\nexport function getIt(args: {\n a: string; /** The a. @minLength 3 */\n b: string }): void {}`;
    expect(await propertiesOf(source)).toEqual({ a: { type: "string" }, b: { type: "string" } });
  });

  test("a tag there that is wrong is reported", async () => {
    const source = "/** Gets it. */\nexport function getIt(args: { /** @minimum two */ a: number }): void {}";
    expect(await messages(source)).toEqual(['tag-invalid @minimum of getIt a is "two", not a number']);
  });
});

describe("unusable tags are reported", () => {
  test.each([
    [
      "/** Gets it. @minimum 4 */",
      "a: number",
      "tag-invalid @minimum of getIt is on the function, not on one of its arguments",
    ],
    [
      "/** Gets it.\n * @example { not json */",
      "a: number",
      'tag-invalid @example of getIt is "{ not json", not a JSON object',
    ],
    [
      "/** Gets it. */",
      "/** @minLength 2 */ a: number",
      "tag-invalid @minLength of getIt a is for strings, not for number",
    ],
    [
      "/** Gets it. */",
      "/** @minimum 2 */ a: string | null",
      "tag-invalid @minimum of getIt a is for numbers, not for string or null",
    ],
    [
      "/** Gets it. */",
      "a: never",
      "type-unsupported getIt argument a has a type that JSON cannot hold, so any value is accepted: never",
    ],
  ])("in %s { %s }", { tags: "full" }, async (comment, member, message) => {
    expect(await messages(`${comment}\nexport function getIt(args: { ${member} }): void {}`)).toEqual([message]);
  });

  test("an example in prose, and a limit of a type that may be a number, are not reported", async () => {
    const source =
      "/** Gets it.\n * @example getIt({ a: 1 }) */\nexport function getIt(args: { /** @minimum 2 */ a: number | null }): void {}";
    expect(await messages(source)).toEqual([]);
  });

  test.each([600, 20_000])("a type that nests %d deep ends in a diagnostic at most", async (depth) => {
    const type = `${"{ a: ".repeat(depth)}string${" }".repeat(depth)}`;
    const source = `/** Gets it. */\nexport function getIt(args: ${type}): void {}`;
    const { diagnostics } = await buildProject(functionsProject(source));
    expect(["syntax-error", "type-unsupported"]).toContain(diagnostics[0]?.code);
    expect(diagnostics[0]?.message).toMatch(/nested too deep|nests without end/);
  });
});
