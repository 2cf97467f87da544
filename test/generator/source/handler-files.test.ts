/** Faults of handlers files are found at build time, at their place. */

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { buildProject, handlersProject } from "../../support/generator-host.js";
import { temporaryFolder, toolwright } from "../../support/project.js";

const faults = async (handlers: string) =>
  (await buildProject(handlersProject(handlers))).diagnostics.map(
    (one) => `${one.file}:${one.line}:${one.column} ${one.code} ${one.message}`,
  );
const UNMATCHED = (place: string, key: string) =>
  `definitions/h.ts:${place} handler-unmatched the handler ${key} is for no op, so it is never called`;

const MISSING =
  "definitions/tools.json:1:2 handler-missing p.get_things cannot be called: definitions/h.ts has no handler for it";

describe("keys of handlers", () => {
  test.for([
    ["an object", 'export const handlers = { "p.gets": f };', [UNMATCHED("1:27", "p.gets"), MISSING]],
    [
      "typed",
      'export const handlers = ({ "p.gets": f } as const) satisfies H;',
      [UNMATCHED("1:28", "p.gets"), MISSING],
    ],
    [
      "an export list",
      "const own = {\n  gets: f,\n};\nexport { own as handlers };",
      [UNMATCHED("2:3", "gets"), MISSING],
    ],
    ["a spread", "const a = { gets() {} };\nexport const handlers = { ...a, ...b };", [UNMATCHED("1:13", "gets")]],
    ["consts in a circle", "const a = { ...b };\nconst b = { ...a };\nexport const handlers = { ...a };", [MISSING]],
    ["none", "export const handlers = {};", [MISSING]],
    ["another op", "const own = { other() {} };\nexport { own as handlers };", [UNMATCHED("1:15", "other"), MISSING]],
    ["none, beside a dispatcher", "export const handlers = {};\nexport default (tool) => tool;", []],
    ["the op, and what no parser can know", 'export const handlers = { "p.get_things": f, [x]: f, ...made() };', []],
    ["made by a call", "export const handlers = bind({ gets: 1 });", []],
    ["from elsewhere", 'export { handlers } from "./others.js";', []],
    ["everything from elsewhere", 'export * from "./others.js";', []],
    ["a dispatcher", "export default (tool, args) => tool;", []],
    ["a named dispatcher", "export default async function run(tool) {}", []],
    ["a dispatcher of another name", "const run = () => 1;\nexport { run as default };", []],
  ] as const)("are compared with the ops where they can be read: %s", async ([, handlers, says]) => {
    expect(await faults(`${handlers}\n`)).toEqual(says);
  });

  test.for([
    ["a default object", 'export default { "p.get_things": f };', "1:1", "its default export is no function"],
    ["a default const", "const own = {};\nexport default own;", "2:1", "its default export is no function"],
    ["a default class", "export default class {}", "1:1", "its default export is no function"],
    ["a function", "export function handlers() {}", "1:1", "its export `handlers` is no object"],
    ["a const that is a function", "export const handlers = () => 1;", "1:14", "its export `handlers` is no object"],
    ["a list", "const own = [];\nexport { own as handlers };", "2:10", "its export `handlers` is no object"],
  ] as const)("are not there: %s", async ([, handlers, place, instead]) => {
    expect(await faults(`${handlers}\n`)).toEqual([
      `definitions/h.ts:${place} handlers-unexported definitions/h.ts exports neither \`handlers\` nor a default function (tool, args, ctx): ${instead}`,
    ]);
  });

  test.for([["3"], ['"get"'], ["null"], ["[f]"], ["`get`"], ["own"]] as const)(
    "the value %s is refused",
    async ([value]) => {
      const text = `const own = 3;\nexport const handlers = { "p.get_things": ${value} };\n`;
      expect(await faults(text)).toEqual([
        "definitions/h.ts:2:27 handler-invalid the handler p.get_things is no function",
      ]);
    },
  );

  test.for([["f"], ["() => 1"], ["{ run: f }"], ["made()"], ["class {}"], ["a.b"]] as const)(
    "the value %s may be a handler",
    async ([value]) => expect(await faults(`export const handlers = { "p.get_things": ${value} };\n`)).toEqual([]),
  );

  test("the name of a tool leads to its op", async () => {
    const { diagnostics } = await buildProject(handlersProject("export const handlers = { get_things: f };\n"));
    expect(diagnostics.map(({ fix }) => fix)).toEqual(["did you mean p.get_things? correct or remove the entry"]);
  });

  test("keys are not judged while definitions have errors", async () => {
    const project = { ...handlersProject('export const handlers = { "p.x": f };\n'), "tools.json": "[{}]" };
    const { diagnostics } = await buildProject(project);
    expect(diagnostics.map(({ code }) => code)).toEqual(["not-a-tool"]);
  });
});

describe("on the command line", { timeout: 120_000 }, () => {
  function projectOf(handlers: string): string {
    const root = temporaryFolder();
    mkdirSync(join(root, "definitions"));
    for (const [name, text] of Object.entries(handlersProject(handlers)))
      writeFileSync(join(root, "definitions", name), text);
    return root;
  }
  const SOUND = 'export const handlers = { "p.get_things": async () => 1 };\n';

  test("generate and check find a fault that appears after a run without changes", { tags: "full" }, async () => {
    const root = projectOf(SOUND);
    expect((await toolwright(["generate", "--root", root])).code).toBe(0);
    for (const [text, says] of [
      [`${SOUND}}\n`, "definitions/h.ts:2:1 error syntax-error  syntax error: "],
      ["export const handler = {};\n", "definitions/h.ts:1:14 error handlers-unexported  "],
      [SOUND.replace("things", "thing"), "definitions/h.ts:1:27 warning handler-unmatched  "],
    ] as const) {
      writeFileSync(join(root, "definitions/h.ts"), text);
      for (const command of ["generate", "check"]) {
        const { code, stderr } = await toolwright([command, "--root", root]);
        expect([code, stderr]).toEqual([says.includes("error") ? 2 : 0, expect.stringContaining(says)]);
      }
    }
  });

  test("a change of a sound handlers file makes nothing stale", { tags: "full" }, async () => {
    const root = projectOf(SOUND);
    await toolwright(["generate", "--root", root]);
    writeFileSync(join(root, "definitions/h.ts"), SOUND.replace("=> 1", "=> 2"));
    expect((await toolwright(["doctor", "--root", root])).stdout).toMatch(/ok +fresh/);
    expect((await toolwright(["exec", "p.get_things", "--json", "--root", root])).stdout).toContain('"result":2');
  });

  test("an op that its handlers file leaves out is answered with that file", { tags: "full" }, async () => {
    const root = projectOf("export const handlers = {};\n");
    await toolwright(["generate", "--root", root]);
    const { stdout } = await toolwright(["exec", "p.get_things", "--json", "--root", root]);
    expect(JSON.parse(stdout).error).toMatchObject({
      code: "UNAVAILABLE",
      message: "This op has no handler yet. Bind it in definitions/h.ts.",
    });
  });
});
