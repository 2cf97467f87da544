/**
 * `expose.resources` and `expose.prompts`: entries that cannot be served are faults at their place, and templates match
 * their addresses.
 */

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { declaredFaults } from "../../../generator/cli/declared-faults.js";
import { loadConfig } from "../../../generator/config/config.js";
import { Report } from "../../../generator/core/diagnostic.js";
import { buildProject, hostOf, jsonProject, registryOf, tool } from "../../../test/support/generator-host.js";
import { runs } from "../../../test/support/random.js";
import { RESOURCES } from "../feature.js";
import { OWN_PROMPTS } from "../own-names.js";
import { CODE_PROMPTS } from "../prompt-code.js";
import { matchTemplate, overlap, readTemplate, type UriTemplate } from "../uri-template.js";

const TOOLS = [
  tool("list_things"),
  tool("get_thing", { id: { type: "string" }, "part-of": {}, form: {} }, { required: ["id"] }),
];
const projectOf = (expose: string) => jsonProject(TOOLS, `expose:\n  ${expose}\n`);

async function faultsOf(expose: string): Promise<readonly string[]> {
  const { diagnostics } = await buildProject(projectOf(expose));
  const errors = diagnostics.filter(({ severity }) => severity === "error");
  return errors.map(({ line, column, code, message }) => `${line}:${column} ${code} ${message}`);
}

describe("what is configured", () => {
  test.each([
    "resources: { p://all: { op: p.list_things } }",
    'resources: { "p://{id}": { op: p.get_thing, name: Thing, description: One., mime: text/plain } }',
    'resources: { "p://{id}/in/{part_of}": { op: p.get_thing }, "p://one": { op: p.list_things } }',
    "prompts: { all: { op: p.list_things }, one.thing-2: { op: p.get_thing, description: One. } }",
  ])("%s is sound", async (expose) => expect(await faultsOf(expose)).toEqual([]));

  test.each([
    ["resources: { all: { op: p.list_things } }", "5:16 config-invalid names in expose.resources must be addresses"],
    ['resources: { "p://a b": { op: p.list_things } }', "must be addresses such as notes://today, without blanks"],
    ["resources: { oneTool://x: { op: p.list_things } }", "must be of another scheme than onetool:"],
    ['resources: { "p://{?id}": { op: p.get_thing } }', "must be templates of {variables}"],
    ['resources: { "p://{id": { op: p.get_thing } }', "must be templates of {variables}"],
    ['resources: { "p://{id}{form}": { op: p.get_thing } }', "with text between them"],
    ['resources: { "p://{id}/{id}": { op: p.get_thing } }', "each once"],
    ['resources: { "p://{id}/{no}": { op: p.get_thing } }', "5:16 argument-unmatched p.get_thing has no argument no"],
    ['resources: { "p://{form}": { op: p.get_thing } }', "5:16 offer-incomplete the resource p://{form} gives"],
    ["resources: { p://x: { mime: text/plain } }", "config-invalid expose.resources.p://x.op must be set"],
    [
      "prompts: { batch_search: { op: p.list_things } }",
      "5:14 config-invalid a name in expose.prompts must be another",
    ],
    [
      "prompts: { snippet_a: { op: p.list_things } }",
      "must be another than batch_search, transform_data and snippet_…",
    ],
    ['prompts: { "a b": { op: p.list_things } }', "must be 1 to 64 letters"],
    ["prompts: { a: { op: p.nothing } }", "offer-unmatched the prompt a names p.nothing, which is no op"],
  ])("%s is a fault", async (expose, says) => {
    const [first, ...more] = await faultsOf(expose);
    expect(first).toContain(says);
    expect(more).toEqual([]);
  });

  test("a server looks again, with the registry that it serves", async () => {
    const registry = await registryOf(jsonProject(TOOLS));
    const project = projectOf("prompts: { a: { op: p.nothing } }");
    const host = hostOf(project);
    const config = loadConfig((file) => host.read(`definitions/${file}`), new Report(), { features: [RESOURCES] });
    if (!config) throw new Error("the configuration is not sound");
    expect(await declaredFaults(registry, config, host, [RESOURCES])).toEqual([
      expect.stringContaining("offer-unmatched  the prompt a names p.nothing, which is no op"),
    ]);
  });

  test("the reserved names of prompts are those of the server's own", () =>
    expect([...CODE_PROMPTS.keys()]).toEqual(OWN_PROMPTS));
});

