/** Answers of `tool_help` stay within `expose.answer_bytes`, and what they leave out is reached by the calls they propose. */

import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import type { DirectoryAnswer, HelpAnswer, OpAnswer } from "../../../runtime/catalog/help-answers.js";
import { isObject } from "../../../runtime/contract/json.js";
import type { JsonObject, JsonSchema, Registry, Tool } from "../../../runtime/contract/registry.js";
import { randomOf, runs } from "../../support/random.js";
import { type Fixture, fixture, principal } from "../gateway/fixture.js";
import { TOOLS, toolOf } from "../gateway/fixture-tools.js";

const random = randomOf(20_261_130);
const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)] as T;
const bytesOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value));

const NOUNS = "pull issue label branch team hook release status key member page job".split(" ");
const DO = "list get create update delete search".split(" ");
const HOSTILE = ["🙂".repeat(90), '\u0001\n"\\'.repeat(60), "x".repeat(1500), "líne\u2028".repeat(30)];

/** Mostly a short text. */
const textOfSome = (): string => (random() < 0.05 ? pick(HOSTILE) : pick(["", "a", "Words of a text."]));

/** Arguments of some width and depth, with long texts. */
function schemaOf(depth: number): JsonSchema {
  const count = 1 + Math.floor(random() * (depth === 0 ? 20 : 4));
  const members = Array.from({ length: count }, (_, at): readonly [string, JsonSchema] => {
    const name = `${pick(NOUNS)}_${at}`;
    if (depth < 3 && random() < 0.3) return [name, { type: "array", items: schemaOf(depth + 1) } as JsonSchema];
    return [name, { type: "string", description: textOfSome(), default: textOfSome() }];
  });
  const required = members.map(([name]) => name).filter(() => random() < 0.3);
  return { type: "object", properties: Object.fromEntries(members) as JsonObject, required };
}

const large = (op: string, extra: Partial<Tool> = {}): Tool => ({
  ...toolOf({ op, tool: op.replaceAll(".", "_"), kind: pick(["read", "write"]), schema: schemaOf(0) }),
  summary: random() < 0.1 ? pick(HOSTILE) : "Lists things.",
  description: pick(HOSTILE).repeat(3),
  notes: [pick(HOSTILE)],
  result_schema: schemaOf(0),
  ...extra,
});

/** One flat pack with topics, as a large HTTP API has. */
const flat = (): readonly Tool[] => {
  const paths = Array.from({ length: 400 }, (_, at) => {
    const topic = pick(NOUNS);
    return { op: `api.${topic}s_${pick(DO)}_${pick(NOUNS)}_${at}`, topic };
  });
  return paths.map(({ op, topic }) => large(op, random() < 0.9 ? { topic: `${topic}s` } : {}));
};

/** Deep paths: ops that are groups, too, groups in letters of both cases, and topics that are names already. */
const deep = (): readonly Tool[] => [
  large("deep.pulls", { topic: "pulls" }),
  large("deep.Teams.list"),
  ...Array.from({ length: 120 }, (_, at) => large(`deep.${pick(NOUNS)}.${pick(NOUNS)}.${pick(DO)}_${at}`)),
  ...Array.from({ length: 90 }, (_, at) =>
    large(`deep.${pick(DO)}_${pick(NOUNS)}_${at}`, { topic: pick(["pulls", "team", "read", "root"]) }),
  ),
  ...Array.from({ length: 60 }, (_, at) => large(`deep.pulls.sub_${at}`)),
];

const example = (): readonly Tool[] => {
  const text = readFileSync(new URL("../../../generated/registry.json", import.meta.url), "utf8");
  const own = new Set(TOOLS.map(({ op }) => op));
  return (JSON.parse(text) as Registry).tools.filter(({ op }) => !own.has(op));
};

const REGISTRIES = { small: () => [], example, flat, deep } as const;
const made = new Map<string, { readonly tools: readonly Tool[]; at(bytes: number): Fixture }>();

function registryOf(name: keyof typeof REGISTRIES) {
  const known = made.get(name);
  if (known) return known;
  const more = REGISTRIES[name]();
  const fixtures = new Map<number, Fixture>();
  const at = (bytes: number): Fixture => {
    const one = fixtures.get(bytes) ?? fixture({ more, settings: { answerBytes: bytes } });
    fixtures.set(bytes, one);
    return one;
  };
  const built = { tools: [...TOOLS, ...more], at };
  made.set(name, built);
  return built;
}

const NAMES = Object.keys(REGISTRIES) as readonly (keyof typeof REGISTRIES)[];
const BYTES = [1000, 2500, 6000] as const;

/** Asks, and follows the pages of the answer. */
function pagesOf({ gateway }: Fixture, request: JsonObject): readonly HelpAnswer[] {
  const answers: HelpAnswer[] = [];
  let call: JsonObject | undefined = request;
  while (call) {
    const answer: HelpAnswer = gateway.help(call, principal());
    answers.push(answer);
    const next = callIn(answer);
    call = typeof next?.["page"] === "number" ? next : undefined;
  }
  return answers;
}

/** How often each op is met when every group is opened and every page read. */
function crawl(one: Fixture, bytes: number): ReadonlyMap<string, number> {
  const met = new Map<string, number>();
  const waiting = ["root"];
  for (const path of waiting)
    for (const answer of pagesOf(one, { path })) {
      expect(bytesOf(answer), path).toBeLessThanOrEqual(bytes);
      for (const item of (answer as DirectoryAnswer | OpAnswer).items ?? [])
        if ("group" in item) waiting.push(item.group);
        else met.set(item.op, (met.get(item.op) ?? 0) + 1);
    }
  return met;
}

