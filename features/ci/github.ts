/** Makes the workflow of a project on GitHub, and the action that does the same in any workflow. */

import { type CiProject, suffixOf } from "./ci-project.js";
import {
  breakingFile,
  breakingScript,
  checkScript,
  githubComment,
  githubProposal,
  HAS_BASELINE,
  learnScript,
  PROPOSALS,
  SARIF_FILE,
  snapshotScript,
} from "./scripts.js";

type Values = Readonly<Record<string, unknown>>;

/** What the steps of a workflow and those of the action differ in. */
interface Place {
  /** How the command line is started. */
  readonly toolwright: string;
  /** An expression for a path in the folder of the project. */
  readonly path: (file: string) => string;
  /** What tells a project from others of the repository: in branches and categories, and in comments. Empty for the only one. */
  readonly suffix: string;
  readonly mark: string;
  /** The token that opens pull requests. */
  readonly token: string;
  /** Environment of the step that asks servers. */
  readonly secrets: Values;
  /** Condition of all steps of a kind of event; undefined where a job has it. */
  readonly on: (event: "change" | "night") => string | undefined;
}

const NIGHT = "github.event_name == 'schedule' || github.event_name == 'workflow_dispatch'";
const CHANGE = "github.event_name == 'push' || github.event_name == 'pull_request'";
const PULL_REQUEST = "github.event_name == 'pull_request'";
const COMPARED = "always() && steps.baseline.outputs.found == 'true'";
/** An expression that GitHub replaces by its value. */
const expression = (text: string): string => `\${{ ${text} }}`;
const ENV = { BASELINE: `origin/${expression("github.base_ref")}` };

/** A step without the members that are undefined. */
const step = (members: Values): Values =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));

const all = (...conditions: readonly (string | undefined)[]): string | undefined => {
  const held = conditions.filter((one) => one !== undefined);
  return held.length === 0 ? undefined : held.map((one) => (held.length > 1 ? `(${one})` : one)).join(" && ");
};

/** What every change runs. */
const changeSteps = ({ toolwright, path, suffix, mark, token, on }: Place): readonly Values[] => [
  step({ name: "Drift, diagnostics, token budget", if: on("change"), run: checkScript(toolwright) }),
  step({
    name: "Whether the base branch has something to compare with",
    if: `always() && ${PULL_REQUEST}`,
    id: "baseline",
    env: ENV,
    run: `if ${HAS_BASELINE}; then echo "found=true" >> "$GITHUB_OUTPUT"; fi`,
  }),
  step({ name: "What breaks callers and agents", if: COMPARED, env: ENV, run: breakingScript(toolwright, "github") }),
  step({
    name: "The same for the code scanning page",
    if: COMPARED,
    env: ENV,
    run: breakingFile(toolwright, "sarif", SARIF_FILE),
  }),
  // Private repositories need a licence for code scanning: without one, the page is missing, and the checks count all the same.
  step({
    name: "Upload to the code scanning page",
    if: COMPARED,
    "continue-on-error": true,
    uses: "github/codeql-action/upload-sarif@v3",
    with: { sarif_file: path(SARIF_FILE), category: `toolwright${suffix}` },
  }),
  // The token of a pull request from a fork may not write.
  step({
    name: "The same as a comment on the pull request",
    if: `${COMPARED} && github.event.pull_request.head.repo.full_name == github.repository`,
    "continue-on-error": true,
    env: {
      ...ENV,
      GH_TOKEN: token,
      MARK: `<!-- toolwright breaking${mark} -->`,
      NUMBER: expression("github.event.pull_request.number"),
    },
    run: githubComment(toolwright),
  }),
];

/** What asks the servers every night. */
const snapshotSteps = ({ toolwright, suffix, token, secrets, on }: Place, hasServers: string): readonly Values[] => [
  step({
    name: "Ask every server what it offers, and generate from it",
    if: all(on("night"), hasServers),
    ...(Object.keys(secrets).length > 0 ? { env: secrets } : {}),
    run: snapshotScript(toolwright),
  }),
  step({
    name: "Propose what the servers have changed",
    if: all(on("night"), hasServers),
    env: { GH_TOKEN: token, BRANCH: `toolwright/snapshot${suffix}` },
    run: githubProposal(PROPOSALS.snapshot),
  }),
];

/** What proposes every night what calls have shown. */
const learnSteps = ({ toolwright, suffix, token, on }: Place): readonly Values[] => [
  step({
    name: "Write what calls have shown, and generate from it",
    if: all(on("night"), "env.TOOLWRIGHT_STATE != ''"),
    run: learnScript(toolwright),
  }),
  step({
    name: "Propose what was learned",
    if: all(on("night"), "env.TOOLWRIGHT_STATE != ''"),
    env: { GH_TOKEN: token, BRANCH: `toolwright/learned${suffix}` },
    run: githubProposal(PROPOSALS.learn),
  }),
];

/** Checks run on a pull request only if a token of the user has opened it: the token of a workflow starts no workflows. */
const TOKEN = expression("secrets.TOOLWRIGHT_TOKEN || github.token");