const read = (template: string): UriTemplate => {
  const found = readTemplate(template);
  if (!found) throw new Error(`${template} is no template`);
  return found;
};
const texts = fc.string({ unit: fc.constantFrom("a", "b", "/", "-", "."), maxLength: 4 });
const filled = texts.filter((one) => one !== "");
const NAMES = ["x", "y", "z"];
/** A text, then up to three variables with text behind each. */
const templates = fc.tuple(texts, fc.array(filled, { maxLength: 2 }), fc.option(texts)).map(([start, between, end]) => {
  const after = end === null ? [] : [...between, end];
  return `p:${start}${after.map((text, i) => `{${NAMES[i]}}${text}`).join("")}`;
});
const values = fc.string({ unit: fc.constantFrom("a", "b", "-", "."), minLength: 1, maxLength: 3 });
const fill = ({ texts: [first = "", ...rest], variables }: UriTemplate, given: readonly string[]): string =>
  first +
  rest.map((text, i) => `${encodeURIComponent(given[i] ?? "")}${variables[i] === undefined ? "" : text}`).join("");
/** The slow way. */
const asPattern = ({ texts }: UriTemplate): RegExp =>
  new RegExp(`^${texts.map((text) => text.replace(/[.*+?^${}()|[\]\\/]/g, "\\$&")).join("[^/?#]+")}$`, "s");

describe("templates", () => {
  test.each([
    ["p://{id}", "p://a%2Fb%20c", { id: "a/b c" }],
    ["p://{a}-{b}", "p://x-y-z", { a: "x", b: "y-z" }],
    ["p://{a}/in/{b}.txt", "p://1/in/2.txt.txt", { a: "1", b: "2.txt" }],
    ["p://{a}--{b}", "p://x---y", { a: "x", b: "-y" }],
    ["p://fixed", "p://fixed", {}],
    ["p://{id}", "p://", undefined],
    ["p://{id}", "p://a/b", undefined],
    ["p://{id}", "p://a?b", undefined],
    ["p://{id}", "p://%E0%A4", undefined],
    ["p://{id}/x", "p://a/xx", undefined],
    ["p://{id}/x", "p:", undefined],
    ["p://fixed", "p://fixed/", undefined],
  ])("%s and %s", (template, uri, found) => {
    const match = matchTemplate(read(template), uri);
    expect(match && Object.fromEntries(match)).toEqual(found);
  });

  test("an address is one of a template where a regular expression says so", () => {
    const addresses = fc.tuple(templates, templates, fc.array(values, { minLength: 3, maxLength: 3 }));
    fc.assert(
      fc.property(addresses, ([one, other, given]) => {
        const uri = fill(read(other), given);
        expect(matchTemplate(read(one), uri) !== undefined).toBe(asPattern(read(one)).test(uri));
        expect(matchTemplate(read(other), uri)).toBeDefined();
      }),
      runs(3000),
    );
  });

  test("two templates overlap where one address is of both", () => {
    const pairs = fc.tuple(templates, templates, fc.array(values, { minLength: 3, maxLength: 3 }));
    fc.assert(
      fc.property(pairs, ([one, other, given]) => {
        const both = matchTemplate(read(one), fill(read(other), given)) !== undefined;
        if (both) expect([one, other, overlap(read(one), read(other))]).toEqual([one, other, true]);
        expect(overlap(read(one), read(other))).toBe(overlap(read(other), read(one)));
      }),
      runs(3000),
    );
  });

  test.each([
    ["p://{a}", "p://{b}", true],
    ["p://{a}/x", "p://y/{b}", true],
    ["p://{a}x", "p://y{b}", true],
    ["p://a{a}", "p://b{b}", false],
    ["p://{a}", "p://{b}/{c}", false],
    ["p://{a}.txt", "p://{b}.md", false],
    ["p://{a}", "q://{b}", false],
    ["p://x{a}", "p://x", false],
  ])("%s and %s: %s", (one, other, both) => {
    expect(overlap(read(one), read(other))).toBe(both);
    expect(overlap(read(other), read(one))).toBe(both);
  });

  test("a long address takes no long time", () => {
    const template = read("p://{a}-{b}-{c}-{d}-{e}/x");
    const start = performance.now();
    expect(matchTemplate(template, `p://${"-".repeat(200_000)}`)).toBeUndefined();
    // Trying every way would take hours.
    expect(performance.now() - start).toBeLessThan(2000);
  });
});
