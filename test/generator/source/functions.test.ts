/** Typed functions: forms, types, comments, hidden functions, and independence of other files. */

import fc from "fast-check";
import type { JsonSchema } from "toolwright/codegen";
import { describe, expect, test } from "vitest";
import type { Tool } from "../../../runtime/contract/registry.js";
import {
  buildProject,
  errorsOf,
  functionsProject,
  hostOf,
  onlyTool,
  type Project,
  registryOf,
} from "../../support/generator-host.js";
import { runs } from "../../support/random.js";

const DOC = "/** Gets it. */\n";

/** The input schema of a function with one argument `x` of a type. */
async function schemaOf(type: string, before = "", others: Project = {}): Promise<unknown> {
  const source = `${before}\n${DOC}export function getIt(args: { x: ${type} }): void {}`;
  const { parameters_schema } = await onlyTool(functionsProject(source, "", others));
  return (parameters_schema["properties"] as JsonSchema)["x"];
}

const parameters = async (source: string): Promise<JsonSchema> =>
  (await onlyTool(functionsProject(source))).parameters_schema;
const callOf = async (signature: string): Promise<Tool["source"]["call"]> =>
  (await onlyTool(functionsProject(`${DOC}export ${signature} {}`))).source.call;
const codes = async (source: string): Promise<readonly string[]> =>
  (await buildProject(functionsProject(source))).diagnostics.map((one) => `${one.line}:${one.column} ${one.code}`);

