/** Removal of secrets from texts, and the lines of the log. */

import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openLog } from "../../../runtime/config/log.js";
import { scrub } from "../../../runtime/contract/scrub.js";

const KEY = `oub_abcdefghij_${"aB3_-".repeat(8)}xyz`;

test.each([
  [`key ${KEY} end`, "key oub_abcdefghij_*** end"],
  ["Authorization: Bearer abcdefghijkl.mnop", "Authorization: *** ***"],
  ["token sk-abcdefghijklmnop1234", "token ***"],
  ["postgres://user:hunter2@db/x", "postgres://***@db/x"],
  ['{"password":"hunter2","a":1}', '{"password":"***","a":1}'],
  ['{"msg":"{\\"api_key\\":\\"hunter2\\"}"}', '{"msg":"{\\"api_key\\":\\"***\\"}"}'],
  [`{"msg":"a\\n${KEY}\\nb"}`, '{"msg":"a\\noub_abcdefghij_***\\nb"}'],
  [`MY_${KEY}`, "MY_oub_abcdefghij_***"],
  ['{"msg":"a\\nsk-abcdefghijklmnop1234\\tBearer abcdefghijkl"}', '{"msg":"a\\n***\\tBearer ***"}'],
  ["https://example.com/a:b?c=d", "https://example.com/a:b?c=d"],
  ["task_1 is not a task id", "task_1 is not a task id"],
])("scrub %j", (text, clean) => {
  expect(scrub(text)).toBe(clean);
});

test.each([
  ["eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abc-_d", "***"],
  ["x-eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abc-_d", "x-***"],
  ["see eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0. and on", "see *** and on"],
  ["eyJhbGciOiJIUzI1NiJ9.short.x", "eyJhbGciOiJIUzI1NiJ9.short.x"],
])("scrub the token %j", (text, clean) => {
  expect(scrub(text)).toBe(clean);
});

test.each(["x", "a.", "eyJ-", "eyJ-.", "://", "://a:", "Bearer ", "password ", "password=", "sk-", " ", "oub_"])(
  "the time that scrub takes grows with the text, not with its square: %j over and over",
  { tags: "slow" },
  (part) => {
    const started = performance.now();
    scrub(part.repeat(1_000_000 / part.length));
    expect(performance.now() - started).toBeLessThan(10_000);
  },
);

test("known secrets of any form are removed; very short ones would remove half the text", () => {
  expect(scrub("the value is plainvalue, a", ["plainvalue", "a"])).toBe("the value is ***, a");
});

test("the log is JSON lines, scrubbed, and only of its level", async () => {
  const folder = await mkdtemp(join(tmpdir(), "gateway-log-"));
  const file = join(folder, "deep", "log");
  const log = await openLog({ level: "info", file: "deep/log" }, folder);
  log.debug("not this");
  log.info("hello", { trace_id: "tr_1", error: `bad ${KEY}` });
  log.error("password=hunter22");
  const lines = (await readFile(file, "utf8"))
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as object);
  expect(lines).toMatchObject([
    { msg: "hello", trace_id: "tr_1", error: "bad oub_abcdefghij_***" },
    { msg: "password=***" },
  ]);
  await rm(folder, { recursive: true });
});

test.runIf(process.platform === "linux")("a log on a full disk loses its lines, and throws nothing", async () => {
  const log = await openLog({ level: "info", file: "/dev/full" }, tmpdir());
  const lines = Array.from({ length: 2000 }, (_, i) => `${i} ${"x".repeat(1000)}`);
  expect(() => lines.map((line) => log.warn(line))).not.toThrow();
});
