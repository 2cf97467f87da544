/**
 * The CI check of a schema change: the steps of `.github/workflows/toolwright.yml`, run by bash in a real repository with
 * one commit on the base branch and one that proposes a change.
 */

import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { hashingWith } from "../../runtime/learned/hashing.js";
import { summaryOf } from "../../runtime/learned/learner.js";
import { addSummaries } from "../../runtime/learned/store.js";
import { addWords } from "../../runtime/learned/words/word-rows.js";
import { openState } from "../../runtime/state/open.js";
import { serverSecret } from "../../runtime/state/sealing-key.js";
import { CHECKOUT, type Json, temporaryFolder, toolwright } from "../support/project.js";

const workflow: Json = parse(readFileSync(join(CHECKOUT, ".github/workflows/toolwright.yml"), "utf8"));

/** The command of a step of a job, by a word of its name. */
function step(word: string, job = "check"): string {
  const found = workflow.jobs[job].steps.find((one: Json) => one.name?.includes(word) && one.run);
  if (!found) throw new Error(`no step whose name holds ${word}`);
  return found.run;
}

const tool = (name: string, properties: object, required: readonly string[] = []): object => ({
  name,
  description: `Do ${name}.`,
  inputSchema: { type: "object", properties, required },
});

/** A repository with a server's snapshot, generated and committed; `origin/main` is its first commit. */
async function repository(): Promise<{
  readonly root: string;
  readonly run: (command: string) => Json;
  readonly change: (tools: object) => void;
  readonly generate: () => Promise<void>;
}> {
  const root = temporaryFolder();
  const git = (...args: readonly string[]): string =>
    execFileSync("git", ["-c", "user.name=t", "-c", "user.email=t@example.com", ...args], {
      cwd: root,
      encoding: "utf8",
    });
  const change = (tools: object): void =>
    writeFileSync(join(root, "definitions/servers/shop.json"), JSON.stringify({ tools }));
  const run = (command: string): Json => {
    const env = { ...process.env, BASELINE: "origin/main", GITHUB_ACTIONS: "true" };
    const { status, stdout, stderr } = spawnSync("bash", ["-e", "-o", "pipefail", "-c", command], {
      cwd: root,
      env,
      encoding: "utf8",
    });
    return { status, stdout, stderr };
  };
  const generate = async (): Promise<void> => {
    const { code, stderr } = await toolwright(["generate"], { cwd: root });
    expect(code, stderr).toBe(0);
  };
  mkdirSync(join(root, "definitions/servers"), { recursive: true });
  writeFileSync(
    join(root, "definitions/toolwright.yaml"),
    "sources: [{ mcp: servers/*.json }]\nlearn: { words: on }\n",
  );
  const scripts = { toolwright: `node ${JSON.stringify(join(CHECKOUT, "generator/launch.mjs"))}` };
  writeFileSync(join(root, "package.json"), JSON.stringify({ name: "shop", private: true, scripts }));
  writeFileSync(join(root, ".gitignore"), ".onetool/\n");
  change([tool("list_orders", { state: { type: "string" } }), tool("get_order", { id: { type: "string" } }, ["id"])]);
  await generate();
  git("init", "--quiet", "--initial-branch=main");
  git("add", "--all");
  git("commit", "--quiet", "--message", "base");
  git("update-ref", "refs/remotes/origin/main", "HEAD");
  return { root, run, change, generate };
}