describe("forms", () => {
  test.each([
    ["function getIt(args: { a: string }, ctx: Context)", { export: "getIt" }],
    ["function getIt({ a }: { a: string })", { export: "getIt" }],
    ["function getIt(args?: { a?: string })", { export: "getIt" }],
    ["function getIt()", { export: "getIt" }],
    ["function getIt(ctx: Context)", { export: "getIt", positional: [] }],
    ["function getIt(a: string, b = 1, ctx?: Context)", { export: "getIt", positional: ["a", "b"] }],
    ["function getIt(this: void, a: string)", { export: "getIt", positional: ["a"] }],
    ["function getIt(this: void, args: { a: string })", { export: "getIt" }],
    ["function getIt(a: string, context)", { export: "getIt", positional: ["a"] }],
    ["function getIt(ids: string[])", { export: "getIt", positional: ["ids"] }],
    ["function getIt(a: { b: 1 }, c: { d: 2 })", { export: "getIt", positional: ["a", "c"] }],
    ["async function getIt(a?: string)", { export: "getIt", positional: ["a"] }],
    ["const getIt = async (a: string): Promise<void> =>", { export: "getIt", positional: ["a"] }],
    ["function getIt({ a }: Record<string, string>)", { export: "getIt" }],
    ["function getIt({ a }: any)", { export: "getIt" }],
    ["function getIt(args: Record<'a' | 'b', string>)", { export: "getIt" }],
    ["function getIt(args: { a: string; [name: string]: string })", { export: "getIt" }],
    ["function getIt(args: {})", { export: "getIt" }],
  ])("%s is called as it is declared", async (signature, call) => {
    expect(await callOf(signature)).toEqual(call);
  });

  test.each<readonly [parameter: string, schema: object]>([
    ["filter: unknown", {}],
    ["filter: any", {}],
    ["args: unknown", {}],
    ["filter: object", { type: "object" }],
    ["filter: Record<string, unknown>", { type: "object", additionalProperties: {} }],
    ["args: Record<string, unknown>", { type: "object", additionalProperties: {} }],
    ["filter: Readonly<Record<string, string>>", { type: "object", additionalProperties: { type: "string" } }],
    ["filter: Partial<Record<string, number>>", { type: "object", additionalProperties: { type: "number" } }],
    ["filter: { [name: string]: boolean }", { type: "object", additionalProperties: { type: "boolean" } }],
    ["filter: Record<string, string> | null", {}],
    ["filter: Named", { type: "object", additionalProperties: { type: "string" } }],
  ])("a single parameter %s is one argument of its name", async (parameter, schema) => {
    const source = `interface Named { [name: string]: string }\n${DOC}export function getIt(${parameter}): void {}`;
    const { parameters_schema: input, source: from } = await onlyTool(functionsProject(source));
    const name = parameter.slice(0, parameter.indexOf(":"));
    expect(from.call).toEqual({ export: "getIt", positional: [name] });
    expect(input).toMatchObject({ required: [name], additionalProperties: false, properties: { [name]: schema } });
    expect(Object.keys(input["properties"] as object)).toEqual([name]);
  });

  test("one that may be left out is optional, and a type parameter takes what it extends", async () => {
    const optional = `${DOC}export function getIt(filter?: Record<string, unknown>): void {}`;
    expect(await parameters(optional)).not.toHaveProperty("required");
    const generic = `${DOC}export function getIt<T extends Record<string, number>>(filter: T): void {}`;
    expect((await parameters(generic))["properties"]).toEqual({
      filter: { type: "object", additionalProperties: { type: "number" } },
    });
    const named = `${DOC}export function getIt<T extends { a: string }>(args: T): void {}`;
    expect((await parameters(named))["properties"]).toEqual({ a: { type: "string" } });
  });

  test("names of a pattern are arguments, whatever the type says of names", async () => {
    const source = `${DOC}export function getIt({ a, b = 2, ...rest }: Record<string, unknown>): void {}`;
    expect(await parameters(source)).toEqual({
      type: "object",
      properties: { a: {}, b: { default: 2 } },
      additionalProperties: {},
    });
    expect(await parameters(`${DOC}export function getIt({ a }: any): void {}`)).toEqual({
      type: "object",
      properties: { a: {} },
      additionalProperties: false,
    });
  });

  test.each([
    ["any number", "function getIt(...a: string[]): void {}"],
    ["apart", "function getIt({ a }: { a: 1 }, b: 2): void {}"],
    ["context first", "function getIt(ctx: Context, a: string): void {}"],
    ["union", "function getIt(args: { a: 1 } | { b: 2 }): void {}"],
    [
      "overloads",
      "function getIt(a: 1): void; export function getIt(a: 2): void; export function getIt(a: number): void {}",
    ],
    ["no name", "default function (a: string): void {}"],
  ])("refused with a remedy: %s", async (_, signature) => {
    expect(await codes(`${DOC}export ${signature}`)).toContain("2:1 function-form");
  });

  test("optional parameters, defaults of literals, and defaults that would have to be run", async () => {
    const source = `${DOC}export function getIt(a: string, b = -2, c = ["x"], d = Date.now(), e?: boolean): void {}`;
    expect(await parameters(source)).toEqual({
      type: "object",
      properties: {
        a: { type: "string" },
        b: { type: "number", default: -2 },
        c: { type: "array", items: { type: "string" }, default: ["x"] },
        d: { type: "number" },
        e: { type: "boolean" },
      },
      required: ["a"],
      additionalProperties: false,
    });
  });
});

