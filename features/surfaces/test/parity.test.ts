/**
 * Parity of the surfaces: one call gets the same envelope over every transport.
 *
 * @module-tag full
 */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Tool } from "../../../runtime/contract/registry.js";
import { serveHttp } from "../../../test/support/http.js";
import { type Json, type Served, serve } from "../../../test/support/project.js";
import { randomOf, SCALE, shuffled } from "../../../test/support/random.js";
import {
  api,
  type Compared,
  commandLine,
  httpMcp,
  inRun,
  ownTools,
  pythonClient,
  requestOf,
  type SendCall,
  surfacesRoot,
  typescriptClient,
} from "./transports.js";

const SLOW = 1_800_000;
const cleaning: (() => unknown)[] = [];
const later = (clean: () => unknown): void => void cleaning.push(clean);
const tools = ownTools();
/** Ops that are called in this run: all of them at full size. */
const called = shuffled(tools, randomOf(20)).slice(0, Math.max(12, Math.round(tools.length * Math.min(1, SCALE))));
const ids = new Map<string, string>();
let root: string;
let url: string;
let stdio: Served;
let calls: readonly Compared[];
const truth = new Map<Compared, Json>();

/** A result without what no two calls share: the handle of what `ot.keep` stores. */
const shared = (op: string, result: Json): Json =>
  op === "ot.keep" && typeof result?.handle === "string" ? { ...result, handle: "<handle>" } : result;
/** An envelope without what no two answers share. */
const comparable = ({ meta, ...envelope }: Json): Json => ({
  ...envelope,
  ...("result" in envelope ? { result: shared(envelope.op, envelope.result) } : {}),
  warnings: meta.warnings,
});

const exec = async (request: object): Promise<Json> => (await stdio.call("tool_exec", { ...request })).value;
const done = async (op: string, args: object): Promise<Json> => {
  const { result } = await exec({ op, args, dry_run: false });
  if (result === undefined) throw new Error(op);
  return result;
};

/** Creates an entity of each kind, for the placeholders of examples. */
async function seed(): Promise<void> {
  const { project, id_map } = await done("onto.project.create", {
    project: { name: "Launch", type_key: "project.business.launch" },
    entities: [
      { temp_id: "goal", kind: "goal", name: "Reach users" },
      { temp_id: "plan", kind: "plan", name: "First phase" },
      { temp_id: "task", kind: "task", title: "Call Anna" },
      { temp_id: "milestone", kind: "milestone", title: "Beta", due_at: "2027-01-15" },
      { temp_id: "risk", kind: "risk", title: "Late supplier", impact: "high" },
      { temp_id: "requirement", kind: "requirement", text: "Works offline" },
    ],
    relationships: [],
  });
  for (const [kind, id] of Object.entries<string>(id_map)) ids.set(kind, id);
  ids.set("project", project.id);
  const about = { title: "API Spec", description: "About it.", content: "# It" };
  ids.set("document", (await done("onto.document.create", { project_id: project.id, ...about })).document.id);
  const edge = {
    src_kind: "task",
    src_id: ids.get("task"),
    dst_kind: "goal",
    dst_id: ids.get("goal"),
    rel: "supports_goal",
  };
  ids.set("edge", (await done("onto.edge.link", edge)).edge.id);
  const other = await done("oubliette.project.create", { name: "Apollo" });
  ids.set("oubliette project", other.id);
  ids.set("workspace", (await done("oubliette.workspace.create", { project_id: other.id, name: "Desk" })).id);
  ids.set("key", (await done("oubliette.token.create", { name: "CI", scope: "read", expires_in_days: 30 })).key_id);
  ids.set("session", (await done("oubliette.session.create", { project_id: other.id })).id);
}

/** Kind that an id argument names where its own name does not say. */
const OPEN_IDS: Readonly<Record<string, string>> = { entity_id: "task", src_id: "task", dst_id: "goal" };
/** An address without a server. */
const NOWHERE = "http://127.0.0.1:9/";

function filled(value: Json, group: string, name = ""): Json {
  if (Array.isArray(value)) return value.map((one) => filled(one, group, name));
  if (typeof value === "object" && value !== null)
    return Object.fromEntries(
      Object.entries(value).map(([key, member]) => [key, filled(member, group, key === "id" ? value.kind : key)]),
    );
  if (typeof value === "string" && value.startsWith("https://example")) return NOWHERE;
  if (typeof value !== "string" || !/^<\w+>$/.test(value)) return value;
  const kind = OPEN_IDS[name] ?? name.replace(/_id$/, "");
  return ids.get(`${group} ${kind}`) ?? ids.get(kind) ?? "API Spec";
}

