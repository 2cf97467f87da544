/** `toolwright init --ci`: what it writes works in the project as it is. Every step is run by bash in a real repository. */

import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { CHECKOUT, type Json, temporaryFolder, toolwright } from "../../../test/support/project.js";
import { type RanStep, runSteps } from "../../../test/support/workflow.js";
import { ciProjectOf } from "../ci-project.js";
import { githubAction } from "../github.js";
import { ciText } from "../write-ci.js";
import { answerWith, type CiRepository, ciRepository, offered, textOf } from "./ci-repository.js";

const LIST = offered("list_orders", { state: { type: "string" } });
const GET = offered("get_order", { id: { type: "string" } }, ["id"]);
const GET_IN = offered("get_order", { id: { type: "string" }, region: { type: "string" } }, ["id", "region"]);

const HEAD = { repo: { full_name: "owner/shop" } };
const PULL_REQUEST = {
  event_name: "pull_request",
  base_ref: "main",
  repository: "owner/shop",
  token: "t",
  event: { pull_request: { number: 7, head: HEAD } },
};
const NIGHT = {
  event_name: "schedule",
  repository: "owner/shop",
  token: "t",
  event: { pull_request: { head: { repo: {} } } },
};
const ENV = { GITHUB_ACTIONS: "true", GITHUB_REPOSITORY: "owner/shop" };

/** Runs a job of the workflow that a project has. */
function runJob(repository: CiRepository, job: string, github: Json, file = "toolwright.yml"): readonly RanStep[] {
  const { top, env } = repository;
  const workflow: Json = parse(readFileSync(join(top, ".github/workflows", file), "utf8"));
  const values = workflow.jobs[job];
  return runSteps(values.steps, { folder: top, env: { ...env, ...ENV }, context: { github }, job: values });
}

const statuses = (ran: readonly RanStep[]): Json => Object.fromEntries(ran.map(({ name, status }) => [name, status]));
const said = (ran: readonly RanStep[], name: string): string => ran.find((one) => one.name === name)?.output ?? "";

/** A repository whose server offers two tools, with the workflow; what is generated is on the base branch. */
function generated(system: string, folder?: string): CiRepository {
  const repository = ciRepository(folder);
  repository.offer([LIST, GET]);
  repository.toolwright("snapshot");
  repository.toolwright("generate");
  repository.toolwright("init", "--ci", system);
  repository.commit("base");
  repository.git("push", "--quiet", "origin", "main");
  return repository;
}

