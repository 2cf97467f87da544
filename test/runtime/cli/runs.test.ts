/** The commands `runs`: a server is killed in the middle of a program, and the command line goes on with it. */

import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { openState } from "../../../runtime/state/open.js";
import { queries } from "../../../runtime/state/schema.js";
import { rootOf, startApi } from "../../support/http-api.js";
import { type Served, serve, toolwright } from "../../support/project.js";
import { adding, approvingRoot, exec, notesOf, ran } from "../../support/servers/approving.js";

const SLOW = 600_000;
const LONG_AGO = "2026-01-01T00:00:00.000Z";

/** Ends the leases of a server that was killed, for which a test need not wait. */
async function endLeases(root: string): Promise<void> {
  const state = await openState({ url: "", root });
  await state.transaction("write", async (tx) => {
    await queries(tx).updateTable("runs").set({ lease_until: LONG_AGO }).execute();
    await queries(tx).updateTable("ledger").set({ lease_until: LONG_AGO }).execute();
  });
  await state.close();
}

/** A payment service that does not answer the payment `lost`, and a project that pays. */
async function payments(
  lost: () => number,
  configuration = "",
  idempotency = "\nidempotency: { header: Idempotency-Key }",
) {
  const api = await startApi({
    "/pay": ({ body }, response) => {
      if (!body.includes(`"n":${lost()}`))
        response.setHeader("content-type", "application/json").end(JSON.stringify({ paid: body.toString() }));
    },
  });
  const body = { schema: { type: "object", properties: { n: { type: "integer" }, note: { type: "string" } } } };
  const paid = { type: "object", properties: { paid: { type: "string" } }, required: ["paid"] };
  const pay = {
    operationId: "pay",
    requestBody: { content: { "application/json": body } },
    responses: { 200: { description: "paid", content: { "application/json": { schema: paid } } } },
  };
  const source = `server: ${api.origin}${idempotency}`;
  const limits = `limits: { call_timeout_ms: ${SLOW}, wall_ms: ${SLOW} }\n`;
  const root = await rootOf({ "/pay": { post: pay } }, source, limits + configuration);
  const cli = async (...args: readonly string[]) => {
    const { code, stdout, stderr } = await toolwright([...args, "--root", root, "--json"]);
    if (stdout === "") throw new Error(stderr);
    return { code, ...JSON.parse(stdout) };
  };
  return { api, root, cli };
}

/** Kills a server as a crash does. */
const kill = ({ client }: Served): boolean => process.kill((client.transport as { pid?: number }).pid ?? 0, "SIGKILL");

test("a program of a killed server is listed, shown, resumed and deleted", {
  tags: "full",
  timeout: SLOW,
}, async () => {
  let lost = 3;
  const { api, root, cli } = await payments(() => lost);
  expect(await cli("runs", "list")).toMatchObject({ code: 0, runs: [] });
  const server = await serve(root, ["--allow-write"]);
  const command = "done = 0\nfor n in range(1, 5):\n  api.pay(n=n)\n  done += n\ndone";
  const cut = server.client.callTool({ name: "run", arguments: { command } }, { timeout: SLOW }).catch(() => "cut");
  await expect.poll(() => api.seen.length, { timeout: SLOW }).toBe(3);
  kill(server);
  expect(await cut).toBe("cut");
  lost = 0;
  const { runs } = await cli("runs", "list");
  expect(runs).toMatchObject([{ status: "running", caller: "local" }]);
  const [{ id }] = runs;
  expect(await cli("runs", "drop", id)).toMatchObject({ code: 1, error: expect.stringContaining("under way") });
  await endLeases(root);
  const shown = await cli("runs", "show", id);
  expect(shown.run).toMatchObject({ status: "interrupted", calls: [{}, {}, { op: "api.pay", status: "under way" }] });
  expect(await cli("runs", "resume", id)).toMatchObject({ code: 0, text: "10" });
  const paid = api.seen.map(({ body, headers }) => [JSON.parse(body.toString()).n, headers["idempotency-key"]]);
  expect(paid.map(([n]) => n)).toEqual([1, 2, 3, 3, 4]);
  expect(new Set(paid.map(([, key]) => key)).size).toBe(4);
  expect(await cli("runs", "resume", id)).toMatchObject({ code: 0, text: "10" });
  expect(api.seen.length).toBe(5);
  expect(await cli("runs", "drop", id)).toMatchObject({ code: 0 });
  expect(await cli("runs", "resume", id)).toMatchObject({ code: 1, text: expect.stringContaining("there is no run") });
  expect(await cli("runs", "show", id)).toMatchObject({ code: 1 });
});

