/**
 * The order of definitions, files and keys has no meaning: the test states what it may change, and nothing else
 * changes.
 */

import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Registry } from "../runtime/contract/registry.js";
import { caseFolder, caseNames, treeOf } from "./support/generator-cases.js";
import { buildProject, hostOf, type Project, registryOf } from "./support/generator-host.js";
import { randomOf, runs, shuffled, withShuffledKeys } from "./support/random.js";

const definitionsOf = (name: string): Project => treeOf(join(caseFolder(name), "definitions"));
/** Cases whose definitions are JSON, so that they can be permuted as data. */
const jsonCases = caseNames().filter((name) => Object.keys(definitionsOf(name)).some((path) => path.endsWith(".json")));

/** A project with every JSON file changed. */
const withJson = (project: Project, change: (value: unknown) => unknown): Project =>
  Object.fromEntries(
    Object.entries(project).map(([path, text]) => [
      path,
      path.endsWith(".json") ? JSON.stringify(change(JSON.parse(text))) : text,
    ]),
  );

/** Lists of tools, wherever they are, in another order. */
function withShuffledTools(value: unknown, random: () => number): unknown {
  if (Array.isArray(value)) return shuffled(value, random);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    shuffled(Object.entries(value), random).map(([key, one]) => [key, withShuffledTools(one, random)]),
  );
}

const seeds = fc.nat();
const once = { ...runs(40), numRuns: Math.max(2, Math.round(runs(40).numRuns / 5)) };

describe.each(jsonCases)("the definitions of %s", (name) => {
  const project = definitionsOf(name);

  test("definitions and files in any order give the same bytes", { tags: "full" }, async () => {
    const { files } = await buildProject(project);
    await fc.assert(
      fc.asyncProperty(seeds, async (seed) => {
        const random = randomOf(seed);
        const permuted = withJson(project, (value) => withShuffledTools(value, random));
        const { files: others } = await buildProject(
          permuted,
          hostOf(permuted, shuffled(Object.keys(permuted), random)),
        );
        expect(others).toEqual(files);
      }),
      once,
    );
  });

  test("keys of objects in any order give the same ops, in the same order, with the same digests of what is accepted", {
    tags: "full",
  }, async () => {
    const digests = ({ tools }: Registry) => tools.map((one) => [one.op, one.digest.input, one.digest.op]);
    const expected = digests(await registryOf(project));
    await fc.assert(
      fc.asyncProperty(seeds, async (seed) => {
        const random = randomOf(seed);
        expect(digests(await registryOf(withJson(project, (value) => withShuffledKeys(value, random))))).toEqual(
          expected,
        );
      }),
      once,
    );
  });
});

test("keys of the configuration in any order give the same files; the registry keeps the order in which a pack declares its entities", async () => {
  const files = definitionsOf("names");
  const config = (random: () => number): string => {
    const values = {
      use: [],
      sources: [{ "chat-tools": "tools.json", pack: "crm" }],
      vocabulary: { verbs: { merge: "write" } },
      packs: {
        crm: {
          entities: { company: "companies", company_group: "company_groups", person: "people" },
          topics: ["mail"],
        },
      },
      ops: { whoami: { op: "crm.session.user", kind: "read" }, mail_send: { notes: ["n"], access: "admin" } },
    };
    return JSON.stringify(withShuffledKeys(values, random));
  };
  const built = (seed: number) => buildProject({ ...files, "toolwright.yaml": config(randomOf(seed)) });
  const besideRegistry = ({ files: made }: Awaited<ReturnType<typeof built>>) =>
    made.filter(({ path }) => !/^registry(?:-index)?\.json$|^toolwright\.lock$/.test(path));
  const first = await built(1);
  for (const seed of [2, 3, 4]) expect(besideRegistry(await built(seed))).toEqual(besideRegistry(first));
});

test("a build changes nothing that it was given, and a second one in the same process is equal to the first", {
  tags: "full",
}, async () => {
  for (const name of ["overrides", "types", "hostile"]) {
    const project = definitionsOf(name);
    const before = structuredClone(project);
    const [first, second] = [await buildProject(project), await buildProject(project)];
    expect(second.files).toEqual(first.files);
    expect(second.registry).toEqual(first.registry);
    expect(second.diagnostics).toEqual(first.diagnostics);
    expect(project).toEqual(before);
  }
});

test("order of properties is kept for people", async () => {
  const project = definitionsOf("json-array");
  const reversed = withJson(project, (value) =>
    JSON.parse(JSON.stringify(value), (_, one) =>
      typeof one === "object" && one !== null && !Array.isArray(one)
        ? Object.fromEntries(Object.entries(one).reverse())
        : one,
    ),
  );
  const names = async (from: Project) =>
    (await registryOf(from)).tools.map((one) => Object.keys(one.parameters_schema["properties"] as object));
  expect(await names(reversed)).toEqual((await names(project)).map((list) => [...list].reverse()));
});
