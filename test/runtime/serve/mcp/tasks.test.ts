/**
 * The extension `io.modelcontextprotocol/tasks` on the wire: messages by hand, to two servers over one database, against
 * the shapes of the specification, revision 2026-07-28.
 */

import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { Ajv2020 } from "ajv/dist/2020.js";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { type HttpServed, MODERN, serveHttp } from "../../../support/http.js";
import { keysOfEveryGrant } from "../../../support/keys.js";
import { type Json, serverCommand } from "../../../support/project.js";
import { adding, approvingRoot, command, notesOf } from "../../../support/servers/approving.js";

const SLOW = { timeout: 300_000 };
const TASKS = "io.modelcontextprotocol/tasks";
const TAKES_TASKS = { extensions: { [TASKS]: {} } };

const text = { type: "string" };
const BASE = {
  taskId: text,
  statusMessage: text,
  createdAt: { type: "string", format: "date-time" },
  lastUpdatedAt: { type: "string", format: "date-time" },
  ttlMs: { anyOf: [{ type: "integer" }, { type: "null" }] },
  pollIntervalMs: { type: "integer" },
};
const REQUIRED = ["taskId", "status", "createdAt", "lastUpdatedAt", "ttlMs", "resultType"];
/** A result that is a task with this status, and nothing else. */
const task = (resultType: string, status: object, more: Json = {}): object => ({
  type: "object",
  properties: { ...BASE, status, resultType: { const: resultType }, _meta: { type: "object" }, ...more },
  required: [...REQUIRED, ...Object.keys(more)],
  additionalProperties: false,
});
const inputRequests = {
  type: "object",
  additionalProperties: {
    type: "object",
    properties: { method: { const: "elicitation/create" }, params: { type: "object" } },
    required: ["method", "params"],
    additionalProperties: false,
  },
};
const result = {
  type: "object",
  properties: { content: { type: "array" }, isError: { type: "boolean" }, resultType: { const: "complete" } },
  required: ["content"],
};
const ALL = { enum: ["working", "input_required", "completed", "cancelled", "failed"] };
const SHAPES = {
  CreateTaskResult: task("task", ALL),
  GetTaskResult: {
    oneOf: [
      task("complete", { const: "working" }),
      task("complete", { const: "input_required" }, { inputRequests }),
      task("complete", { const: "completed" }, { result }),
      task("complete", { const: "failed" }, { error: { type: "object" } }),
      task("complete", { const: "cancelled" }),
    ],
  },
  Acknowledged: {
    type: "object",
    properties: { resultType: { const: "complete" }, _meta: { type: "object" } },
    required: ["resultType"],
    additionalProperties: false,
  },
};
const ajv = new Ajv2020({ validateFormats: false });
const CHECKS = Object.fromEntries(Object.entries(SHAPES).map(([name, schema]) => [name, ajv.compile(schema)]));
function expectShape(name: keyof typeof SHAPES, given: Json): void {
  const check = CHECKS[name];
  expect({ fits: check?.(given), errors: check?.errors, given }).toMatchObject({ fits: true });
}

const cleaning: (() => unknown)[] = [];
let root: string;
let servers: readonly HttpServed[];
let known: Awaited<ReturnType<typeof keysOfEveryGrant>>;

beforeAll(async () => {
  const later = (clean: () => unknown): void => void cleaning.push(clean);
  root = await approvingRoot({ by: ["elicitation", "cli"] }, later);
  known = await keysOfEveryGrant(root);
  later(() => known.keys.close());
  servers = await Promise.all([0, 1].map(() => serveHttp(root, ["--allow-write"], later)));
}, SLOW.timeout);
afterAll(async () => {
  for (const clean of cleaning.reverse()) await clean();
});