test("a program pauses, its server is killed, and after the approval it goes on elsewhere", {
  tags: "full",
  timeout: SLOW,
}, async () => {
  const { api, root, cli } = await payments(() => 0, 'approve: [{ ops: ["api.pay"] }]\n');
  const server = await serve(root, ["--allow-write"]);
  const command = "api.pay(n=1)\nimport uuid\n[str(uuid.uuid4()) == str(uuid.uuid4()), api.pay(n=2)['paid']]";
  const { content } = await server.client.callTool({ name: "run", arguments: { command } }, { timeout: SLOW });
  expect(content).toMatchObject([{ text: expect.stringMatching(/^Paused run_.*\n1: api\.pay \{"n":1\}\nNext: /) }]);
  kill(server);
  const { runs } = await cli("runs", "list");
  expect(runs).toMatchObject([{ status: "paused" }]);
  const [{ id }] = runs;
  const { run } = await cli("runs", "show", id);
  expect(run.approvals).toMatchObject([{ call: "1", op: "api.pay", args: { n: 1 }, status: "waiting" }]);
  expect(await cli("runs", "approve", id, "9")).toMatchObject({ code: 1, error: expect.stringContaining("9") });
  expect(await cli("runs", "approve", id)).toMatchObject({ code: 0, approved: ["1"] });
  expect(await cli("runs", "resume", id)).toMatchObject({ code: 1, text: expect.stringMatching(/^Paused/) });
  expect(api.seen.length).toBe(1);
  expect(await cli("runs", "approve", id, "2")).toMatchObject({ code: 0, approved: ["2"] });
  expect(await cli("runs", "resume", id)).toMatchObject({ code: 0, text: '[false,"{\\"n\\":2}"]' });
  expect(api.seen.map(({ body }) => body.toString())).toEqual(['{"n":1}', '{"n":2}']);
});

test("it goes on where the time zone, the language and the interpreter's snapshot are others", {
  tags: "full",
  timeout: SLOW,
}, async () => {
  const { api, root } = await payments(() => 0, 'approve: [{ ops: ["api.pay"] }]\n');
  const server = await serve(root, ["--allow-write"], { TZ: "Asia/Tokyo", LANG: "ja_JP.UTF-8", LC_ALL: "ja_JP.UTF-8" });
  const command = `import asyncio, datetime, json, locale, random, secrets, time, uuid
class Thing: pass
def made():
    return [str(uuid.uuid4()), str(uuid.uuid1()), random.random(), secrets.token_hex(4), time.time(), time.strftime("%c %Z"),
            str(datetime.datetime.now()), list({"a", "bc", "def"}), hash("text"), repr(Thing()), sorted(["Ä", "z", "a"]), f"{1234.5:n}"]
async def slow(n):
    await asyncio.sleep(random.random() / 100)
    return n
order = [await one for one in asyncio.as_completed([slow(n) for n in range(5)])]
first = made()
api.pay(n=len(json.dumps([order, first])), note=json.dumps([order, first]))
[order, first]`;
  const paused = await server.client.callTool({ name: "run", arguments: { command } }, { timeout: SLOW });
  const id = /run_\w+/.exec(JSON.stringify(paused.content))?.[0] ?? "";
  kill(server);
  const cache = join(root, ".onetool", "cache");
  const snapshots = (): readonly string[] => readdirSync(cache).filter((name) => name.endsWith(".snapshot"));
  for (const name of snapshots()) rmSync(join(cache, name));
  const elsewhere = { env: { TZ: "America/St_Johns", LANG: "de_DE.UTF-8", LC_ALL: "de_DE.UTF-8" } };
  const there = (...args: readonly string[]) => toolwright(["runs", ...args, "--root", root, "--json"], elsewhere);
  expect(JSON.parse((await there("approve", id)).stdout)).toMatchObject({ approved: ["1"] });
  const { text } = JSON.parse((await there("resume", id)).stdout);
  expect(snapshots()).toHaveLength(1);
  const [sent] = api.seen.map(({ body }) => JSON.parse(JSON.parse(body.toString()).note));
  expect(JSON.parse(text)).toEqual(sent);
});