describe("a change of schema in CI", () => {
  test("[GEN-3.2] unchanged passes; not regenerated is drift; regenerated and breaking is named where it stands; compatible passes", {
    timeout: 120_000,
  }, async () => {
    const { run, change, generate } = await repository();
    expect([run(step("Drift")).status, run(step("breaks callers")).status]).toEqual([0, 0]);

    change([
      tool("list_orders", { state: { type: "string" } }),
      tool("get_order", { id: { type: "string" }, region: { type: "string" } }, ["id", "region"]),
    ]);
    const drifted = run(step("Drift"));
    expect(drifted.status).toBe(1);
    expect(drifted.stdout).toMatch(/stale\s+generated\/registry\.json/);
    expect(drifted.stdout).toContain("::error title=generated-drift::run");

    await generate();
    expect(run(step("Drift")).status).toBe(0);
    const broken = run(step("breaks callers"));
    expect(broken.status).toBe(1);
    expect(broken.stdout).toMatch(
      /^::error file=definitions\/servers\/shop\.json,line=[1-9]\d*,col=[1-9]\d*,.*title=arg-required-added::shop\.get_order: .*region/m,
    );
    const sarif = run(`${step("code scanning")} && cat breaking.sarif`);
    expect(sarif.status).toBe(0);
    expect(JSON.parse(sarif.stdout).runs[0].results.map((one: Json) => one.ruleId)).toContain("arg-required-added");

    change([
      tool("list_orders", { state: { type: "string" }, limit: { type: "integer" } }),
      tool("get_order", { id: { type: "string" } }, ["id"]),
    ]);
    await generate();
    const compatible = run(step("breaks callers"));
    expect([compatible.status, compatible.stdout.includes("::error")]).toEqual([0, false]);
  });

  test("[GEN-3.2] a file that is missing or left over is drift, an own warning fails, one of a server is counted, and a removed tool is named as breaking", {
    timeout: 120_000,
    tags: "slow",
  }, async () => {
    const { root, run, change, generate } = await repository();
    rmSync(join(root, "generated/stubs.pyi"));
    const missing = run(step("Drift"));
    expect([missing.status, missing.stdout]).toEqual([1, expect.stringMatching(/missing\s+generated\/stubs\.pyi/)]);

    await generate();
    cpSync(join(root, "generated/types.ts"), join(root, "generated/old.ts"));
    const orphaned = run(step("Drift"));
    expect([orphaned.status, orphaned.stdout]).toEqual([1, expect.stringMatching(/orphaned\s+generated\/old\.ts/)]);
    rmSync(join(root, "generated/old.ts"));

    const listed = tool("list_orders", { state: { type: "string" } });
    change([listed]);
    await generate();
    const removed = run(step("breaks callers"));
    expect([removed.status, removed.stdout]).toEqual([
      1,
      expect.stringMatching(/^::error .*title=tool-removed::shop\.get_order: /m),
    ]);

    change([listed, { name: "broken", inputSchema: { type: "dict" } }]);
    await generate();
    const foreign = run(step("Drift"));
    expect([foreign.status, foreign.stderr]).toEqual([
      0,
      expect.stringMatching(
        /warning schema-invalid[\s\S]*\n1 warning about definitions that this project does not write is not counted by --strict \(schema-invalid 1\); /,
      ),
    ]);
    const own = { type: "function", function: { name: "list_things", description: "" } };
    writeFileSync(join(root, "definitions/own.json"), JSON.stringify([own]));
    const sources = "sources: [{ mcp: servers/*.json }, { chat-tools: own.json }]\n";
    writeFileSync(join(root, "definitions/toolwright.yaml"), `${sources}learn: { words: on }\n`);
    await generate();
    const warned = run(step("Drift"));
    expect([warned.status, warned.stderr]).toEqual([2, expect.stringContaining("warning description-missing")]);
    writeFileSync(
      join(root, "definitions/toolwright.yaml"),
      `${sources}learn: { words: on }\ndiagnostics: { description-missing: off, schema-invalid: error }\n`,
    );
    const raised = run(step("Drift"));
    expect([raised.status, raised.stderr]).toEqual([2, expect.stringMatching(/^\S+ error schema-invalid /)]);
  });

  test("what calls have shown becomes a pull request, and no second one while nothing changes", {
    tags: "full",
    timeout: 120_000,
  }, async () => {
    const { root, run } = await repository();
    const registry: Json = JSON.parse(readFileSync(join(root, "generated/registry.json"), "utf8"));
    const tool = registry.tools.find(({ tool_name }: Json) => tool_name === "get_order");
    const hashing = hashingWith("test");
    const calls = Array.from({ length: 12 }, (_, id) => {
      const call = { tool, args: { id: String(id) }, result: { total: id }, caller: `caller${id}` };
      return { op: tool.op, digest: tool.digest.input, summary: summaryOf(call, hashing, 0) };
    });
    const state = await openState({ url: "", root });
    await state.transaction("write", (tx) => addSummaries(tx, calls, 0, hashing.nameOf));
    const words = new Map([["w", "purchase"]]);
    const day = new Date().toISOString().slice(0, "2026-11-22".length);
    for (const caller of ["a", "b", "a"])
      await state.transaction("write", (tx) => addWords(tx, { op: tool.op, caller, words, day }));
    await serverSecret(state, "learning");
    await state.close();
    // A remote, and a command in the place of GitHub's that keeps what it is told.
    const bin = join(root, ".onetool/bin");
    mkdirSync(bin);
    writeFileSync(join(bin, "gh"), '#!/bin/sh\necho "$@" >> "$(dirname "$0")/asked.txt"\n', { mode: 0o755 }); // no pull request is open
    const remote = join(temporaryFolder(), "remote.git");
    expect(run(`git init --quiet --bare ${remote} && git remote add origin ${remote}`).status).toBe(0);
    const night = (): Json =>
      run(
        `export TOOLWRIGHT_STATE= BRANCH=toolwright/learned PATH="${bin}:$PATH"\n${step("calls have shown", "learn")}\n${step("Propose", "learn")}`,
      );
    const first = night();
    expect(first.status, first.stderr).toBe(0);
    expect(run("git show --stat --format=%s toolwright/learned").stdout).toMatch(
      /Types of results[\s\S]*definitions\/learned\/shop\.json[\s\S]*definitions\/learned\/shop\.words\.json/,
    );
    expect(run(`git -C ${remote} branch --list`).stdout).toContain("toolwright/learned");
    cpSync(join(root, "learned.txt"), join(root, "first.txt"));
    expect(run("git merge --quiet toolwright/learned").status).toBe(0);
    expect(night().status).toBe(0);
    expect(readFileSync(join(bin, "asked.txt"), "utf8")).toBe(
      [
        "pr list --head toolwright/learned --state open --json number --jq .[].number\n",
        "pr create --head toolwright/learned --title Types and words were learned --body-file learned.md\n",
      ].join(""),
    );
    expect(readFileSync(join(root, "learned.txt"), "utf8")).toContain("hint    from 10+ calls  unchanged");
    expect(readFileSync(join(root, "first.txt"), "utf8")).toContain("words  new: purchase (3+)\n  purchase: found ");
  });

  test("every command of the workflow is one that the command line knows", () => {
    const commands = JSON.stringify(workflow).matchAll(/toolwright -- ([a-z]+)/g);
    const help = execFileSync("node", [join(CHECKOUT, "generator/launch.mjs"), "--help"], { encoding: "utf8" });
    const known = [...commands].map(([, command]) => command);
    expect(known.length).toBeGreaterThan(5);
    for (const command of known) expect(help).toMatch(new RegExp(`^ {2}${command}\\b`, "m"));
  });

  test("nothing that a stranger may write is put into a command", () => {
    const commands = Object.values(workflow.jobs).flatMap((job: Json) =>
      job.steps.flatMap((one: Json) => one.run ?? []),
    );
    for (const command of commands) expect(command).not.toContain("${{");
  });
});
