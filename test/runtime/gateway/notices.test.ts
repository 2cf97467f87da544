/** People are told of calls that wait for them: in the file of a topic, and by a webhook. */

import { createHmac } from "node:crypto";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { parseAllDocuments } from "yaml";
import { silentLog } from "../../../runtime/config/log.js";
import { webhookOf } from "../../../runtime/config/notice-settings.js";
import type { WrittenConfig } from "../../../runtime/contract/settings/project-settings.js";
import { tellInJobs } from "../../../runtime/gateway/notices.js";
import { waitingCalls } from "../../../runtime/run/kept/waiting-calls.js";
import { listJobs } from "../../../runtime/state/job-table.js";
import { createJobs, type Jobs } from "../../../runtime/state/jobs.js";
import { startApi } from "../../support/http-api.js";
import { DELETE, onBoth, SLOW } from "../run/kept/databases.js";

const SECRET = "a-secret-of-the-webhook-receiver";
const GATHER = `import asyncio
await asyncio.gather(*[onto.task.delete(task_id=f"task_{n}") for n in (1, 2)])`;

onBoth((at) => {
  const ending: (() => unknown)[] = [];
  afterEach(async () => {
    for (const end of ending.splice(0)) await end();
  });

  /** A server that tells a webhook and a topic. */
  async function telling(url: string, allowPrivate: readonly string[] = []) {
    const root = await mkdtemp(join(tmpdir(), "notices-"));
    const topics = [{ pattern: "approvals:*", file: "notes/approvals.yaml" }];
    const settings = { topics, webhook: { url: new URL(url), secret: SECRET } };
    const { http, web } = at.server().gateway.settings;
    const publicUrl = new URL("https://tools.example.com");
    const jobs: Jobs = createJobs({ log: silentLog, backoff: { firstMs: 10, longestMs: 20 } });
    ending.push(
      () => jobs.stop(),
      () => rm(root, { recursive: true }),
    );
    const told = { ...settings, web: { ...web, allowPrivate }, http: { ...http, publicUrl } };
    tellInJobs({ jobs, clock: () => at.now.at, root, settings: told });
    jobs.use(at.state);
    const file = () => readFile(join(root, "notes", "approvals.yaml"), "utf8").catch(() => "");
    return { settings, file };
  }

  test("one signed message names all calls that wait, and none of their arguments", { timeout: SLOW }, async () => {
    let isOpen = false;
    const api = await startApi({
      "/hook": (_, response) => {
        response.statusCode = isOpen ? 204 : 500;
        response.end();
      },
    });
    const { settings, file } = await telling(`${api.origin}/hook`);
    const { id } = await at.paused(GATHER, { settings });
    await expect.poll(() => api.seen.length, { timeout: SLOW }).toBeGreaterThan(0);
    // A busy machine may pause before both are made: the other follows.
    const waiting = async () => (await waitingCalls(at.state, at.now.at, { run: id })).length;
    await expect
      .poll(async () => (await waiting()) === 2 || (await at.resumed(id, { settings }), waiting()), { timeout: SLOW })
      .toBe(true);
    isOpen = true;
    const tells = async () => (await listJobs(at.state)).jobs.filter(({ kind }) => kind.startsWith("tell"));
    await expect.poll(tells, { timeout: SLOW }).toEqual([]);
    const messages = api.seen.map(({ headers, body }) => ({ headers, body: body.toString() }));
    const [refused, taken] = [messages[0], messages.at(-1)];
    const {
      "webhook-id": messageId,
      "webhook-timestamp": seconds,
      "webhook-signature": signature,
    } = taken?.headers ?? {};
    const signed = createHmac("sha256", SECRET).update(`${messageId}.${seconds}.${taken?.body}`).digest("base64");
    expect(signature).toBe(`v1,${signed}`);
    expect(refused?.headers["webhook-id"]).toBe(messageId);
    const { type, data } = JSON.parse(taken?.body ?? "");
    expect({ type, ...data }).toMatchObject({
      type: "run.paused",
      run: id,
      caller: "local",
      page: `https://tools.example.com/#/approvals/${id}`,
    });
    expect(data.waiting).toMatchObject(
      ["1", "2"].map((call) => ({
        call,
        kind: "approval",
        op: "onto.task.delete",
        rule: "approve[0]",
        by: ["console", "cli"],
      })),
    );
    expect(taken?.body).not.toContain("task_1");
    await expect.poll(file, { timeout: SLOW }).toContain(id);
    const [message] = parseAllDocuments(await file()).map((one) => one.toJS());
    expect(message).toMatchObject({ topic: "approvals:waiting", run: id });
    expect(message.waiting[0]).toMatchObject({ call: "1", kind: "approval" });
    // To ask again tells nobody again.
    await at.resumed(id, { settings });
    expect(await tells()).toEqual([]);
  });

  test("a redirect is not followed, and what was decided meanwhile is not told", {
    tags: "full",
    timeout: SLOW,
  }, async () => {
    const other = await startApi({ "/": (_, response) => void response.end() });
    const api = await startApi({
      "/hook": (_, response) => void response.writeHead(307, { location: other.origin }).end(),
    });
    const { settings } = await telling(`${api.origin}/hook`);
    const { id } = await at.paused(DELETE, { settings });
    await expect.poll(() => api.seen.length, { timeout: SLOW }).toBeGreaterThan(1);
    await at.decidedOnly(id);
    const tells = async () => (await listJobs(at.state)).jobs.filter(({ kind }) => kind.startsWith("tell"));
    await expect.poll(tells, { timeout: SLOW }).toEqual([]);
    expect(other.seen).toEqual([]);
  });

  test("without a receiver no job is added", { tags: "full", timeout: SLOW }, async () => {
    await at.paused(DELETE);
    expect((await listJobs(at.state)).jobs).toEqual([]);
  });
});

describe("the configuration", () => {
  const refusal = (webhook: NonNullable<WrittenConfig["approvals"]>["webhook"], secret = SECRET): unknown => {
    if (!webhook) return undefined;
    try {
      return webhookOf({ webhook }, { webhook: { ...webhook, secret } }, "toolwright.yaml:1:1")?.url.href;
    } catch (error) {
      return String(error);
    }
  };
  const secret = `\${WEBHOOK_SECRET}`;
  test.each([
    ["https://hooks.example.com/a", secret, SECRET, /^https:\/\/hooks\.example\.com\/a$/],
    ["ftp://hooks.example.com/a", secret, SECRET, /url must be an http or https URL/],
    ["https://me:pw@hooks.example.com/a", secret, SECRET, /without a user name/],
    ["https://hooks.example.com/a", SECRET, SECRET, /must be the name of a secret/],
    ["https://hooks.example.com/a", secret, "short", /at least 24 characters/],
  ])("%s, secret %s", (url, given, expanded, expected) => {
    expect(refusal({ url, secret: given }, expanded)).toMatch(expected);
  });
});