/** A value that the first required (or first) argument does not accept; an unknown argument without any. */
function invalid(tool: Tool, valid: Readonly<Record<string, Json>>): Readonly<Record<string, Json>> {
  const first = tool.parameters.find(({ type }) => type !== "any");
  if (!first) return { no_such_argument: 1 };
  const isObject = /^\{|^object/.test(first.type);
  return { ...valid, [first.original]: isObject ? [[true]] : { no_such: [true] } };
}

beforeAll(async () => {
  // What `ot.stats` counts changes with each call; then it says that nothing is counted.
  const settings = [
    // A live key, which there is for the ops that take one, would have HTTP ask for keys.
    "access: { local: admin, http: none }",
    "stats: { enabled: false }",
    "output: { max_inline_size: 5000000 }",
    // CPython, which `ot.health` starts, is slow on a busy machine.
    "limits: { call_timeout_ms: 300000 }",
  ];
  root = await surfacesRoot(tools, later, settings);
  stdio = await serve(root, ["--allow-write"]);
  later(() => stdio.close());
  await seed();
  ({ url } = await serveHttp(root, ["--allow-write"], async (clean) => later(clean)));
  calls = called.flatMap((tool) => {
    const args = filled(tool.examples[0]?.args ?? {}, tool.group);
    return [
      { tool, args },
      { tool, args: invalid(tool, args) },
    ];
  });
  for (const call of calls) truth.set(call, await exec(requestOf(call)));
}, SLOW);
afterAll(async () => {
  for (const clean of cleaning.reverse()) await clean();
});

const told = (call: Compared): string => `${call.tool.op} ${JSON.stringify(call.args)}`;

async function expectParity(send: SendCall, some: readonly Compared[] = calls): Promise<void> {
  for (const call of some) expect(comparable(await send(call)), told(call)).toEqual(comparable(truth.get(call)));
}

test("each op has a call that is understood and one that is not", () => {
  const code = (call: Compared | undefined): string => truth.get(call as Compared).error?.code ?? "ok";
  for (const [i, call] of calls.entries())
    if (i % 2 === 0)
      expect(code(call), `${told(call)} ${JSON.stringify(truth.get(call).error)}`).not.toBe("VALIDATION_ERROR");
    else expect(code(call), told(call)).toBe("VALIDATION_ERROR");
  const done = calls.filter((call) => code(call) === "ok");
  expect(done.length).toBeGreaterThan(called.length * 0.7);
});

describe("the same envelope as from tool_exec over stdio", () => {
  test("tool_exec over HTTP", { tags: "full", timeout: SLOW }, async () => {
    const { send, close } = await httpMcp(url);
    later(close);
    await expectParity(send);
  });

  test("POST /api/exec", { timeout: SLOW }, () => expectParity(api(url)));

  test("the TypeScript client", { timeout: SLOW }, async () => expectParity(await typescriptClient(root, url)));

  test("the Python client, which gives the result or raises the error", { timeout: SLOW }, async () => {
    const answers = await pythonClient(root, url, calls);
    for (const [i, { envelope, result, raised }] of answers.entries()) {
      const call = calls[i] as Compared;
      expect(comparable(envelope), told(call)).toEqual(comparable(truth.get(call)));
      if (envelope.ok) expect(result, told(call)).toEqual(envelope.result);
      else if (raised) expect(raised).toEqual({ details: {}, ...only(envelope.error, ["code", "message", "details"]) });
    }
    expect(answers.filter(({ raised }) => raised).length).toBeGreaterThan(called.length / 2);
  });

  test("the command line", { tags: "full", timeout: SLOW }, async () => {
    await expectParity(commandLine(root), SCALE < 1 ? calls.slice(0, 4) : calls);
  });

  test("run(): its result, or an exception that says the same", { tags: "full", timeout: SLOW }, async () => {
    const send = inRun(stdio);
    for (const call of calls) {
      const { ok, result, error } = truth.get(call);
      const answer = await send(call);
      // Some ops of ot give programs the text of an error as a value, where other callers get a failure.
      if (answer.ok && call.tool.op.startsWith("ot.") && error && error.code !== "VALIDATION_ERROR") {
        expect(answer.result, told(call)).toBe(`Error: ${error.message}`);
        continue;
      }
      expect(answer.ok, `${told(call)} ${JSON.stringify(answer)}`).toBe(ok);
      if (ok) expect(shared(call.tool.op, answer.result), told(call)).toEqual(shared(call.tool.op, result));
      else if (error.code === "VALIDATION_ERROR") expect(answer.error, told(call)).toContain(`${call.tool.op}()`);
      else expect(answer.error, told(call)).toContain(error.message);
    }
  });
});

const only = (value: Json, keys: readonly string[]): Json =>
  Object.fromEntries(keys.flatMap((key) => (key in value ? [[key, value[key]]] : [])));

describe("what is emitted holds exactly the ops that are not hidden", () => {
  const ops = tools.map(({ op }) => op);
  const read = (path: string): string => readFileSync(join(root, "generated", "surfaces", path), "utf8");

  test("the list for Anthropic", () => {
    const list: Json = JSON.parse(read("anthropic.json"));
    const names = list.tools.filter(({ input_schema }: Json) => input_schema).map(({ name }: Json) => name);
    expect(names.map((name: string) => list.ops[name])).toEqual(ops);
  });

  test("the list for OpenAI", () => {
    const list: Json = JSON.parse(read("openai.json"));
    const functions = list.tools.flatMap((one: Json) => (one.type === "namespace" ? one.tools : [one]));
    const names = functions.filter(({ type }: Json) => type === "function").map(({ name }: Json) => name);
    expect(names.map((name: string) => list.ops[name]).sort()).toEqual(ops);
  });

  test("the skill", () => {
    const links = [...read("skill/SKILL.md").matchAll(/\]\((references\/\w+\.md)\)/g)].map(
      ([, path]) => path as string,
    );
    const listed = links.flatMap((path) =>
      [...read(`skill/${path}`).matchAll(/^- `([\w.]+)` \((?:read|write)\): /gm)].map(([, op]) => op),
    );
    expect(listed).toEqual(ops);
  });
});