const PATHS = [...HOSTILE, ...NOUNS, "root", "session", "read", "write", "", "nowhere", "api", "deep", "onto"];

/** What a request may have beside its path, how often, and values for it. */
const OTHERS: readonly (readonly [share: number, name: string, values: readonly unknown[]])[] = [
  [0.3, "format", ["full", "short", "long"]],
  [0.3, "include_schemas", [true, false, "yes"]],
  [0.2, "page", [1, 2, 7, 500, 501, 0, "2"]],
  [0.2, "at", ["returns", "pull_0", "x[].y", ...HOSTILE]],
];

function requestOf(paths: readonly string[]): Readonly<Record<string, unknown>> {
  const joined = random() < 0.7 ? pick(paths) : `${pick(paths)}${pick([".", " ", "/"])}${pick(paths)}`;
  const path = random() < 0.9 ? joined : `${joined} ${pick(HOSTILE).repeat(10)}`;
  const others = OTHERS.filter(([share]) => random() < share).map(([, name, values]) => [name, pick(values)]);
  const unknown = Array.from({ length: random() < 0.1 ? 60 : 0 }, (_, at) => [pick(HOSTILE).slice(0, 40) + at, at]);
  return Object.fromEntries([["path", path], ...others, ...unknown]);
}

/** The call that an answer proposes. */
function callIn(answer: HelpAnswer): JsonObject | undefined {
  const next: unknown = "next" in answer ? answer.next : undefined;
  return isObject(next) ? next : undefined;
}

const PAGED = /^(?:op|directory)$/;
const ANSWERED = /^(?:op|directory|results)$/;

describe.each(NAMES)("in the registry %s", (name) => {
  test.each(BYTES)("within %d bytes, opened groups and followed pages show every op exactly once", (bytes) => {
    const { tools, at } = registryOf(name);
    const one = at(bytes);
    const listed = tools.filter(({ op, access }) => access !== "admin" && op !== "zeta.hidden.write");
    const seen = listed.filter(({ op }) => one.gateway.help({ path: op }, principal()).type === "op");
    expect([...crawl(one, bytes)].sort()).toEqual(seen.map(({ op }) => [op, 1]).sort());
    expect(seen.length).toBeGreaterThan(10);
  });

  test("no answer to any request is larger than it may be, and each cut one has a next call that is answered", () => {
    const { tools, at } = registryOf(name);
    const paths = [...tools.map(({ op }) => op), ...PATHS];
    for (let count = 0; count < runs(2000).numRuns; count++) {
      const bytes = pick(BYTES);
      const { gateway } = at(bytes);
      const request = requestOf(paths);
      const answer = gateway.help(request, principal());
      expect(bytesOf(answer), JSON.stringify(request)).toBeLessThanOrEqual(bytes);
      const next = callIn(answer);
      const whole = at(1_000_000).gateway.help(request, principal());
      const isCut = bytesOf({ ...whole, requested_path: 0 }) > bytesOf({ ...answer, requested_path: 0 });
      // A line of results that is cut ends in an ellipsis, and the op in it leads on.
      if (isCut && PAGED.test(answer.type)) expect(next, JSON.stringify(request)).toBeDefined();
      if (next && !String(next["path"]).includes("<"))
        expect(gateway.help(next, principal()).type, JSON.stringify(next)).toMatch(ANSWERED);
    }
  });
});

/** What all pages of an op show together. */
function joined(pages: readonly HelpAnswer[]): Readonly<Record<string, unknown>> {
  const whole: Record<string, unknown> = {};
  for (const page of pages)
    for (const [name, value] of Object.entries(page))
      whole[name] = Array.isArray(value) && name in whole ? [...(whole[name] as unknown[]), ...value] : value;
  const parts = (whole["parts"] ?? []) as readonly { readonly of: string; readonly text: string }[];
  const textOf = (of: string): string => parts.flatMap((one) => (one.of === of ? [one.text] : [])).join("");
  return { ...whole, textOf };
}

test.each(BYTES)("within %d bytes, the pages of an op have all of its full help", (bytes) => {
  const { tools, at } = registryOf("deep");
  for (const tool of tools.slice(0, 20)) {
    if (at(bytes).gateway.help({ path: tool.op }, principal()).type !== "op") continue;
    const request = { path: tool.op, format: "full", include_schemas: true };
    const pages = pagesOf(at(bytes), request);
    const whole = at(1_000_000).gateway.help(request, principal()) as OpAnswer;
    const { textOf, ...read } = joined(pages);
    const restored = textOf as (of: string) => string;
    const names = [...((read["args"] ?? []) as { readonly name: string }[]).map((one) => one.name)];
    const cut = (whole.args ?? []).filter((one) => !names.includes(one.name));
    for (const one of cut) expect(restored("args")).toContain(JSON.stringify(one.name));
    expect(read["description"] ?? restored("description"), tool.op).toBe(whole.description);
    expect(read["schema"] ?? JSON.parse(restored("schema")), tool.op).toEqual(whole.schema);
    expect(read["usage"] ?? restored("usage")).toBe(whole.usage);
  }
});
