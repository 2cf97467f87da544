/** `toolwright snapshot` as a process: reads, writes, compares, and reports failures. */

import { spawn } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { stringify } from "yaml";
import type { ServerEntry } from "../../../runtime/contract/settings/entries.js";
import { CHECKOUT, type Json, ownOps, temporaryFolder, toolwright } from "../../support/project.js";
import { onTerminal } from "../../support/terminal.js";
import { guardedServer, listening, mcpRoute } from "../../support/upstream/http.js";
import { BROWSER, behaving, sdkServer } from "../../support/upstream/servers.js";

const tool = (name: string, description = `Get ${name}.`): Json => ({
  name,
  description,
  inputSchema: { type: "object", properties: { id: { type: "string" } } },
});

/** A project with these servers. */
function projectWith(servers: Readonly<Record<string, ServerEntry>>, rest: object = {}): string {
  const root = temporaryFolder();
  mkdirSync(join(root, "definitions"));
  configure(root, servers, rest);
  return root;
}

const configure = (root: string, servers: Readonly<Record<string, ServerEntry>>, rest: object = {}): void =>
  writeFileSync(
    join(root, "definitions", "toolwright.yaml"),
    stringify({ sources: [{ mcp: "servers/*.json" }], servers, ...rest }),
  );

const snapshotFile = (root: string, name: string): string => join(root, "definitions", "servers", `${name}.json`);
const readSnapshot = (root: string, name: string): Json => JSON.parse(readFileSync(snapshotFile(root, name), "utf8"));
const snapshot = (root: string, args: readonly string[] = [], env: NodeJS.ProcessEnv = {}) =>
  toolwright(["snapshot", "--root", root, ...args], { env });

