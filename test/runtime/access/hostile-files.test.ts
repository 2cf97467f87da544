/** A pipe or other special file in `.onetool/` in place of a regular one must not block the server. */

import { execFileSync } from "node:child_process";
import { mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type HttpServed, LIST, raw, serveHttp } from "../../support/http.js";
import { keysOf } from "../../support/keys.js";
import { CHECKOUT, generatedRoot, temporaryFolder, toolwright } from "../../support/project.js";

const SLOW = 120_000;
const DEMO = join(CHECKOUT, "test/support/demos/access-demo/definitions");
const cleaning: (() => unknown)[] = [];
const later = (clean: () => unknown): void => void cleaning.push(clean);
let root: string;
let server: HttpServed;
let key: string;

beforeAll(async () => {
  root = await generatedRoot(DEMO, later);
  const keys = keysOf(root);
  key = (await keys.create({ name: "a", scope: "admin" }, "local")).key;
  await keys.close();
  server = await serveHttp(root, [], async (clean) => later(clean));
}, SLOW);
afterAll(async () => {
  for (const clean of cleaning.reverse()) await clean();
});

const pipe = (path: string): void => void execFileSync("mkfifo", ["-m", "600", path]);
const inHome = (name: string): string => join(root, ".onetool", name);
const list = async (): Promise<number> =>
  (await raw(server.url, { body: LIST, headers: { authorization: `Bearer ${key}` } })).status;

test("a pipe in place of the keys is an outage, and over when they are back", { timeout: SLOW }, async () => {
  expect(await list()).toBe(200);
  renameSync(inHome("keys"), inHome("away"));
  pipe(inHome("keys"));
  expect(await list()).toBe(503);
  rmSync(inHome("keys"));
  renameSync(inHome("away"), inHome("keys"));
  expect(await list()).toBe(200);
});

/** A root that has a file of definitions alone, and its `.onetool/`. */
function bareRoot(definitions: string): string {
  const own = temporaryFolder();
  for (const folder of ["definitions", ".onetool"]) mkdirSync(join(own, folder), { mode: 0o700 });
  writeFileSync(join(own, "definitions", "toolwright.yaml"), definitions);
  return own;
}

test("a pipe in place of the lock of the keys: no key is made, and the reason is reported", {
  timeout: SLOW,
}, async () => {
  const own = bareRoot("sources: []\n");
  pipe(join(own, ".onetool", "keys.lock"));
  const ran = await toolwright(["keys", "create", "--name", "a", "--scope", "read", "--root", own]);
  expect(ran).toMatchObject({ code: 2, stdout: "", stderr: expect.stringContaining("remove .onetool/keys.lock") });
});

test("a pipe in place of the secrets: calls that need one report it, and all others work", {
  timeout: SLOW,
}, async () => {
  // biome-ignore lint/suspicious/noTemplateCurlyInString: a variable of the configuration.
  const own = bareRoot("sources: []\nservers: { far: { command: node, env: { TOKEN: '${SOME_ABSENT_TOKEN}' } } }\n");
  pipe(join(own, ".onetool", "secrets.yaml"));
  const ran = await toolwright(["doctor", "--json", "--root", own]);
  expect(JSON.stringify(JSON.parse(ran.stdout))).toContain("secrets.yaml is no file");
});
