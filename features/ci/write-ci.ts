/** Implements `toolwright init --ci`: writes what CI runs for a project, new or not. */

import { existsSync, mkdirSync, readFileSync, realpathSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import { Document, isMap, isScalar, parseDocument } from "yaml";
import type { CiSystem } from "../../generator/cli/commands.js";
import { openDisk, writeAtomicallySync } from "../../generator/cli/files.js";
import type { CiSetting, PrepareCi } from "../../generator/cli/init/ci-part.js";
import { loadConfig } from "../../generator/config/config.js";
import { Report } from "../../generator/core/diagnostic.js";
import { isRecord } from "../../runtime/contract/json.js";
import { onLine } from "../../runtime/contract/message-text.js";
import { UsageError } from "../../runtime/contract/usage-error.js";
import { type CiProject, ciProjectOf, suffixOf } from "./ci-project.js";
import { githubWorkflow, secretOf } from "./github.js";
import { gitlabJobs } from "./gitlab.js";

const HEADS: Readonly<Record<CiSystem, string>> = {
  github: ` Written by "toolwright init --ci github"; yours to edit. Every change is checked, and compared with the base branch. Every night servers
 are asked what they offer; what has changed becomes a pull request, and so does what calls have shown. Secrets: those that servers need;
 TOOLWRIGHT_STATE, the URL of the state database, for the job learn; TOOLWRIGHT_TOKEN, a token that may push and open pull requests, so
 that the checks run on these too.`,
  gitlab: ` Written by "toolwright init --ci gitlab"; yours to edit. Every change is checked, and compared with its base. A pipeline schedule asks
 the servers what they offer; what has changed becomes a merge request, and so does what calls have shown. Variables: those that servers
 need; TOOLWRIGHT_TOKEN, a project access token with the scopes api and write_repository; TOOLWRIGHT_STATE, the URL of the state database.`,
};

/** YAML of values, whose scripts are blocks of lines. */
export function ciText(values: object, head: string): string {
  const document = new Document(values, { aliasDuplicateObjects: false });
  document.commentBefore = head;
  for (const map of [document.contents, document.get("jobs")])
    for (const { key } of isMap(map) ? map.items.slice(1) : []) if (isScalar(key)) key.spaceBefore = true;
  return document.toString({ lineWidth: 0 });
}

const GITLAB = ".gitlab-ci.yml";

/** The files of a CI system, by their paths from the top of the repository, the file of the project first. */
const FILES: Readonly<Record<CiSystem, (project: CiProject) => Readonly<Record<string, string>>>> = {
  github: (project) => ({
    [`.github/workflows/${nameIn(project)}.yml`]: ciText(githubWorkflow(project), HEADS.github),
  }),
  gitlab: (project) => {
    const before = textIn(project, GITLAB);
    const jobs = `.gitlab/${nameIn(project)}.yml`;
    return {
      [jobs]: ciText(gitlabJobs(project, stageIn(before)), HEADS.gitlab),
      [GITLAB]: withInclude(before, jobs) ?? before,
    };
  },
};

/** Name of the file of a project: projects in several folders of a repository have one each. */
const nameIn = (project: CiProject): string => `toolwright${suffixOf(project)}`;

const textIn = ({ top }: CiProject, file: string): string =>
  existsSync(join(top, file)) ? readFileSync(join(top, file), "utf8") : "";

/** A stage that `.gitlab-ci.yml` has: `test`, unless it declares other ones only. */
function stageIn(text: string): string {
  const { document } = yamlOf(text);
  const stages = document?.["stages"];
  return Array.isArray(stages) && !stages.includes("test") ? String(stages[0]) : "test";
}

function yamlOf(text: string): { readonly document?: Readonly<Record<string, unknown>> } {
  const value: unknown = parseDocument(text, { logLevel: "silent" }).toJS();
  return isRecord(value) ? { document: value } : {};
}

/** `include:` with a list in block style, and the indent of its entries. */
const INCLUDE_LIST = /^include:[ \t]*(?:#.*)?\n(?:[ \t]*(?:#.*)?\n)*(?=([ \t]*)- )/m;

/** `.gitlab-ci.yml` with one more file included; undefined if it includes files in a form that is not edited. */
function withInclude(text: string, file: string): string | undefined {
  const { document } = yamlOf(text);
  if (JSON.stringify(document?.["include"] ?? "").includes(file)) return text;
  if (document?.["include"] === undefined) {
    const start = text === "" || text.endsWith("\n") ? text : `${text}\n`;
    return `${start}${start === "" ? "" : "\n"}include:\n  - local: ${file}\n`;
  }
  const edited = text.replace(INCLUDE_LIST, (head, indent) => `${head}${indent}- local: ${file}\n`);
  return edited === text ? undefined : edited;
}

/** Prepares the files of a CI system. */
export const prepareCi: PrepareCi = async (setting, system) => {
  const { root } = setting;
  await ciProjectOf(root, []);
  return async () => writeFiles(setting, system, await ciProjectOf(root, variablesIn(setting)));
};

/** Variables that `servers` name. */
function variablesIn({ root, features }: CiSetting): readonly string[] {
  const { servers = {} } = loadConfig(openDisk(root).readDefinition, new Report(), features && { features }) ?? {};
  return [...new Set(JSON.stringify(servers).match(/(?<=\$\{)[A-Za-z_][A-Za-z0-9_]*/g) ?? [])].sort();
}

/** Exit code 0. @throws UsageError for a file that somebody has written or edited */
function writeFiles({ root, out, paint }: CiSetting, system: CiSystem, project: CiProject): number {
  const files = Object.entries(FILES[system](project));
  const [[own = "", text = ""] = []] = files;
  const there = textIn(project, own);
  if (there !== "" && there !== text)
    throw new UsageError(`${shown(root, project, own)} exists and is not replaced: move it away to have a new one`);
  for (const [file, now] of files) {
    const isSame = textIn(project, file) === now;
    if (!isSame) {
      mkdirSync(dirname(join(project.top, file)), { recursive: true });
      writeAtomicallySync(join(project.top, file), now);
    }
    out(`${paint(isSame ? "dim" : "green", isSame ? "unchanged" : "wrote")} ${shown(root, project, file)}\n`);
  }
  if (system === "gitlab" && withInclude(textIn(project, GITLAB), own) === undefined)
    out(`${paint("yellow", "to do")}: add to \`include\` of ${GITLAB}:  { local: ${own} }\n`);
  if (project.outside !== undefined)
    out(
      `${paint("yellow", "to do")}: package.json installs toolwright from ${onLine(project.outside)}, which is not in the repository: copy it there, and install it from there\n`,
    );
  const names = system === "github" ? project.variables.map(secretOf) : project.variables;
  const needed = names.filter((one) => one !== "GITHUB_TOKEN");
  if (needed.length > 0) out(`Secrets that CI needs, for the servers: ${needed.join(", ")}\n`);
  return 0;
}

/** A file as the user sees it from the root of the project. */
const shown = (root: string, { top }: CiProject, file: string): string =>
  relative(realpathSync(root), join(top, file)).split(sep).join("/");