describe("the workflow of a project on GitHub", () => {
  test("a pull request: what breaks is beside its line, on the code scanning page, and in one comment", {
    timeout: 120_000,
    tags: "slow",
  }, () => {
    const repository = generated("github");
    expect(statuses(runJob(repository, "check", PULL_REQUEST))).toEqual({
      Install: 0,
      "Drift, diagnostics, token budget": 0,
      "Whether the base branch has something to compare with": 0,
      "What breaks callers and agents": 0,
      "The same for the code scanning page": 0,
      "The same as a comment on the pull request": 0,
    });
    expect(repository.asked()).toEqual([expect.stringMatching(/^gh api repos\/owner\/shop\/issues\/7\/comments /)]);

    repository.git("switch", "--quiet", "--create", "change");
    repository.offer([LIST, GET_IN]);
    repository.toolwright("snapshot");
    const drifted = runJob(repository, "check", PULL_REQUEST);
    expect(said(drifted, "Drift, diagnostics, token budget")).toContain("::error title=generated-drift::");
    repository.toolwright("generate");
    repository.commit("change");
    repository.asked();
    const broken = runJob(repository, "check", PULL_REQUEST);
    expect(statuses(broken)).toMatchObject({
      "Drift, diagnostics, token budget": 0,
      "What breaks callers and agents": 1,
      "The same for the code scanning page": 0,
      "The same as a comment on the pull request": 0,
    });
    expect(said(broken, "What breaks callers and agents")).toMatch(
      /^::error file=definitions\/servers\/shop\.json,line=\d+,col=\d+,title=arg-required-added::shop\.get_order: /m,
    );
    expect(JSON.parse(textOf(repository, "breaking.sarif")).runs[0].results).not.toHaveLength(0);
    expect(repository.asked().at(-1)).toBe("gh pr comment 7 --body-file comment.md");
    expect(textOf(repository, "comment.md")).toMatch(
      /^<!-- toolwright breaking -->\n\*\*toolwright breaking\*\*: \d+ errors?.*; fails on error\n\n```text\n[\s\S]*arg-required-added[\s\S]*```\n$/,
    );
  });

  test("the comment of an earlier run is changed, and deleted when nothing is found any more", {
    timeout: 120_000,
    tags: "slow",
  }, () => {
    const repository = generated("github");
    repository.offer([LIST, GET_IN]);
    repository.toolwright("snapshot");
    repository.toolwright("generate");
    answerWith(repository, "41\n");
    runJob(repository, "check", PULL_REQUEST);
    expect(repository.asked().at(-1)).toBe(
      "gh api --silent --method PATCH repos/owner/shop/issues/comments/41 --field body=@comment.md",
    );
    repository.git("checkout", "--quiet", ".");
    runJob(repository, "check", PULL_REQUEST);
    expect(repository.asked().at(-1)).toBe("gh api --silent --method DELETE repos/owner/shop/issues/comments/41");
  });

  test("the pull request that adds toolwright has nothing to compare with, and passes", {
    timeout: 120_000,
    tags: "slow",
  }, () => {
    const repository = ciRepository();
    repository.commit("before");
    repository.git("push", "--quiet", "origin", "main");
    repository.offer([LIST]);
    repository.toolwright("snapshot");
    repository.toolwright("generate");
    repository.toolwright("init", "--ci", "github");
    repository.commit("tools");
    expect(statuses(runJob(repository, "check", PULL_REQUEST))).toEqual({
      Install: 0,
      "Drift, diagnostics, token budget": 0,
      "Whether the base branch has something to compare with": 0,
    });
  });

  test("every night: what the servers have changed is pushed and proposed once, and the checkout is as before", {
    timeout: 120_000,
  }, () => {
    const repository = generated("github");
    expect(runJob(repository, "snapshot", NIGHT).map(({ status }) => status)).toEqual([0, 0, 0]);
    repository.offer([LIST, GET_IN]);
    const first = runJob(repository, "snapshot", NIGHT);
    expect(
      first.map(({ status }) => status),
      first.at(-1)?.output,
    ).toEqual([0, 0, 0]);
    expect(repository.asked()).toEqual([
      "gh pr list --head toolwright/snapshot --state open --json number --jq .[].number",
      "gh pr create --head toolwright/snapshot --title Servers have changed --body-file breaking.md",
    ]);
    expect(textOf(repository, "breaking.md")).toContain("arg-required-added");
    const files = repository.git("diff", "--name-only", "main", "origin/toolwright/snapshot");
    expect(files).toContain("definitions/servers/shop.json\ngenerated/");
    expect(repository.git("status", "--porcelain", "--untracked-files=no")).toBe("");
    expect(repository.git("branch", "--show-current")).toBe("main\n");

    const tip = repository.git("rev-parse", "origin/toolwright/snapshot");
    answerWith(repository, "8\n");
    const second = runJob(repository, "snapshot", NIGHT);
    expect(second.at(-1)?.output).toContain("has this change already");
    expect(repository.asked().at(-1)).toBe("gh pr edit 8 --body-file breaking.md");
    expect(repository.git("rev-parse", "origin/toolwright/snapshot")).toBe(tip);
  });

  test("in a folder of a repository: the workflow is at the top, and every step is in the folder", {
    timeout: 120_000,
    tags: "slow",
  }, () => {
    const repository = generated("github", "services/shop tools");
    const file = "toolwright-services-shop-tools.yml";
    expect(existsSync(join(repository.top, ".github/workflows", file))).toBe(true);
    repository.offer([LIST]);
    repository.toolwright("snapshot");
    repository.toolwright("generate");
    const ran = runJob(repository, "check", PULL_REQUEST, file);
    expect(statuses(ran)).toMatchObject({ "Drift, diagnostics, token budget": 0, "What breaks callers and agents": 1 });
    expect(existsSync(join(repository.root, "breaking.sarif"))).toBe(true);
    const { jobs }: Json = parse(readFileSync(join(repository.top, ".github/workflows", file), "utf8"));
    const upload = jobs.check.steps.find(({ uses }: Json) => uses?.startsWith("github/codeql-action"));
    expect(upload.with).toEqual({
      sarif_file: "services/shop tools/breaking.sarif",
      category: "toolwright-services-shop-tools",
    });
    expect(textOf(repository, "comment.md")).toMatch(/^<!-- toolwright breaking services\/shop tools -->\n/);
    expect(jobs.snapshot.steps.at(-1).env.BRANCH).toBe("toolwright/snapshot-services-shop-tools");
    expect(jobs.snapshot.steps.at(-1).if).toBe("hashFiles('services/shop tools/definitions/servers/*.json') != ''");
  });
});