const messageOf = (method: string, params: Json, capabilities: Json): Json => ({
  ...{ jsonrpc: "2.0", id: 1, method },
  params: {
    ...params,
    _meta: {
      "io.modelcontextprotocol/protocolVersion": MODERN,
      "io.modelcontextprotocol/clientInfo": { name: "raw", version: "1" },
      "io.modelcontextprotocol/clientCapabilities": capabilities,
    },
  },
});

interface Sent {
  readonly key?: string;
  readonly capabilities?: Json;
  /** The other server. */
  readonly elsewhere?: boolean;
}

/** Sends one request as it is on the wire; resolves to its response. */
async function send(method: string, params: Json, { key = known.write.key, capabilities, elsewhere }: Sent = {}) {
  const server = servers[elsewhere ? 1 : 0];
  const answer = await fetch(server?.url ?? "", {
    method: "POST",
    headers: {
      authorization: `Bearer ${key}`,
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      "mcp-protocol-version": MODERN,
      "mcp-method": method,
      ...(params.taskId || params.name ? { "mcp-name": params.taskId ?? params.name } : {}),
    },
    body: JSON.stringify(messageOf(method, params, capabilities ?? TAKES_TASKS)),
  });
  const body = await answer.text();
  const data = body.startsWith("{") ? [body] : [...body.matchAll(/^data: (.+)$/gm)].map(([, one = ""]) => one);
  return data.map((one) => JSON.parse(one) as Json).find((one) => "id" in one);
}

const begun = async (more: Sent = {}, ...texts: readonly string[]): Promise<Json> =>
  (await send("tools/call", { name: "run", arguments: { command: adding(root, ...texts) } }, more)).result;
const got = async (taskId: string, more: Sent = {}): Promise<Json> => {
  const { result: found } = await send("tasks/get", { taskId }, more);
  expectShape("GetTaskResult", found);
  return found;
};
const ended = (taskId: string, status: string, more: Sent = {}) =>
  expect.poll(async () => (await got(taskId, more)).status, { timeout: 60_000, interval: 200 }).toBe(status);

test("servers declare the extension in the newer protocol", SLOW, async () => {
  const { result: found } = await send("server/discover", {});
  expect(found.capabilities.extensions).toEqual({ [TASKS]: {} });
});

test(
  "a run that waits is a task; its client answers the form, and gets the result from another server",
  SLOW,
  async () => {
    const asks = { capabilities: { ...TAKES_TASKS, elicitation: { form: {} } } };
    const made = await begun(asks, "by form");
    expectShape("CreateTaskResult", made);
    expect(made).toMatchObject({
      status: "input_required",
      taskId: expect.stringMatching(/^run_/),
      ttlMs: 604_800_000,
    });
    const waiting = await got(made.taskId, { ...asks, elsewhere: true });
    expect(waiting.status).toBe("input_required");
    const [key = ""] = Object.keys(waiting.inputRequests);
    expect(await got(made.taskId, asks)).toMatchObject({ inputRequests: { [key]: { method: "elicitation/create" } } });
    const inputResponses = { [key]: { action: "accept", content: { decision: "approve" } }, unknown: {} };
    const { result: taken } = await send(
      "tasks/update",
      { taskId: made.taskId, inputResponses },
      { ...asks, elsewhere: true },
    );
    expectShape("Acknowledged", taken);
    await ended(made.taskId, "completed", asks);
    const { result: done, lastUpdatedAt, createdAt } = await got(made.taskId, { ...asks, elsewhere: true });
    expect(done).toMatchObject({ content: [{ type: "text", text: "by form" }], isError: false });
    expect(lastUpdatedAt > createdAt).toBe(true);
    expect(notesOf(root)).toContain(`${known.write.id}: by form`);
    // The answer to a question counts once.
    expectShape("Acknowledged", (await send("tasks/update", { taskId: made.taskId, inputResponses }, asks)).result);
  },
);

