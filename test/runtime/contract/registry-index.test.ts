/** The index of `registry.json`, of which a start reads what it needs of all tools. */

import { readFileSync, renameSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { digestText } from "../../../runtime/contract/canonical.js";
import type { Registry, Tool } from "../../../runtime/contract/registry.js";
import { INDEX_FILE, indexedRegistry, registryIndex } from "../../../runtime/contract/registry-index.js";
import { CHECKOUT, temporaryFolder } from "../../support/project.js";

const committed = (file: string): string => readFileSync(join(CHECKOUT, "generated", file), "utf8");
const text = committed("registry.json");
const registry: Registry = JSON.parse(text);
const rest = (index: string): string => index.slice(index.indexOf("\n") + 1);
/** An index with the digest of its content. */
const sealed = (content: string): string => `{"sha256":"${digestText(content)}",\n${content}`;

/** Path of a file with this text. */
function fileWith(content: string): string {
  const file = join(temporaryFolder(), "registry.json");
  writeFileSync(file, content);
  return file;
}

const INDEX = registryIndex(registry, text);
const opened = (file: string, index = INDEX): Registry | undefined => indexedRegistry(file, Buffer.from(index));

/** A registry that the index serves. */
function served(file: string): Registry {
  const found = opened(file);
  if (!found) throw new Error("the index is not used");
  return found;
}

describe("the file", () => {
  test("is the one that was generated, in ASCII, with a line for each tool", () => {
    expect(INDEX).toBe(committed(INDEX_FILE));
    expect(INDEX).toMatch(/^[\n -~]+$/);
    expect(INDEX.split("\n").filter((line) => /"op":/.test(line))).toHaveLength(registry.tools.length);
  });

  test("is a third of the registry at most", () => {
    expect(INDEX.length).toBeLessThan(text.length / 3);
  });
});

describe("a registry that is read by its index", () => {
  test("is the one in registry.json, tool by tool and as a copy", () => {
    const found = served(fileWith(text));
    expect(found).toEqual(registry);
    expect(JSON.parse(JSON.stringify(found))).toEqual(registry);
    expect(structuredClone(served(fileWith(text)).tools)).toEqual(registry.tools);
    expect({ ...found.tools[3] }).toEqual(registry.tools[3]);
  });

  test("has exactly the members that a tool has", () => {
    const names = (tools: readonly Tool[]) => tools.map((tool) => Object.keys(tool).sort());
    expect(names(served(fileWith(text)).tools)).toEqual(names(registry.tools));
  });

  test("a tool is read once", () => {
    const [tool] = served(fileWith(text)).tools;
    expect(tool?.parameters_schema).toBe(tool?.parameters_schema);
  });

  test("without tools, and with characters of every length", () => {
    const none = { ...registry, tools: [] };
    expect(opened(fileWith(json(none)), registryIndex(none, json(none)))).toEqual(none);
    const [first, second] = registry.tools as readonly [Tool, Tool];
    const strange = {
      ...registry,
      tools: [
        { ...first, summary: "ä → 𝄞 \u2028 \ud800" },
        { ...second, notes: ["ß"] },
      ],
    };
    expect(opened(fileWith(json(strange)), registryIndex(strange, json(strange)))).toEqual(strange);
  });

  test("stays as it was when another file takes its place", () => {
    const file = fileWith(text);
    const { tools } = served(file);
    renameSync(fileWith(text.replaceAll("description", "DESCRIPTION")), file);
    expect(tools).toEqual(registry.tools);
  });

  test.each<[string, (file: string) => void]>([
    ["cut off", (file) => truncateSync(file, 1000)],
    ["overwritten", (file) => writeFileSync(file, text.replaceAll('"op": "', '"po": "'))],
    ["of another build", (file) => writeFileSync(file, text.replace(/("op": ")[0-9a-f]{64}/g, `$1${"0".repeat(64)}`))],
  ])("%s while it is open: says which file it is, and what to do", (_, change) => {
    const file = fileWith(text);
    const { tools } = served(file);
    change(file);
    expect(() => tools.at(-1)?.description).toThrow(
      /^generated\/registry\.json is not as it was .*, at web\..*: run "toolwright generate"/,
    );
    expect(tools.at(-1)?.summary).toBe(registry.tools.at(-1)?.summary);
  });
});

describe("the index is not used", () => {
  test("but with the digest of its content", () => {
    expect(sealed(rest(INDEX))).toBe(INDEX);
  });

  const cases: readonly [string, () => unknown][] = [
    ["without the file", () => indexedRegistry(fileWith(text), undefined)],
    ["if it is empty", () => opened(fileWith(text), "")],
    ["if it is torn", () => opened(fileWith(text), INDEX.slice(0, -9))],
    ["if it was edited", () => opened(fileWith(text), INDEX.replace('"read"', '"edit"'))],
    ["if it is of another version", () => opened(fileWith(text), sealed(rest(INDEX).replace(/(version":)\d/, "$19")))],
    ["if registry.json was edited", () => opened(fileWith(text.replace("Search", "Look")))],
    ["if registry.json is torn", () => opened(fileWith(text.slice(0, -9)))],
    ["if it is of another registry", () => opened(fileWith(text.replace(/[0-9a-f]{64}/, "0".repeat(64))))],
  ];
  test.each(cases)("%s, and nothing fails", (_, read) => {
    expect(read()).toBeUndefined();
  });

  test("without registry.json", () => {
    const file = fileWith(text);
    rmSync(file);
    expect(opened(file)).toBeUndefined();
  });
});

/** As the generator prints a registry. */
function json(value: Registry): string {
  const [head = "", tail = ""] = JSON.stringify({ ...value, tools: "@" }, null, 2).split('"@"');
  const tools = value.tools.map((tool) => JSON.stringify(tool, null, 2).replaceAll("\n", "\n    "));
  return `${head}${tools.length === 0 ? "[]" : `[\n    ${tools.join(",\n    ")}\n  ]`}${tail}\n`;
}