describe("the action", () => {
  const ACTION = join(CHECKOUT, "action.yml");
  const HEAD_OF_ACTION = ` Made from the steps that "toolwright init --ci github" writes; UPDATE=1 npx vitest run features/ci/test/ci.test.ts makes it again.`;

  test("action.yml is made from the code", () => {
    const text = ciText(githubAction(), HEAD_OF_ACTION);
    if (process.env["UPDATE"]) writeFileSync(ACTION, text);
    expect(readFileSync(ACTION, "utf8")).toBe(text);
  });

  test("does by the event what the jobs of the workflow do, in any folder", { timeout: 120_000, tags: "slow" }, () => {
    const repository = generated("github", "services/shop");
    const { runs, inputs }: Json = parse(readFileSync(ACTION, "utf8"));
    const defaults = Object.fromEntries(Object.entries<Json>(inputs).map(([name, one]) => [name, one.default]));
    const run = (github: Json): readonly RanStep[] =>
      runSteps(runs.steps, {
        folder: repository.top,
        env: { ...repository.env, ...ENV },
        context: { github, inputs: { ...defaults, root: "services/shop", token: "t" } },
      });
    repository.offer([LIST]);
    const night = run(NIGHT);
    expect(night.map(({ name, status }) => [name, status])).toEqual([
      ["Install", 0],
      ["Ask every server what it offers, and generate from it", 0],
      ["Propose what the servers have changed", 0],
    ]);
    expect(repository.asked().at(-1)).toMatch(/^gh pr create /);
    repository.git("merge", "--quiet", "origin/toolwright/snapshot-services/shop");
    const change = run(PULL_REQUEST);
    expect(change.map(({ status }) => status)).toEqual([0, 0, 0, 1, 0, 0]);
    expect(repository.asked().at(-1)).toBe("gh pr comment 7 --body-file comment.md");
  });
});