describe("toolwright snapshot", () => {
  test("a snapshot that cannot be written costs that server only, and its place is named within the project", async () => {
    const root = projectWith({ good: behaving("tools", [tool("a")]) });
    mkdirSync(snapshotFile(root, "good"), { recursive: true });
    const { code, stdout } = await snapshot(root);
    expect([code, stdout]).toEqual([
      1,
      expect.stringMatching(/good {2}failed .*EISDIR.* 'definitions\/servers\/good\.json'/),
    ]);
    expect(stdout).not.toContain(root);
    expect(readdirSync(join(root, "definitions", "servers"))).toEqual(["good.json"]);
  });

  test("reads all at once, writes what answers, says of the rest why and what to do, and leaves the good alone", {
    tags: "full",
  }, async () => {
    const { origin } = await listening(mcpRoute([tool("page")]));
    const root = projectWith({
      good: behaving("tools", [tool("b"), tool("a")]),
      dead: behaving("dies", undefined, { env: { TOKEN: `\${TOKEN}` } }),
      unset: { command: "node", env: { K: `\${NOT_SET_ANYWHERE}` } },
      web: { url: `${origin}/mcp`, headers: { Authorization: `Bearer \${TOKEN}` } },
      off: { command: "no-such-command", enabled: false },
      "../../evil": { command: "node" },
    });
    const first = await snapshot(root, [], { TOKEN: "very-secret-token" });
    expect(first.code).toBe(1);
    expect(first.stdout).toContain("../../evil  failed     its name makes no file name");
    expect(first.stdout).toContain("dead        failed     it ended with exit code 3 before it had answered");
    expect(first.stdout).toContain("  stderr: no key ***");
    expect(first.stdout).toContain(
      "good        written    2 tools  definitions/servers/good.json  (the tools server 1.2.3)",
    );
    expect(first.stdout).toContain("unset       failed     NOT_SET_ANYWHERE is not set");
    expect(first.stdout).toContain("web         written    1 tool  definitions/servers/web.json");
    expect(first.stdout).not.toContain("off");
    expect(first.stdout + first.stderr).not.toContain("very-secret");
    expect(first.stdout + first.stderr).not.toContain("\u001b");
    expect(readdirSync(join(root, "definitions", "servers")).sort()).toEqual(["good.json", "web.json"]);
    expect(readSnapshot(root, "good")).toEqual({
      serverInfo: { name: "the tools server", version: "1.2.3" },
      protocolVersion: "2025-11-25",
      instructions: "Use with care.",
      tools: [tool("a"), tool("b")],
    });
    const long = new Date("2001-01-01");
    utimesSync(snapshotFile(root, "good"), long, long);
    const again = await snapshot(root, ["good"]);
    expect([again.code, again.stdout]).toEqual([
      0,
      "good  unchanged  2 tools  definitions/servers/good.json  (the tools server 1.2.3)\n",
    ]);
    expect(statSync(snapshotFile(root, "good")).mtime).toEqual(long);
  });

  test("generate, check and help work on what was written", { tags: "full" }, async () => {
    const root = projectWith({ letters: sdkServer("legacy") });
    expect((await snapshot(root)).code).toBe(0);
    expect((await toolwright(["generate", "--root", root])).stdout).toMatch(
      /^(\d+) ops in letters, ot, proj \(\1 read, 0 write\)/m,
    );
    expect(ownOps(root)).toEqual(["alpha", "bravo", "charlie", "delta", "echo"].map((name) => `letters.${name}`));
    expect((await toolwright(["check", "--root", root])).code).toBe(0);
    expect((await toolwright(["help", "letters.alpha", "--root", root])).stdout).toContain("letters.alpha");
  });

  test("--check: exit 0 where the meaning is the same, 1 with every tool that differs, and nothing is written", {
    tags: "full",
  }, async () => {
    const before = [tool("get_one"), tool("get_two"), tool("get_three")];
    const ops = { get_two: { op: "shop.second" }, get_three: { aliases: ["shop.third"] } };
    const root = projectWith({ shop: behaving("tools", before) }, { ops });
    expect((await snapshot(root)).code).toBe(0);
    const text = readFileSync(snapshotFile(root, "shop"), "utf8");

    configure(root, { shop: behaving("tools", [...before].reverse()) }, { ops });
    const same = await snapshot(root, ["--check"]);
    expect([same.code, same.stdout]).toEqual([0, expect.stringMatching(/^shop {2}matches {4}3 tools/)]);

    const after = [tool("get_one"), tool("get_two", "Something else."), tool("get_four")];
    configure(root, { shop: behaving("tools", after) }, { ops });
    const other = await snapshot(root, ["--check"]);
    expect(other.code).toBe(1);
    for (const [op, name] of [
      ["shop.second", "get_two"],
      ["shop.get_three", "get_three"],
      ["shop.get_four", "get_four"],
    ])
      expect(other.stdout, op).toMatch(new RegExp(`(error|warning|info) .*(${op}|${name})`));
    expect(other.stdout).not.toContain("get_one");
    const { servers } = JSON.parse((await snapshot(root, ["--check", "--json"])).stdout);
    expect(servers[0]).toMatchObject({ name: "shop", status: "differs", tools: 3 });
    const differing = new Set(servers[0].findings.map((one: Json) => one.op));
    expect(differing).toEqual(new Set(["shop.get_four", "shop.get_three", "shop.second"]));
    expect(readFileSync(snapshotFile(root, "shop"), "utf8")).toBe(text);
  });

  test("--check: instructions count, the server's version does not; a missing or broken snapshot differs", {
    tags: "full",
  }, async () => {
    const root = projectWith({ shop: behaving("tools", [tool("a")]) });
    const missing = await snapshot(root, ["--check"]);
    expect([missing.code, missing.stdout]).toEqual([
      1,
      expect.stringContaining("definitions/servers/shop.json is not there"),
    ]);
    expect(existsSync(snapshotFile(root, "shop"))).toBe(false);
    await snapshot(root);
    const found = readSnapshot(root, "shop");
    const put = (value: Json): void => writeFileSync(snapshotFile(root, "shop"), JSON.stringify(value));
    put({ ...found, serverInfo: { name: "x", version: "0" }, protocolVersion: "older" });
    expect((await snapshot(root, ["--check"])).code).toBe(0);
    put({ ...found, instructions: "Use freely." });
    const changed = await snapshot(root, ["--check"]);
    expect([changed.code, changed.stdout]).toEqual([1, expect.stringContaining("its instructions changed")]);
    put({
      ...found,
      tools: [{ ...tool("a"), inputSchema: { type: "object", properties: { text: { type: "string" } } } }],
    });
    configure(root, { shop: behaving("tools", [tool("a")]) }, { ops: { a: { arguments: { words: "text" } } } });
    expect((await snapshot(root, ["--check"])).stdout).toMatch(/does not build: .*argument-unmatched/);
    put([]);
    expect((await snapshot(root, ["--check"])).stdout).toContain("is no snapshot");
  });

  test("--json is one document, failures with code, remedy and last words", async () => {
    const root = projectWith({ dead: behaving("dies"), good: behaving("tools", []) });
    const { code, stdout, stderr } = await snapshot(root, ["--json"]);
    expect([code, stderr]).toEqual([1, ""]);
    expect(JSON.parse(stdout)).toEqual({
      ok: false,
      servers: [
        {
          name: "dead",
          status: "failed",
          error: {
            code: "UNAVAILABLE",
            message: "it ended with exit code 3 before it had answered",
            remedy: expect.any(String),
            stderr: ["starting", "no key undefined"],
          },
        },
        {
          name: "good",
          status: "written",
          file: "definitions/servers/good.json",
          tools: 0,
          server: { name: "the tools server", version: "1.2.3" },
        },
      ],
    });
  });

  test("wrong use ends with 2 and says what to do", { tags: "full" }, async () => {
    const none = await snapshot(projectWith({}));
    expect([none.code, none.stderr]).toEqual([2, expect.stringContaining("configures no servers: add one")]);
    const root = projectWith({ files: behaving("tools", []) });
    const typo = await snapshot(root, ["fils"]);
    expect([typo.code, typo.stderr]).toEqual([2, expect.stringMatching(/no server fils .*did you mean files\?/)]);
    expect((await snapshot(root, ["constructor"])).code).toBe(2);
    const elsewhere = projectWith({ files: behaving("tools", []) }, { log: { file: `\${LOG_FILE_NOT_SET}` } });
    expect((await snapshot(elsewhere)).stderr).toContain("LOG_FILE_NOT_SET");
  });

  test("a disabled server is read when it is named; a server without a source is reported", {
    tags: "full",
  }, async () => {
    const root = projectWith(
      { off: behaving("tools", [], { enabled: false }) },
      { sources: [{ mcp: "servers/other.json" }] },
    );
    expect((await snapshot(root)).stdout).toBe("Every server is disabled; name one to read it all the same.\n");
    const named = await snapshot(root, ["off"]);
    expect([named.code, named.stdout]).toEqual([
      0,
      expect.stringContaining("no entry of `sources` reads definitions/servers/off.json"),
    ]);
  });

  test("a folder that cannot be written costs the server, not the command", { tags: "full" }, async () => {
    const root = projectWith({ one: behaving("tools", []) });
    writeFileSync(join(root, "definitions", "servers"), "a file");
    const { code, stdout } = await snapshot(root);
    expect([code, stdout]).toEqual([1, expect.stringMatching(/^one {2}failed .*(EEXIST|ENOTDIR)/)]);
  });
});

