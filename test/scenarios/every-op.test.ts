/** The scenario GW-1.2: every op of the registry, called with its own example. */

import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { CHECKOUT, configuredRoot, type Json, type Served, serve } from "../support/project.js";
import { isOfTables, MAPPING } from "./mapping.js";

const cleaning: (() => void)[] = [];
let server: Served;
const ids = new Map<string, string>();

const exec = async (op: string, args: object): Promise<Json> => (await server.call("tool_exec", { op, args })).value;

/** A project with one entity of every kind, so that there is an id for every placeholder of an example. */
async function seed(): Promise<void> {
  const entities = [
    { temp_id: "goal", kind: "goal", name: "Reach users" },
    { temp_id: "plan", kind: "plan", name: "First phase" },
    { temp_id: "task", kind: "task", title: "Call Anna" },
    { temp_id: "milestone", kind: "milestone", title: "Beta", due_at: "2027-01-15" },
    { temp_id: "risk", kind: "risk", title: "Late supplier", impact: "high" },
    { temp_id: "requirement", kind: "requirement", text: "Works offline" },
  ];
  const { result } = await exec("onto.project.create", {
    project: { name: "Launch", type_key: "project.business.launch" },
    entities,
    relationships: [
      [
        { temp_id: "plan", kind: "plan" },
        { temp_id: "task", kind: "task" },
      ],
    ],
  });
  for (const [kind, id] of Object.entries<string>(result.id_map)) ids.set(kind, id);
  ids.set("project", result.project.id);
  const document = await exec("onto.document.create", {
    project_id: result.project.id,
    title: "API Spec",
    description: "About it.",
    content: "# It",
  });
  ids.set("document", document.result.document.id);
  const edge = await exec("onto.edge.link", {
    src_kind: "task",
    src_id: ids.get("task"),
    dst_kind: "goal",
    dst_id: ids.get("goal"),
    rel: "supports_goal",
  });
  ids.set("edge", edge.result.edge.id);
}

beforeAll(async () => {
  const origin = await webOnLoopback();
  const root = configuredRoot("web: { allow_private: [127.0.0.1] }", (one) => cleaning.push(one));
  const env = { BRAVE_API_KEY: "BSA-test", BRAVE_API_URL: `${origin}/search` };
  server = await serve(root, ["--allow-write"], env);
  ON_LOOPBACK = new Map<string, readonly [args: object, result: object]>([
    [
      "util.web.search",
      [
        { query: "tide tables" },
        { results: [expect.objectContaining({ title: "Tides", url: "https://example.com/" })] },
      ],
    ],
    ["util.web.visit", [{ url: `${origin}/page` }, { title: "Tides", content: "In and out.", truncated: false }]],
  ]);
});
afterAll(async () => {
  await server.close();
  for (const one of cleaning) one();
});

/** Kind that an id argument names where its own name does not say. */
const OPEN_IDS: Readonly<Record<string, string>> = {
  entity_id: "task",
  src_id: "task",
  dst_id: "goal",
  parent_id: "document",
  new_parent_id: "document",
};

/** The example with its placeholders filled in: ids of the seeded entities, words for everything else. */
function filled(value: Json, name = ""): Json {
  if (Array.isArray(value)) return value.map((one) => filled(one, name));
  if (typeof value === "object" && value !== null)
    return Object.fromEntries(
      Object.entries(value).map(([key, member]) => [key, filled(member, key === "id" ? value.kind : key)]),
    );
  if (typeof value !== "string" || !/^<\w+>$/.test(value)) return value;
  return ids.get(OPEN_IDS[name] ?? name.replace(/_id$/, "")) ?? "API Spec";
}

/** Ops that reach the web: the arguments for a server on loopback, and what it gives them. */
let ON_LOOPBACK: ReadonlyMap<string, readonly [args: object, result: object]> = new Map();

/** A search service and a page; gives its address. */
async function webOnLoopback(): Promise<string> {
  const hit = { title: "Tides", url: "https://example.com/", description: "High and low." };
  const web = createServer(({ url = "", headers }, response) => {
    if (!url.startsWith("/search"))
      return response.writeHead(200, { "content-type": "text/html" }).end("<title>Tides</title><p>In and out.</p>");
    const isKnown = headers["x-subscription-token"] === "BSA-test" && url.includes("tide");
    response.writeHead(isKnown ? 200 : 401, { "content-type": "application/json" });
    return response.end(JSON.stringify({ web: { results: [hit] } }));
  });
  await new Promise<void>((resolve) => web.listen(0, "127.0.0.1", resolve));
  cleaning.push(() => web.close());
  return `http://127.0.0.1:${(web.address() as AddressInfo).port}`;
}

/** Deletes go last, or they would take away what the others need. */
const last = (op: string): number => Number(op.endsWith(".delete") || op.endsWith(".unlink"));

test("[GW-1.2] every op of the registry does its work with its own example, and names each required argument that is missing", async () => {
  const { tools: all } = JSON.parse(readFileSync(join(CHECKOUT, "generated/registry.json"), "utf8")) as Json;
  const tools = all.filter(isOfTables);
  expect(tools.map((one: Json) => [one.op, one.tool_name]).sort()).toEqual(
    MAPPING.map(([op, tool]) => [op, tool]).sort(),
  );
  await seed();
  for (const { op, parameters } of [...tools].sort((a: Json, b: Json) => last(a.op) - last(b.op))) {
    const help = (await server.call("tool_help", { path: op, format: "full" })).value;
    const example = filled(help.examples[0].args);
    const [given, result] = ON_LOOPBACK.get(op) ?? [{}, undefined];
    const args = { ...example, ...given };
    const answer = await exec(op, args);
    expect(answer, `${op} ${JSON.stringify(answer)}`).toMatchObject({ op, ok: true, ...(result && { result }) });
    // Its path is not found by a repair of its spelling.
    expect(answer.meta.warnings.filter((one: string) => one.startsWith("op_"))).toEqual([]);
    for (const { original } of parameters.filter((one: Json) => one.required)) {
      const { [original]: _, ...rest } = args;
      const { error } = await exec(op, rest);
      expect(error, `${op} without ${original}`).toMatchObject({
        code: "VALIDATION_ERROR",
        help_path: op,
        corrected_call: { op },
      });
      const fields = error.details.field_errors.map((one: Json) => [one.path, one.keyword]);
      expect(fields, `${op} without ${original}`).toContainEqual([original, "required"]);
    }
  }
});