describe("types", () => {
  test.each<readonly [string, unknown]>([
    ["string", { type: "string" }],
    ["true", { type: "boolean", const: true }],
    ['"b" | "a"', { type: "string", enum: ["b", "a"] }],
    ['"z" | 1 | null', { type: ["string", "number", "null"], enum: ["z", 1, null] }],
    ["string | undefined", { type: "string" }],
    ["string | number | null", { type: ["string", "number", "null"] }],
    ["string[] | null", { anyOf: [{ type: "array", items: { type: "string" } }, { type: "null" }] }],
    ["boolean | 1", { anyOf: [{ type: "number", const: 1 }, { type: "boolean" }] }],
    ["Array<'b' | 'a'>", { type: "array", items: { type: "string", enum: ["b", "a"] } }],
    [
      "[a: string, b?: number]",
      { type: "array", items: [{ type: "string" }, { type: "number" }], minItems: 1, maxItems: 2 },
    ],
    [
      "[1, ...string[]]",
      { type: "array", items: [{ type: "number", const: 1 }], minItems: 1, additionalItems: { type: "string" } },
    ],
    ["Record<string, number>", { type: "object", additionalProperties: { type: "number" } }],
    [
      "Partial<{ a: 1 }>",
      { type: "object", properties: { a: { type: "number", const: 1 } }, additionalProperties: false },
    ],
    [
      "{ [k: string]: unknown; a: string }",
      { type: "object", properties: { a: { type: "string" } }, required: ["a"], additionalProperties: {} },
    ],
    ["string & { __brand: 1 }", { type: "string" }],
    [
      `{ [k: \`x$\{string}\`]: 1; a?: string }`,
      {
        type: "object",
        properties: { a: { type: "string" } },
        patternProperties: { "^x": { type: "number", const: 1 } },
        additionalProperties: false,
      },
    ],
    [`\`x-$\{string}\``, { type: "string", pattern: "^x-" }],
    [`\`$\{string}.$\{string}\``, { type: "string", pattern: "\\." }],
    [
      `\`a$\{number}b\` | "c"`,
      {
        anyOf: [
          { type: "string", const: "c" },
          { type: "string", pattern: expect.stringMatching(/^\^a.*b\$$/) },
        ],
      },
    ],
    ["{ k?: never }", { type: "object", properties: { k: { not: {} } }, additionalProperties: false }],
    ["Lowercase<string>", { type: "string" }],
    ["unknown", {}],
    ["any", {}],
    ["object", { type: "object" }],
    ["JsonObject", { type: "object", additionalProperties: {} }],
    ["{ a: 1 }['a']", { type: "number", const: 1 }],
  ])("%s becomes its schema", async (type, schema) => {
    expect(await schemaOf(type, 'import type { JsonObject } from "toolwright/codegen";')).toEqual(schema);
  });

  test("enums are in the order of their declaration, whatever the checker met first", async () => {
    const before = `enum E { Z = "z", A = "a" }\nconst first: "w" | "b" = "b";\ntype T = "w" | "b";\nexport { first };`;
    expect(await schemaOf("E", before)).toEqual({ type: "string", enum: ["z", "a"] });
    expect(await schemaOf("T", `type U = "b" | "w";\nexport const u: U = "b";\n${before}`)).toEqual({
      type: "string",
      enum: ["w", "b"],
    });
  });

  test("what recurs has a name; what is used once stands where it is used", async () => {
    const source = `interface Once { a: string }\ninterface Twice { b: string }\ninterface Tree { kids: Tree[] }
      ${DOC}export function getIt(args: { one: Once; two: Twice; three: Twice; tree?: Tree }): void {}`;
    const { properties, $defs } = (await parameters(source)) as Record<string, JsonSchema>;
    expect(properties).toMatchObject({
      one: { type: "object" },
      two: { $ref: "#/$defs/Twice" },
      three: { $ref: "#/$defs/Twice" },
      tree: { $ref: "#/$defs/Tree" },
    });
    expect(Object.keys($defs ?? {})).toEqual(["Tree", "Twice"]);
  });

  test("arguments that recur, and types that grow without end, end", async () => {
    const tree = await parameters(`interface Tree { kids?: Tree[] }\n${DOC}export function getIt(args: Tree): void {}`);
    expect(tree).toMatchObject({ type: "object", properties: { kids: { items: { $ref: "#/$defs/Tree" } } } });
    const grows = `interface F<T> { next?: F<T[]>; value?: T }\n${DOC}export function getIt(args: { x?: F<string> }): void {}`;
    expect(await codes(grows)).toContain("3:1 type-unsupported");
  });

  test("types come from other files of the project, and nowhere else", async () => {
    const others = {
      "shared/a.ts": 'export type { B } from "./b";\nexport interface A { b: string }',
      "shared/b.ts": "export interface B { c?: 1 }",
      "node_modules/pkg/index.d.ts": "export interface Gone { a: string }",
    };
    const before = `import type { A, B } from "./shared/a.js";\nimport type { Gone } from "pkg";`;
    expect(await schemaOf("A & B", before, others)).toMatchObject({
      properties: { b: { type: "string" }, c: { const: 1 } },
    });
    expect(await schemaOf("Gone", before, others)).toEqual({});
  });

  test.each([
    ["Promise<string>", { type: "string" }],
    [
      "Promise<{ a: Date }>",
      { type: "object", properties: { a: { type: "string", format: "date-time" } }, required: ["a"] },
    ],
    ["void", undefined],
    ["Promise<unknown>", undefined],
    ["Promise<Missing>", undefined],
  ])("the result of %s", async (type, schema) => {
    const one = await onlyTool(functionsProject(`${DOC}export declare function getIt(): ${type};`));
    expect(one.result_schema).toEqual(schema);
  });
});