describe("the jobs of a project on GitLab", () => {
  /** Runs a job as GitLab's runner does: all commands in one shell. */
  function runJobOf({ top, env }: CiRepository, name: string, variables: Json) {
    const { before_script, script }: Json = parse(readFileSync(join(top, ".gitlab/toolwright.yml"), "utf8"))[name];
    const { status, stdout, stderr } = spawnSync(
      "bash",
      ["--noprofile", "--norc", "-eo", "pipefail", "-c", [...before_script, ...script].join("\n")],
      { cwd: top, env: { ...env, CI_PROJECT_DIR: top, ...variables }, encoding: "utf8" },
    );
    return { status, output: stdout + stderr };
  }

  test("a merge request is checked, compared with its base and commented; a schedule proposes what servers changed", {
    timeout: 120_000,
    tags: "slow",
  }, () => {
    const repository = generated("gitlab");
    expect(readFileSync(join(repository.top, ".gitlab-ci.yml"), "utf8")).toBe(
      "include:\n  - local: .gitlab/toolwright.yml\n",
    );
    const base = repository.git("rev-parse", "HEAD").trim();
    repository.offer([LIST]);
    const night = {
      ...{ TOOLWRIGHT_TOKEN: "s3cret", CI_DEFAULT_BRANCH: "main", CI_PROJECT_PATH: "owner/shop" },
      ...{ CI_SERVER_PROTOCOL: "https", CI_SERVER_HOST: "gitlab.example", CI_SERVER_PORT: "443" },
    };
    const address = "https://oauth2:s3cret@gitlab.example:443/owner/shop.git";
    repository.git("config", "--global", `url.${repository.remote}.insteadOf`, address);
    repository.git("-C", repository.remote, "config", "receive.advertisePushOptions", "true");
    writeFileSync(
      join(repository.remote, "hooks/pre-receive"),
      '#!/bin/sh\necho "$GIT_PUSH_OPTION_0,$GIT_PUSH_OPTION_1,$GIT_PUSH_OPTION_2" > pushed.txt\n',
      { mode: 0o755 },
    );
    const snapshot = runJobOf(repository, "toolwright-snapshot", night);
    expect(snapshot.status, snapshot.output).toBe(0);
    expect(readFileSync(join(repository.remote, "pushed.txt"), "utf8")).toBe(
      "merge_request.create,merge_request.target=main,merge_request.title=Servers have changed\n",
    );
    repository.git("merge", "--quiet", "toolwright/snapshot");
    expect(runJobOf(repository, "toolwright-check", {}).status).toBe(0);
    const request = {
      ...{ CI_MERGE_REQUEST_DIFF_BASE_SHA: base, CI_MERGE_REQUEST_IID: "3", CI_PROJECT_ID: "5" },
      ...{ CI_API_V4_URL: "https://gitlab.example/api/v4", TOOLWRIGHT_TOKEN: "s3cret" },
    };
    const broken = runJobOf(repository, "toolwright-breaking", request);
    expect([broken.status, broken.output]).toEqual([1, expect.stringContaining("tool-removed")]);
    expect(repository.asked().at(-1)).toMatch(
      /--data-urlencode body@comment\.md https:\/\/gitlab\.example\/api\/v4\/projects\/5\/merge_requests\/3\/notes$/,
    );
  });

  test.each([
    ["none", undefined, "include:\n  - local: .gitlab/toolwright.yml\n", "test"],
    ["jobs alone", "a:\n  script: [b]", "a:\n  script: [b]\n\ninclude:\n  - local: .gitlab/toolwright.yml\n", "test"],
    [
      "a list",
      "stages: [build]\ninclude: # all\n    - x.yml\n",
      "stages: [build]\ninclude: # all\n    - local: .gitlab/toolwright.yml\n    - x.yml\n",
      "build",
    ],
    ["one name", "include: x.yml\n", "include: x.yml\n", "test"],
  ])("an existing .gitlab-ci.yml with %s keeps what it has", async (_, before, after, stage) => {
    const root = project({ "package.json": '{"dependencies":{"toolwright":"1"}}' });
    if (before !== undefined) writeFileSync(join(root, ".gitlab-ci.yml"), before);
    const { code, stdout } = await toolwright(["init", "--ci", "gitlab", "--root", root]);
    expect(code).toBe(0);
    expect(readFileSync(join(root, ".gitlab-ci.yml"), "utf8")).toBe(after);
    expect(stdout.includes("to do: add to `include`")).toBe(after === before);
    expect(parse(readFileSync(join(root, ".gitlab/toolwright.yml"), "utf8"))["toolwright-check"].stage).toBe(stage);
  });
});

/** A project with more files. */
function project(files: Readonly<Record<string, string>>): string {
  const root = temporaryFolder();
  // biome-ignore lint/suspicious/noTemplateCurlyInString: variables of the configuration.
  const servers = '{ a: { url: "https://a.example/mcp", headers: { x: "${GITHUB_TOKEN} ${GITHUB_PAT} ${SHOP}" } } }';
  const own = { "definitions/toolwright.yaml": `sources: [{ mcp: servers/*.json }]\nservers: ${servers}\n` };
  for (const [name, text] of Object.entries({ ...own, ...files })) {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), text);
  }
  return root;
}