describe.runIf(process.platform === "linux")("children", () => {
  /** A snapshot of a server that ignores SIGTERM, as soon as the server runs. */
  async function stubborn() {
    const pids = join(temporaryFolder(), "pids");
    const root = projectWith({ stubborn: behaving("stubborn", pids) });
    const launcher = join(CHECKOUT, "generator", "launch.mjs");
    const child = spawn(process.execPath, [launcher, "snapshot", "--root", root], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    let stdout = "";
    child.stdout.on("data", (chunk) => {
      stdout += chunk;
    });
    const ended = new Promise<number | null>((resolve) => child.once("close", resolve));
    await expect.poll(() => existsSync(pids) && readFileSync(pids, "utf8") !== "").toBe(true);
    const left = (): readonly string[] =>
      readFileSync(pids, "utf8")
        .split(" ")
        .filter((pid) => !isGone(pid));
    return { child, ended, left, said: () => stdout };
  }

  test.each(["SIGTERM", "SIGINT", "SIGHUP"] as const)(
    "on %s all of them end, although they ignore SIGTERM",
    { tags: "full" },
    async (signal) => {
      const { child, ended, left, said } = await stubborn();
      child.kill(signal);
      expect([await ended, said()]).toEqual([1, expect.stringContaining("it was stopped before it had answered")]);
      await expect.poll(left).toEqual([]);
    },
  );

  test("a second signal does not wait for them", async () => {
    const { child, ended, left, said } = await stubborn();
    child.kill("SIGINT");
    const until = setInterval(() => child.kill("SIGINT"), 50);
    const code = await ended;
    clearInterval(until);
    expect([code, said()]).toEqual([1, ""]);
    await expect.poll(left).toEqual([]);
  });
});

/** Gone, or ended and waiting for a parent that does not ask. */
const isGone = (pid: string): boolean =>
  !existsSync(`/proc/${pid}/stat`) || /^\d+ \(.*\) [ZX]/.test(readFileSync(`/proc/${pid}/stat`, "utf8"));

test("on a terminal: OAuth through the browser that BROWSER names, and progress", { tags: "full" }, async ({
  skip,
}) => {
  const { origin } = await guardedServer([tool("guarded")]);
  const root = projectWith({ secure: { url: `${origin}/mcp` } });
  const alone = await snapshot(root);
  expect([alone.code, alone.stdout]).toEqual([
    1,
    expect.stringContaining('run "toolwright snapshot secure" on a terminal'),
  ]);
  const ran = await onTerminal(["snapshot", "--root", root], { env: { BROWSER: `${process.execPath} ${BROWSER}` } });
  if (!ran) return skip("python3 is not there");
  expect(ran.text).toContain("secure asks for authorization. Open this address if no browser does:");
  expect(ran.text).toContain("reading secure …");
  expect([ran.code, readSnapshot(root, "secure").tools]).toEqual([0, [tool("guarded")]]);
  expect((await snapshot(root)).stdout).toMatch(/^secure {2}unchanged/);
});