describe("comments", () => {
  test("say what the schema says", async () => {
    const source = `interface Args {
        /** Words. @see x
         * @default "a" @minLength 1
         * @pattern /^[a-z]+$/ */
        q: string;
        /** @integer
         * @minimum 1
         * @maximum 9
         * @default 3
         * @example 4 */
        n?: number;
        deep?: { inner?: string };
        /** @id order */
        order?: string;
      }
      /**
       * Gets it.
       *
       * More of it.
       * @param args.deep.inner - far inside
       * @param n how many
       * @returns what was got
       * @example \`\`\`json
       * { "q": "b" }
       * \`\`\`
       * @example getIt({})
       * @access admin
       * @op p.things.fetch
       */
      export async function getIt(args: Args): Promise<string> { return args.q; }`;
    const one = await onlyTool(functionsProject(source));
    expect(one).toMatchObject({ op: "p.things.fetch", access: "admin", description: "Gets it.\n\nMore of it." });
    expect(one.result_schema).toEqual({ type: "string", description: "what was got" });
    expect(one.examples).toEqual([{ op: "p.things.fetch", args: { q: "b" } }]);
    expect(one.parameters_schema["properties"]).toMatchObject({
      q: { pattern: "^[a-z]+$" },
      n: { type: "integer", minimum: 1, maximum: 9, default: 3, examples: [4], description: "how many" },
      deep: { properties: { inner: { description: "far inside" } } },
      order: { type: "string", "x-id": "order" },
    });
    expect(one.parameters.find(({ name }) => name === "order")?.type).toBe("id<order>");
  });

  test("configuration wins over tags, and tags over names", async () => {
    const source =
      "/** Gets it.\n * @kind write\n * @target project\n * @op p.a.b */\nexport function getIt(project_id: string): void {}";
    expect(await onlyTool(functionsProject(source))).toMatchObject({
      op: "p.a.b",
      kind: "write",
      target: "project",
      project_from: "project_id",
    });
    const config = "ops: { getIt: { kind: read, target: global, op: p.c.d } }\n";
    expect(await onlyTool(functionsProject(source, config))).toMatchObject({
      op: "p.c.d",
      kind: "read",
      target: "global",
    });
  });

  test("an unused parameter without names, as _, is no argument", async () => {
    for (const type of ["object", "unknown", "Record<string, unknown>"]) {
      const source = `/** Gets it. */\nexport function getIt(_: ${type}): void {}`;
      const { parameters } = await onlyTool(functionsProject(source));
      expect([type, parameters]).toEqual([type, []]);
    }
  });

  test("@open_world says what a function reaches; configuration wins over it", async () => {
    const source = "/** Gets it. @open_world */\nexport function getIt(): void {}";
    const hint = async (of: string, config = ""): Promise<boolean> =>
      (await onlyTool(functionsProject(of, config))).annotations.openWorldHint;
    expect(await hint(source)).toBe(true);
    expect(await hint(source.replace("@open_world", ""))).toBe(false);
    expect(await hint(source, "ops:\n  getIt: { open_world: false }\n")).toBe(false);
  });

  test("@destructive says whether a write undoes what was there; configuration wins over it, and both over the name", async () => {
    const source = "/** Tidies. @kind write @destructive */\nexport function tidyIt(): void {}";
    const hint = async (of: string, config = ""): Promise<boolean> =>
      (await onlyTool(functionsProject(of, config))).annotations.destructiveHint;
    expect(await hint(source)).toBe(true);
    expect(await hint(source.replace("@destructive", "@destructive false"))).toBe(false);
    expect(await hint(source.replace("@destructive", ""))).toBe(true);
    expect(await hint(source.replace(" @destructive", "").replace("tidyIt", "addIt"))).toBe(false);
    expect(await hint(source, "ops:\n  tidyIt: { destructive: false }\n")).toBe(false);
  });

  test("an underscore, @internal and files with an underscore hide", async () => {
    const source = `${DOC}export function getIt(): void {}\nexport function _a(): void {}\n/** @internal */\nexport function b(): void {}
      export class C {}\nexport type T = () => void;\nfunction d(): void {}\nexport const e = 1;`;
    const project = {
      "toolwright.yaml": "sources: [{ functions: '*.ts' }]",
      "p.ts": source,
      "_q.ts": source,
      "r.d.ts": source,
    };
    expect((await registryOf(project)).tools.map((one) => one.op)).toEqual(["p.getIt"]);
  });

  test("a file says what its pack is; configuration wins key by key", async () => {
    const source = `export const pack = { summary: "S", topics: ["stock"] };\n${DOC}export function stockGet(): void {}`;
    const { packs, tools } = await registryOf(functionsProject(source, "packs: { p: { summary: Mine } }\n"));
    expect(packs).toEqual([{ name: "p", summary: "Mine", source: "local", entities: {}, topics: ["stock"] }]);
    expect(tools.map((one) => one.op)).toEqual(["p.stock.get"]);
    expect(await codes(`export const pack = { sumary: "S" };\n${DOC}export function getIt(): void {}`)).toEqual([
      "1:21 function-form",
    ]);
  });

  test("an example that does not fit is reported where it stands", async () => {
    const source = `/** Gets it.\n * @example { "b": 1 } */\nexport function getIt(a: string): void {}`;
    expect(await codes(source)).toEqual(["3:1 example-invalid"]);
  });
});

