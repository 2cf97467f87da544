/** The steps of the workflow of CI that propose what was learned. */

import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openState } from "../../../runtime/state/open.js";
import { serverSecret } from "../../../runtime/state/sealing-key.js";
import { checkedRepository, workflowStep } from "../../../test/support/check-workflow.js";
import { type Json, temporaryFolder } from "../../../test/support/project.js";
import { hashingWith } from "../hashing.js";
import { summaryOf } from "../learner.js";
import { addSummaries } from "../store.js";
import { addWords } from "../words/word-rows.js";

test("what calls have shown becomes a pull request, and no second one while nothing changes", {
  tags: "full",
  timeout: 120_000,
}, async () => {
  const { root, run } = await checkedRepository();
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
      `export TOOLWRIGHT_STATE= BRANCH=toolwright/learned PATH="${bin}:$PATH"\n${workflowStep("calls have shown", "learn")}\n${workflowStep("Propose", "learn")}`,
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
