/** The steps of `.github/workflows/toolwright.yml`, run by bash in a real repository. */

import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { parse } from "yaml";
import { CHECKOUT, type Json, temporaryFolder, toolwright } from "./project.js";

export const checkWorkflow: Json = parse(readFileSync(join(CHECKOUT, ".github/workflows/toolwright.yml"), "utf8"));

/** The command of a step of a job of the workflow, by a word of its name. */
export function workflowStep(word: string, job = "check"): string {
  const found = checkWorkflow.jobs[job].steps.find((one: Json) => one.name?.includes(word) && one.run);
  if (!found) throw new Error(`no step whose name holds ${word}`);
  return found.run;
}

export const serverTool = (name: string, properties: object, required: readonly string[] = []): object => ({
  name,
  description: `Do ${name}.`,
  inputSchema: { type: "object", properties, required },
});

/** A repository with a server's snapshot, generated and committed; `origin/main` is its first commit. */
export async function checkedRepository(): Promise<{
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
  change([
    serverTool("list_orders", { state: { type: "string" } }),
    serverTool("get_order", { id: { type: "string" } }, ["id"]),
  ]);
  await generate();
  git("init", "--quiet", "--initial-branch=main");
  git("add", "--all");
  git("commit", "--quiet", "--message", "base");
  git("update-ref", "refs/remotes/origin/main", "HEAD");
  return { root, run, change, generate };
}