describe("what CI needs to know", () => {
  const NEEDS = '{"devDependencies":{"toolwright":"1"}}';
  test.each([
    ["no lock file", {}, "npm install", "npx --no -- toolwright", undefined],
    ["npm", { "package-lock.json": "" }, "npm ci", "npx --no -- toolwright", "package-lock.json"],
    ["pnpm", { "pnpm-lock.yaml": "" }, "pnpm install --frozen-lockfile", "pnpm exec toolwright", undefined],
    ["yarn 1", { "yarn.lock": "" }, "yarn install --frozen-lockfile", "yarn --silent toolwright", "yarn.lock"],
    ["yarn 4", { "yarn.lock": "", ".yarnrc.yml": "" }, "yarn install --immutable", "yarn toolwright", undefined],
    ["bun", { "bun.lock": "" }, "bun install --frozen-lockfile", "bun run --silent toolwright", undefined],
  ])("how to install and to start toolwright, and what to cache, with %s", async (_, files, install, command, lock) => {
    const found = await ciProjectOf(project({ "package.json": NEEDS, ...files }), []);
    expect(found.install.endsWith(install)).toBe(true);
    expect([found.toolwright, found.cache?.lock]).toEqual([command, lock]);
  });

  test("a script of the name starts it", async () => {
    const root = project({ "package.json": '{"scripts":{"toolwright":"node x.js"}}' });
    expect((await ciProjectOf(root, [])).toolwright).toBe("npm run --silent toolwright --");
  });

  test.each([
    ["file:../toolwright-1.0.0.tgz", true],
    ["file:/opt/toolwright", true],
    ["file:vendor/toolwright-1.0.0.tgz", false],
    ["^1.0.0", false],
  ])("installed from %s: said to be missing in CI: %s", async (from, isMissing) => {
    const root = project({ "package.json": JSON.stringify({ dependencies: { toolwright: from } }) });
    const { code, stdout } = await toolwright(["init", "--ci", "gitlab", "--root", root]);
    expect([code, stdout.includes(`installs toolwright from ${from}, which is not in the repository`)]).toEqual([
      0,
      isMissing,
    ]);
  });

  test("secrets that servers need are given to the step, and named; an edited workflow is not replaced", async () => {
    const root = project({ "package.json": NEEDS });
    const init = () => toolwright(["init", "--ci", "github", "--root", root]);
    const first = await init();
    expect([first.code, first.stdout]).toEqual([
      0,
      "wrote .github/workflows/toolwright.yml\nSecrets that CI needs, for the servers: GH_PAT, SHOP\n",
    ]);
    const file = join(root, ".github/workflows/toolwright.yml");
    const text = readFileSync(file, "utf8");
    const env = { GITHUB_PAT: "GH_PAT", GITHUB_TOKEN: "GITHUB_TOKEN", SHOP: "SHOP" };
    const asks = parse(text).jobs.snapshot.steps.find(({ name }: Json) => name?.startsWith("Ask every server"));
    expect(asks.env).toEqual(
      Object.fromEntries(Object.entries(env).map(([name, secret]) => [name, `\${{ secrets.${secret} }}`])),
    );
    expect((await init()).stdout).toContain("unchanged .github/workflows/toolwright.yml");
    writeFileSync(file, `${text}# mine\n`);
    const again = await init();
    expect([again.code, again.stderr]).toEqual([2, expect.stringContaining("exists and is not replaced")]);
  });

  test("a project whose packages do not bring toolwright is refused, before anything is written", async () => {
    for (const files of [{}, { "package.json": "{}" }, { "package.json": "{" }] as const) {
      const root = project(files);
      const { code, stderr } = await toolwright(["init", "--ci", "github", "--root", root]);
      expect([code, stderr]).toEqual([2, expect.stringMatching(/npm install --save-dev toolwright|is no JSON/)]);
      expect(existsSync(join(root, ".github"))).toBe(false);
    }
  });
});