/** Name of the secret for a variable: names that begin with `GITHUB_` are reserved, but for the token of the workflow. */
export const secretOf = (variable: string): string =>
  variable === "GITHUB_TOKEN" ? variable : variable.replace(/^GITHUB_/, "GH_");

const VERSION_OF_NODE = 22;

/** The steps that every job begins with. */
function preparing({ folder, cache, install, installIn }: CiProject, own: string | undefined): readonly Values[] {
  const isElsewhere = installIn !== folder;
  return [
    {
      uses: "actions/checkout@v4",
      with: { "fetch-depth": 0, ...(own === undefined ? {} : { token: own }) },
    },
    {
      uses: "actions/setup-node@v4",
      with: {
        "node-version": VERSION_OF_NODE,
        ...(cache ? { cache: cache.manager, "cache-dependency-path": cache.lock } : {}),
      },
    },
    step({ name: "Install", run: install, "working-directory": isElsewhere ? installIn : undefined }),
  ];
}

/** The workflow of a project. */
export function githubWorkflow(project: CiProject): Values {
  const { folder, branch, toolwright, variables } = project;
  const inFolder = (file: string): string => (folder === "." ? file : `${folder}/${file}`);
  const place: Place = {
    toolwright,
    path: inFolder,
    suffix: suffixOf(project),
    mark: folder === "." ? "" : ` ${folder}`,
    token: TOKEN,
    secrets: Object.fromEntries(variables.map((one) => [one, expression(`secrets.${secretOf(one)}`)])),
    on: () => undefined,
  };
  const job = (condition: string, permissions: Values, more: Values, steps: readonly Values[]): Values => ({
    if: condition,
    "runs-on": "ubuntu-latest",
    permissions,
    ...more,
    ...(folder === "." ? {} : { defaults: { run: { "working-directory": folder } } }),
    steps,
  });
  const proposing = { contents: "write", "pull-requests": "write" };
  const hasServers = `hashFiles('${inFolder("definitions/servers/*.json")}') != ''`;
  return {
    name: "toolwright",
    on: {
      push: { branches: [branch] },
      pull_request: {},
      schedule: [{ cron: "17 4 * * *" }],
      workflow_dispatch: {},
    },
    permissions: { contents: "read" },
    jobs: {
      check: job(CHANGE, { contents: "read", "pull-requests": "write", "security-events": "write" }, {}, [
        ...preparing(project, undefined),
        ...changeSteps(place),
      ]),
      snapshot: job(NIGHT, proposing, {}, [...preparing(project, TOKEN), ...snapshotSteps(place, hasServers)]),
      learn: job(NIGHT, proposing, { env: { TOOLWRIGHT_STATE: expression("secrets.TOOLWRIGHT_STATE") } }, [
        ...preparing(project, TOKEN),
        ...learnSteps(place),
      ]),
    },
  };
}

/** The action: the same steps for a workflow of any form, which decides by the event what to run. */
export function githubAction(): Values {
  const place: Place = {
    toolwright: "$TOOLWRIGHT",
    suffix: expression("inputs.root != '.' && format('-{0}', inputs.root) || ''"),
    mark: expression("inputs.root != '.' && format(' {0}', inputs.root) || ''"),
    path: (file) => `${expression("inputs.root")}/${file}`,
    token: expression("inputs.token"),
    secrets: {},
    on: (event) => (event === "night" ? NIGHT : CHANGE),
  };
  const hasServers = "hashFiles(format('{0}/definitions/servers/*.json', inputs.root)) != ''";
  const steps = [
    { uses: "actions/setup-node@v4", with: { "node-version": VERSION_OF_NODE } },
    { name: "Install", run: 'bash -e -c "$INSTALL"', "working-directory": expression("inputs.install-in") },
    ...changeSteps(place),
    ...snapshotSteps(place, hasServers),
    ...learnSteps(place),
  ];
  return {
    name: "toolwright",
    description:
      "Checks agent tool definitions: drift, diagnostics, token budget, breaking changes; proposes new snapshots",
    inputs: {
      root: { description: "Folder with definitions/", default: "." },
      install: { description: "Command that installs the packages", default: "npm ci" },
      "install-in": { description: "Folder of the lock file", default: "." },
      command: { description: "Command that starts toolwright", default: "npx --no -- toolwright" },
      token: { description: "Token that comments, and opens pull requests", default: expression("github.token") },
    },
    runs: { using: "composite", steps: steps.map(inAction) },
  };
}

/** A step of a composite action names its shell, and gets inputs as variables, which a shell does not read as code. */
function inAction(one: Values): Values {
  if (one["run"] === undefined) return one;
  const env = { TOOLWRIGHT: expression("inputs.command"), INSTALL: expression("inputs.install") };
  const used = Object.entries(env).filter(([name]) => String(one["run"]).includes(`$${name}`));
  return {
    "working-directory": expression("inputs.root"),
    shell: "bash",
    ...one,
    ...(used.length > 0 ? { env: { ...(one["env"] as Values | undefined), ...Object.fromEntries(used) } } : {}),
  };
}