describe("the same input gives the same output", () => {
  test("with any other files in any order", async () => {
    const a = `${DOC}export function getIt(args: { x: "b" | "a"; y: { c: 1 } | string }): void {}`;
    const b = `export const s: "a" | "b" = "a";\n${DOC}export function getThat(args: { x: "a" | "b" }): void {}`;
    const config = { "toolwright.yaml": "sources: [{ functions: '*.ts' }]" };
    const alone = await registryOf({ ...config, "m.ts": a });
    const [before] = (await registryOf({ ...config, "m.ts": a, "b.ts": b })).tools.filter((one) => one.group === "m");
    const shuffled = { ...config, "b.ts": b, "m.ts": a };
    const [after] = (await registryOf(shuffled, hostOf(shuffled, ["m.ts", "b.ts"]))).tools.filter(
      (one) => one.group === "m",
    );
    expect(before).toEqual(alone.tools[0]);
    expect(after).toEqual(before);
  });

  test("hostile names and texts arrive as they are", { tags: "full" }, async () => {
    const name = fc.oneof(
      fc.constantFrom("__proto__", "constructor", "toString", "a-b", "*\\/", "`$"),
      fc.string({ minLength: 1, maxLength: 8 }),
    );
    const names = fc.uniqueArray(name, { maxLength: 4, selector: (one) => one.replace(/[^A-Za-z0-9_]/g, "_") });
    await fc.assert(
      fc.asyncProperty(names, async (keys) => {
        const members = keys.map((key) => `${JSON.stringify(key)}?: string`).join("; ");
        const { diagnostics, registry } = await buildProject(
          functionsProject(`${DOC}export function getIt(args: { ${members} }): void {}`),
        );
        const collides = errorsOf(diagnostics).some((line) => line.includes("name-collision"));
        if (!collides)
          expect(Object.keys(registry?.tools[0]?.parameters_schema["properties"] ?? {}).sort()).toEqual(
            [...keys].sort(),
          );
      }),
      runs(60),
    );
  });
});