test("a write that was lost, and may not be repeated, is resolved on the command line", {
  tags: "full",
  timeout: SLOW,
}, async () => {
  let lost = 1;
  const { api, root, cli } = await payments(() => lost, "", "");
  const server = await serve(root, ["--allow-write"]);
  const command = "api.pay(n=1)['paid']";
  const cut = server.client.callTool({ name: "run", arguments: { command } }, { timeout: SLOW }).catch(() => "cut");
  await expect.poll(() => api.seen.length, { timeout: SLOW }).toBe(1);
  kill(server);
  expect(await cut).toBe("cut");
  lost = 0;
  await endLeases(root);
  const [{ id }] = (await cli("runs", "list")).runs;
  expect(await cli("runs", "resume", id)).toMatchObject({ code: 1, text: expect.stringMatching(/outcome of 1 call/) });
  expect((await cli("runs", "show", id)).run).toMatchObject({
    status: "paused",
    outcomes: [{ call: "1", op: "api.pay", args: { n: 1 }, status: "waiting" }],
  });
  expect(await cli("runs", "resolve", id, "2", "retry")).toMatchObject({ code: 1 });
  const wrong = await cli("runs", "resolve", id, "1", "happened", "--result", '{"paid":7}');
  expect(wrong).toMatchObject({
    code: 1,
    error: expect.stringMatching(/no result of api\.pay: .*paid must be string/),
  });
  const result = ["--result", '{"paid":"by hand"}'];
  expect(await cli("runs", "resolve", id, "1", "happened", ...result)).toMatchObject({ code: 0, resolved: "happened" });
  expect(await cli("runs", "resume", id)).toMatchObject({ code: 0, text: "by hand" });
  expect(api.seen.length).toBe(1);
});

test("a program that waits is stopped, and its caller is told why", { timeout: SLOW }, async () => {
  const root = await approvingRoot();
  const server = await serve(root, ["--allow-write"]);
  onTestFinished(() => server.close());
  const paused = await ran(server.client, adding(root, "one"));
  const { run: id } = paused.structured;
  const stop = () => toolwright(["runs", "stop", id, "--reason", "not needed", "--root", root]);
  expect(await stop()).toMatchObject({ code: 0, stdout: `${id} is stopped\n` });
  expect(await stop()).toMatchObject({ code: 1, stderr: expect.stringContaining(`the run ${id} has ended`) });
  expect(await toolwright(["runs", "stop", "run_none", "--root", root])).toMatchObject({ code: 1 });
  const { error } = await exec(server.client, "ot.resume", { id });
  expect(error).toMatchObject({
    message: "Stopped by the command line: not needed.",
    details: { status: "stopped", run: id },
  });
  expect((await exec(server.client, "ot.runs", {})).result).toMatchObject([{ id, status: "stopped" }]);
  expect(notesOf(root)).toEqual([]);
});

