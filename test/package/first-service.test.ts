/**
 * The first day of who serves others, with the packed package and the words of the documentation, in a folder whose name must be quoted: keys, PostgreSQL, approvals, sign-in.
 *
 * @module-tag full
 */

import { spawn } from "node:child_process";
import { existsSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { commandsOf } from "../support/doc-blocks.js";
import { pageText } from "../support/doc-pages.js";
import { freePort } from "../support/ports.js";
import { CHECKOUT } from "../support/project.js";
import { NO_DATABASE, startSharedDatabase } from "../support/shared-database.js";
import { blocksBelow, commandsBelow, type Newcomer, newcomers } from "./newcomer.js";

const SLOW = { timeout: 600_000, tags: "full" };
const newcomer = newcomers();

/** A project with the example that `init` writes. */
async function exampleProject(): Promise<Newcomer> {
  const me = newcomer();
  await me.ok("npm exec --no -- toolwright init --yes");
  return me;
}

/** Calls an op of the example over HTTP. */
const greet = (url: string, token?: string): Promise<Response> =>
  fetch(new URL("/api/exec", url), {
    method: "POST",
    headers: { "content-type": "application/json", ...(token && { authorization: `Bearer ${token}` }) },
    body: JSON.stringify({ op: "demo.get_greeting", args: { name: "Ann" } }),
  });

/** A text without ids of keys and times, since each run has others. */
const masked = (text: string): string => text.replace(ID, "‹id›").replace(/\d{4}-\d\d-\d\d \d\d:\d\d/g, "‹time›");
const ID = /\b[a-z2-7]{10}\b/g;

test("keys", SLOW, async () => {
  const me = await exampleProject();
  const commands = blocksBelow("docs/deploying.md", "## API keys")
    .filter(({ language }) => language === "console")
    .flatMap(commandsOf);
  expect(commands.length).toBeGreaterThan(5);
  const ids = new Map<string, string>();
  for (const { line, output } of commands) {
    const said = await me.ok([...ids].reduce((text, [old, id]) => text.replaceAll(old, id), line));
    for (const [at, id] of (output.match(ID) ?? []).entries()) ids.set(id, said.match(ID)?.[at] ?? "");
    expect(masked(said), line).toBe(masked(output));
  }
  const { url } = await me.serve("toolwright serve --http 0");
  expect((await greet(url)).status).toBe(401);
  const key = readFileSync(join(me.root, "ci-2.key"), "utf8").trim();
  expect(await (await greet(url, key)).json()).toMatchObject({ ok: true });
});

test("approvals", SLOW, async () => {
  const me = newcomer();
  me.write(
    "definitions/notes.ts",
    `import { appendFileSync } from "node:fs";
/** Adds a note. @kind write */
export function add_note(text: string): string { appendFileSync("notes.txt", text + "\\n"); return text; }\n`,
  );
  me.write("definitions/toolwright.yaml", "sources: [{ functions: notes.ts }]\napprove: [{ ops: [notes.add_note] }]\n");
  await me.ok("toolwright generate");
  const paused = await me.type(`toolwright run --allow-write -c 'notes.add_note(text="once")'`);
  expect(paused.text).toMatch(/^Paused run_\w+: 1 call waits for approval/);
  const shown = commandsBelow("docs/approvals.md", "## 4. The program pauses");
  const decide = shown.filter((line) => /^run=|^toolwright runs/.test(line));
  expect(decide.map((line) => line.split(" ").slice(0, 3).join(" "))).toEqual([
    "run=$(toolwright runs list",
    "toolwright runs show",
    "toolwright runs approve",
  ]);
  expect(existsSync(join(me.root, "notes.txt"))).toBe(false);
  const said = await me.ok(`${decide.join("\n")}\ntoolwright runs resume $run`);
  expect(said).toMatch(/waiting: notes\.add_note {"text":"once"}[\s\S]*\napproved: 1\.[\s\S]*\nonce\n$/);
  expect(readFileSync(join(me.root, "notes.txt"), "utf8")).toBe("once\n");
});

test.skipIf(NO_DATABASE !== "")(`PostgreSQL ${NO_DATABASE}`, SLOW, async () => {
  expect(pageText("docs/deploying.md")).toContain(
    "PostgreSQL: `--state postgres://…`, `state` in `toolwright.yaml` or `TOOLWRIGHT_STATE`.",
  );
  const { href } = await startSharedDatabase((clean) => onTestFinished(clean));
  const me = await exampleProject();
  me.env["STATE"] = href;
  await me.ok('toolwright keys create --name ci --scope read --out ci.key --state "$STATE"');
  const [first, second] = [
    await me.serve('toolwright serve --http 0 --state "$STATE"'),
    await me.serve('env TOOLWRIGHT_STATE="$STATE" toolwright serve --http 0'),
  ];
  const key = readFileSync(join(me.root, "ci.key"), "utf8").trim();
  for (const { url } of [first, second]) {
    expect((await greet(url)).status).toBe(401);
    expect(await (await greet(url, key)).json()).toMatchObject({ ok: true });
  }
  expect(await (await fetch(new URL("/readyz?verbose", first.url))).text()).toMatch(/"replicas": *2/);
  expect(await me.ok('TOOLWRIGHT_STATE="$STATE" toolwright doctor')).toMatch(
    /^ok +database +PostgreSQL$[\s\S]*^ok +replicas +2 servers/m,
  );
  expect(existsSync(join(me.root, ".onetool/state.db"))).toBe(false);
});

test("sign-in", SLOW, async () => {
  const me = await exampleProject();
  const [port, issuer] = [await freePort(), await freePort()];
  const here = (text: string): string => text.replaceAll("8080", String(port)).replaceAll("9000", String(issuer));
  const page = "docs/identity-provider.md";
  const block = (heading: string, language: string): string =>
    here(blocksBelow(page, heading).find((one) => one.language === language)?.text ?? "");
  // The page has it installed by npm.
  symlinkSync(join(CHECKOUT, "node_modules/oidc-provider"), join(me.root, "node_modules/oidc-provider"));
  me.write("provider.mjs", block("## 2. A stand-in", "js"));
  const provider = spawn("node", ["provider.mjs"], { cwd: me.root, stdio: "ignore" });
  onTestFinished(() => void provider.kill("SIGKILL"));
  const metadata = `http://127.0.0.1:${issuer}/.well-known/openid-configuration`;
  await vi.waitFor(async () => expect((await fetch(metadata)).ok).toBe(true), { timeout: 120_000, interval: 200 });

  const config = readFileSync(join(me.root, "definitions/toolwright.yaml"), "utf8");
  me.write("definitions/toolwright.yaml", config + block("## 3. toolwright", "yaml"));
  const lines = block("## 3. toolwright", "sh").trim().split("\n");
  const serve = lines.pop() ?? "";
  await me.ok(lines.join(" && "));
  const { url } = await me.serve(serve);
  expect(await me.ok("toolwright doctor")).toContain(`the redirect URI http://127.0.0.1:${port}/api/login/callback`);
  expect((await greet(url)).status).toBe(401);
  const answer = JSON.parse(await me.ok(block("## 6. A machine", "sh")));
  me.write("token", answer.access_token);
  const [check = ""] = /toolwright config check-token < token/.exec(pageText(page)) ?? [];
  expect(await me.ok(check)).toContain("read: projects all");
  expect(await (await greet(url, answer.access_token)).json()).toMatchObject({ ok: true });
});
