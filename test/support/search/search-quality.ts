/** Measures the quality of a search: tools, queries with the intended tools, and plain engines over the same tools. */

import Fuse from "fuse.js";
import MiniSearch from "minisearch";
import type { JsonSchema } from "toolwright/codegen";
import type { Project } from "../../../runtime/catalog/project.js";
import { indexRegistry } from "../../../runtime/catalog/registry.js";
import { isSchema } from "../../../runtime/contract/json-schema.js";
import type { Registry, Tool } from "../../../runtime/contract/registry.js";
import type { HostContext } from "../../../runtime/packs/host.js";
import { helpPage } from "../../../runtime/packs/ot/help.js";
import { snapshotFiles } from "../corpora.js";
import { type Case, caseFiles, casesOf, toJsonSchema } from "../generator-bfcl.js";
import { completeTool } from "../partial-registry.js";
import type { Json } from "../project.js";

/** A tool, and the name and description that its author gave it. */
export interface Sought {
  readonly tool: Tool;
  readonly name: string;
  readonly description: string;
}

/** A query, and the names of the tools that it means. */
export interface Question {
  readonly text: string;
  readonly names: readonly string[];
}

/** Ops that a query finds, the best first. */
export type Finder = (query: string) => Promise<readonly string[]>;

const sought = (op: string, name: string, description: string, schema: unknown): Sought => {
  const parameters_schema: JsonSchema = isSchema(schema) ? schema : { type: "object" };
  const summary = /^.*?[.!?](?=\s|$)/.exec(description)?.[0] ?? description.split("\n")[0] ?? "";
  return { name, description, tool: completeTool({ op, tool_name: name, description, summary, parameters_schema }) };
};

/** Characters that have no place in an op. */
const plain = (name: string): string => name.replace(/[^A-Za-z0-9_]+/g, "_");

const cases = (): readonly Case[] => caseFiles().flatMap(casesOf);

/** Every different function of the leaderboard once, in one pack; several may have one name, and are numbered. */
export function leaderboardTools(): readonly Sought[] {
  const all = new Map(cases().flatMap((one) => one.function.map((made) => [JSON.stringify(made), made] as const)));
  const counts = new Map<string, number>();
  return [...all.values()].map(({ name, description, parameters }) => {
    const count = (counts.get(name) ?? 0) + 1;
    counts.set(name, count);
    return sought(`bfcl.${plain(name)}${count > 1 ? `_${count}` : ""}`, name, description, toJsonSchema(parameters));
  });
}

/** What its users ask for, where the answer is known, and the functions that the answer calls. */
export const leaderboardQuestions = (): readonly Question[] =>
  cases().flatMap(({ question, ground_truth }) => {
    const asked = question.flat().filter(({ role }) => role === "user");
    const names = [...new Set((ground_truth ?? []).flatMap((call) => Object.keys(call)))];
    return names.length > 0 ? [{ text: asked.map(({ content }) => content).join("\n"), names }] : [];
  });

/** The tools of all snapshots, a pack a server. */
export const serverTools = (): readonly Sought[] =>
  snapshotFiles().flatMap(([file, text]) => {
    const { tools }: Json = JSON.parse(text);
    return tools.map(({ name, description, inputSchema }: Json) =>
      sought(`${plain(file.replace(".json", ""))}.${plain(name)}`, name, description ?? "", inputSchema),
    );
  });

/** A text with so many letters left out, doubled, swapped with the next, or replaced. */
export function mistyped(text: string, times: number, random: () => number): string {
  let made = text;
  for (let i = 0; i < times; i++) {
    const at = Math.floor(random() * made.length);
    const [before, letter = "", after] = [made.slice(0, at), made[at], made.slice(at + 1)];
    const edits = [after, letter + letter + after, `x${after}`, after.slice(0, 1) + letter + after.slice(1)];
    made = before + edits[Math.floor(random() * edits.length)];
  }
  return made;
}

/** A registry of these tools. */
export const registryOf = (all: readonly Sought[]): Registry => ({
  ...{ ir_version: 1, registry_version: "0".repeat(64), packs: [], reserved: [] },
  tools: all.map(({ tool }) => tool),
});

/**
 * `ot.help` itself, over a registry of these tools; ops are read from its page, which has the first twenty.
 *
 * @param toolIndex the index that `generate` has made; default: none
 */
export function helpFinder(all: readonly Sought[], toolIndex?: Project["toolIndex"]): Finder {
  const maps = { ops: new Map(), aliases: new Map(), packInstructions: new Map(), synonyms: new Map() };
  const settings = { ...maps, run: { codeBytes: 100_000, languages: ["python"] } };
  const registry = registryOf(all);
  const view = indexRegistry(registry, settings).view({ level: "admin", projects: "*" });
  const host = { project: { registry, settings, toolIndex }, view: () => view, snippets: async () => new Map() };
  const ctx = { host, principal: {} } as unknown as HostContext;
  return async (query) => {
    const page = await helpPage(query, "list", ctx);
    const [, lines = ""] = /^## Tools\n((?:- .*(?:\n|$))*)/m.exec(page) ?? [];
    return lines.split("\n").flatMap((line) => (line.startsWith("- ") ? [line.slice(2)] : []));
  };
}

/** minisearch with its own settings, over name and description; with `args` also over the schema of the arguments as JSON. */
export function minisearchFinder(all: readonly Sought[], args = false): Finder {
  const index = new MiniSearch<object>({ fields: ["name", "description", ...(args ? ["args"] : [])] });
  index.addAll(
    all.map(({ tool, name, description }, id) => ({
      ...{ id, name, description },
      ...(args ? { args: JSON.stringify(tool.parameters_schema) } : {}),
    })),
  );
  return async (query) => index.search(query).map(({ id }) => all[Number(id)]?.tool.op ?? "");
}

/** fuse.js with its own settings, over name and description. */
export function fuseFinder(all: readonly Sought[]): Finder {
  const index = new Fuse(all, { keys: ["name", "description"] });
  return async (query) => index.search(query).map(({ item }) => item.tool.op);
}

/** What a search finds of the tools that are meant: the mean over some questions. */
export interface Recall {
  /** Share of them that is found first. */
  readonly first: number;
  /** Share of them among the first five. */
  readonly five: number;
  /** Wall time of a query, in ms. */
  readonly ms: number;
}

/** Asks every question; a tool counts by its name. */
export async function recall(find: Finder, all: readonly Sought[], asked: readonly Question[]): Promise<Recall> {
  const names = new Map(all.map(({ tool, name }) => [tool.op, name]));
  const sums = { first: 0, five: 0, ms: 0 };
  for (const { text, names: meant } of asked) {
    const start = performance.now();
    const found = (await find(text)).map((op) => names.get(op) ?? "");
    sums.ms += performance.now() - start;
    sums.first += share(meant, found.slice(0, 1));
    sums.five += share(meant, found.slice(0, 5));
  }
  const mean = (sum: number): number => sum / asked.length;
  return { first: mean(sums.first), five: mean(sums.five), ms: mean(sums.ms) };
}

const share = (meant: readonly string[], found: readonly string[]): number =>
  meant.filter((name) => found.includes(name)).length / meant.length;
