/** Actions of others that a workflow uses: each input that a step gives exists in the version that the step names. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { CHECKOUT, type Json } from "../../../test/support/project.js";
import type { CiProject } from "../ci-project.js";
import { githubAction, githubWorkflow } from "../github.js";
import { ciText } from "../write-ci.js";

/** Inputs by action, as the `action.yml` of the version lists them. A new version gets the inputs of its own `action.yml`. */
const INPUTS: Readonly<Record<string, string>> = {
  "actions/checkout@v4":
    "allow-unsafe-pr-checkout clean fetch-depth fetch-tags filter github-server-url lfs path persist-credentials ref repository set-safe-directory show-progress sparse-checkout sparse-checkout-cone-mode ssh-key ssh-known-hosts ssh-strict ssh-user submodules token",
  "actions/setup-node@v4":
    "always-auth architecture cache cache-dependency-path check-latest mirror mirror-token node-version node-version-file registry-url scope token",
  "github/codeql-action/upload-sarif@v3": "category checkout_path matrix ref sarif_file sha token wait-for-processing",
};

const PROJECT: CiProject = {
  ...{ top: "/top", folder: ".", branch: "main", install: "npm ci", installIn: "." },
  ...{ toolwright: "npx --no -- toolwright", variables: ["SHOP_TOKEN"] },
};
const WORKFLOWS: Readonly<Record<string, CiProject>> = {
  "a project without a lock file": PROJECT,
  "a project with a lock file, in a folder of its repository": {
    ...PROJECT,
    ...{ folder: "tools", installIn: "tools", cache: { manager: "npm", lock: "tools/package-lock.json" } },
  },
};

/** The steps of all jobs, or of an action. */
const stepsOf = ({ jobs, runs }: Json): readonly Json[] =>
  jobs === undefined ? runs.steps : Object.values<Json>(jobs).flatMap(({ steps }) => steps);

/** Each input that a step gives, as `action@version input`. */
const givenIn = (text: string): readonly string[] =>
  stepsOf(parse(text)).flatMap(({ uses, with: given = {} }) =>
    uses === undefined ? [] : Object.keys(given).map((name) => `${uses} ${name}`),
  );

const KNOWN = new Set(
  Object.entries(INPUTS).flatMap(([action, names]) => names.split(" ").map((name) => `${action} ${name}`)),
);

const TEXTS: readonly (readonly [name: string, text: string])[] = [
  ...Object.entries(WORKFLOWS).map(([name, project]) => [name, ciText(githubWorkflow(project), "")] as const),
  ["the action, as it is made", ciText(githubAction(), "")],
  ["action.yml", readFileSync(join(CHECKOUT, "action.yml"), "utf8")],
];

test.each(TEXTS)("every input of an action exists: %s", (_name, text) => {
  const given = givenIn(text);
  expect(given).toContain("github/codeql-action/upload-sarif@v3 sarif_file");
  expect(given.filter((one) => !KNOWN.has(one))).toEqual([]);
});