test("calls are decided and shown in their order, with who decided and when", {
  tags: "full",
  timeout: SLOW,
}, async () => {
  const root = await approvingRoot();
  const server = await serve(root, ["--allow-write"]);
  onTestFinished(() => server.close());
  const add = `vault.add_note(text=f"{n}", file="notes.txt") for n in range(12)`;
  const paused = await ran(server.client, `import asyncio\nawait asyncio.gather(*[${add}])`);
  const { run: id } = paused.structured;
  const places = Array.from({ length: 12 }, (_, at) => String(at + 1));
  expect(paused.structured.waiting.map(({ call }: { call: string }) => call)).toEqual(places);
  const runs = (...args: readonly string[]) => toolwright(["runs", ...args, "--root", root]);
  expect((await runs("reject", id, "2", "--reason", "not this")).code).toBe(0);
  expect((await runs("approve", id, "99", "99")).stderr).toContain(`the call 99 of ${id} does not wait for approval`);
  expect((await runs("approve", id, "1", "10", "3", "3")).stdout).toBe(
    `approved: 1, 3, 10. 8 calls still wait for a person: toolwright runs show ${id}\n`,
  );
  const shown = (await runs("show", id)).stdout;
  const when = "\\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d:\\d\\d";
  expect(shown).toMatch(
    new RegExp(`\\n  2 rejected: vault.add_note .*\\n    by the command line, ${when}: not this\\n`),
  );
  expect(shown).toMatch(new RegExp(`\\n  3 approved: vault.add_note .*\\n    by the command line, ${when}\\n`));
  const { run } = JSON.parse((await runs("show", id, "--json")).stdout);
  const at = expect.stringMatching(/^20\d\d-/);
  expect(run.approvals[1]).toMatchObject({ status: "rejected", decided_by: "the command line", decided_at: at });
  const state = await openState({ url: "", root });
  await state.transaction("write", (tx) =>
    queries(tx).updateTable("approvals").set({ expires_at: LONG_AGO }).execute(),
  );
  await state.close();
  expect((await runs("show", id)).stdout).toMatch(/\n {2}4 expired: vault\.add_note/);
  expect(JSON.parse((await runs("show", id, "--json")).stdout).run.approvals[3]).toMatchObject({ status: "expired" });
  expect((await runs("approve", id)).stderr).toContain(`no call of ${id} waits for approval`);
  expect((await runs("stop", id)).code).toBe(0);
  const ended = JSON.parse((await runs("show", id, "--json")).stdout).run;
  expect(ended.approvals[2]).toMatchObject({ status: "approved", made: false });
  expect((await runs("show", id)).stdout).toMatch(/\n {2}3 approved, and not made: vault\.add_note/);
});

test("a preview prints the plan of a program, and sends nothing", { timeout: SLOW, tags: "slow" }, async () => {
  const { api, cli } = await payments(() => 0);
  const code = "paid = api.pay(n=1)\napi.pay(n=2)";
  const { code: exit, ok, text, plan } = await cli("run", "-c", code, "--preview", "--allow-write");
  expect([exit, ok]).toEqual([0, true]);
  expect(text).toMatch(/^Plan: 2 writes and 0 reads, assumed\. Nothing was changed\.\n1\. call 1: api\.pay \{"n":1\}/);
  expect(plan).toMatchObject({ exactness: "assumed", entries: [{ args: { n: 1 } }, { args: { n: 2 } }] });
  expect(api.seen).toEqual([]);
  expect(await cli("runs", "list")).toMatchObject({ runs: [] });
});

test("a program waits with its plan, which is shown and approved on the command line", {
  tags: "full",
  timeout: SLOW,
}, async () => {
  const rules = 'expose: { run_preview: writes }\napprove: [{ ops: ["api.pay"] }]\n';
  const { api, root, cli } = await payments(() => 0, rules);
  const server = await serve(root, ["--allow-write"]);
  const command = "for n in range(1, 4): api.pay(n=n)\n'paid'";
  const { content } = await server.client.callTool({ name: "run", arguments: { command } }, { timeout: SLOW });
  expect(content).toMatchObject([{ text: expect.stringMatching(/^Paused run_\w+: its plan waits for approval/) }]);
  kill(server);
  const [{ id }] = (await cli("runs", "list")).runs;
  const { run } = await cli("runs", "show", id);
  expect(run.approvals).toMatchObject([{ call: "0", op: "plan", args: { writes: 3 }, status: "waiting" }]);
  expect(run.plan.entries.map(({ args }: { args: unknown }) => args)).toEqual([{ n: 1 }, { n: 2 }, { n: 3 }]);
  const { stdout } = await toolwright(["runs", "show", id, "--root", root]);
  expect(stdout).toMatch(/0 waiting: the plan below\nPlan: 3 writes and 0 reads, assumed/);
  expect(await cli("runs", "approve", id)).toMatchObject({ code: 0, approved: ["0"] });
  expect(await cli("runs", "resume", id)).toMatchObject({ code: 0, text: "paid" });
  expect(api.seen.map(({ body }) => body.toString())).toEqual(['{"n":1}', '{"n":2}', '{"n":3}']);
});