test("a client that shows no forms polls until a person has decided elsewhere", {
  ...SLOW,
  tags: "slow",
}, async () => {
  const made = await begun({}, "by hand");
  const waiting = await got(made.taskId);
  expect(waiting).toMatchObject({ status: "input_required", inputRequests: {} });
  expect(waiting.statusMessage).toContain(`Paused ${made.taskId}: 1 call waits for approval`);
  await command(root, "runs", "reject", made.taskId, "--reason", "no");
  await ended(made.taskId, "completed");
  const { result: done } = await got(made.taskId);
  expect(done).toMatchObject({ isError: true, content: [{ text: expect.stringContaining("PermissionError") }] });
});

test("a cancelled task stops the run: nothing runs afterwards", SLOW, async () => {
  const made = await begun({}, "cancelled");
  const { result: taken } = await send("tasks/cancel", { taskId: made.taskId }, { elsewhere: true });
  expectShape("Acknowledged", taken);
  expect(await got(made.taskId)).toMatchObject({
    status: "cancelled",
    statusMessage: `Stopped by ${known.write.id}.`,
  });
  await expect(command(root, "runs", "approve", made.taskId)).rejects.toThrow(/no call of run_\w+ waits for approval/);
  expectShape("Acknowledged", (await send("tasks/cancel", { taskId: made.taskId })).result);
  expect(notesOf(root).join()).not.toContain("cancelled");
});

test(
  "only the caller who began it sees, answers and cancels a task, and only a client that takes tasks",
  SLOW,
  async () => {
    const made = await begun({}, "private");
    for (const method of ["tasks/get", "tasks/update", "tasks/cancel"]) {
      const params = { taskId: made.taskId, inputResponses: {} };
      const { error } = await send(method, params, { key: known.admin.key });
      expect(error).toMatchObject({ code: -32602, message: expect.stringContaining("There is no task") });
      expect((await send(method, { ...params, taskId: "run_none" })).error).toMatchObject({ code: -32602 });
      const other = await send(method, params, { capabilities: { elicitation: {} } });
      expect(other.error).toMatchObject({ code: -32021, data: { requiredCapabilities: TAKES_TASKS } });
    }
    expect(await got(made.taskId)).toMatchObject({ status: "input_required" });
  },
);

test("a client that takes no tasks gets none; a run that does not wait is answered at once", SLOW, async () => {
  const plain = await begun({ capabilities: {} }, "plain");
  expect(plain).toMatchObject({ resultType: "complete", isError: true, structuredContent: { status: "paused" } });
  const { result: found } = await send("tools/call", { name: "run", arguments: { command: "1 + 1" } });
  expect(found).toMatchObject({ resultType: "complete", content: [{ text: "2" }] });
});

test("params of another form are refused", SLOW, async () => {
  const { taskId } = await begun({}, "malformed");
  for (const params of [{ taskId: 1 }, { taskId: "x".repeat(101) }, { taskId }])
    expect((await send("tasks/update", params)).error.code).toBe(-32602);
});

test("stdio answers the same", { ...SLOW, tags: "slow" }, async () => {
  const own = await approvingRoot();
  const { command: program, args, cwd } = serverCommand(own, ["--allow-write"]);
  const child = spawn(program, args, { cwd, stdio: ["pipe", "pipe", "ignore"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  const ask = async (method: string, params: Json): Promise<Json> => {
    child.stdin.write(`${JSON.stringify(messageOf(method, params, TAKES_TASKS))}\n`);
    for (;;) {
      const message = JSON.parse((await lines.next()).value ?? "{}") as Json;
      if (message.id === 1) return message.result;
    }
  };
  const made = await ask("tools/call", { name: "run", arguments: { command: adding(own, "one") } });
  expectShape("CreateTaskResult", made);
  await command(own, "runs", "approve", made.taskId);
  await expect
    .poll(() => ask("tasks/get", { taskId: made.taskId }), { timeout: 60_000, interval: 200 })
    .toMatchObject({
      status: "completed",
      result: { content: [{ text: "one" }] },
    });
  expect(notesOf(own)).toEqual(["local: one"]);
});
