/** Real git repositories with a project, a remote, and doubles of the programs that talk to GitHub and GitLab. */

import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { CHECKOUT, temporaryFolder } from "../../../test/support/project.js";
import { behaving } from "../../../test/support/upstream/servers.js";

/** A repository, as a runner has it checked out. */
export interface CiRepository {
  /** Its top folder. */
  readonly top: string;
  /** The folder of the project. */
  readonly root: string;
  readonly env: NodeJS.ProcessEnv;
  readonly git: (...args: readonly string[]) => string;
  /** Writes a file of the project. */
  readonly write: (file: string, text: string) => void;
  /** Changes what the server of the project offers. */
  readonly offer: (tools: readonly object[]) => void;
  /** Commits everything. */
  readonly commit: (message: string) => void;
  /** The installed command line. */
  readonly toolwright: (...args: readonly string[]) => string;
  /** What the doubles were called with, a line each. */
  readonly asked: () => readonly string[];
  /** Bare repository that `origin` is. */
  readonly remote: string;
}

/** A tool of an MCP server. */
export const offered = (name: string, properties: object, required: readonly string[] = []): object => ({
  name,
  description: `Do ${name}.`,
  inputSchema: { type: "object", properties, required },
});

/** Starts the checkout: what an installed package is, without a build. */
const MAIN = `#!/usr/bin/env node\nawait import(${JSON.stringify(pathToFileURL(join(CHECKOUT, "generator/launch.mjs")).href)});\n`;

/** A double of a command, which writes down its arguments, and answers by a file beside it. */
const double = (name: string): string =>
  `#!/bin/sh\nhere=$(dirname "$0")\necho "${name} $*" >> "$here/asked.txt"\ncase "$*" in *comments*--jq*|*"pr list"*) cat "$here/answer.txt" ;; */user) echo '{"id":1}' ;; *page=*) echo '[]' ;; esac\n`;

/** Makes a repository whose packages bring toolwright; the project is in a folder of it. */
export function ciRepository(folder = "."): CiRepository {
  const [top, remote, bin] = [temporaryFolder(), temporaryFolder(), temporaryFolder()];
  const root = join(top, folder);
  const config = join(bin, "gitconfig");
  const env = {
    ...process.env,
    PATH: `${bin}${delimiter}${process.env["PATH"]}`,
    GIT_CONFIG_GLOBAL: config,
    npm_config_offline: "true",
    CI: "true",
  };
  writeFileSync(config, "[user]\n\tname = t\n\temail = t@example.com\n");
  for (const name of ["gh", "curl"]) writeFileSync(join(bin, name), double(name), { mode: 0o755 });
  writeFileSync(join(bin, "answer.txt"), "");
  const at = (cwd: string, command: string, args: readonly string[]): string =>
    execFileSync(command, args, { cwd, env, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
  const git = (...args: readonly string[]): string => at(top, "git", args);
  const write = (file: string, text: string, mode = 0o644): void => {
    mkdirSync(dirname(join(root, file)), { recursive: true });
    writeFileSync(join(root, file), text, { mode });
  };
  const vendored = { name: "toolwright", version: "0.0.0", type: "module", bin: { toolwright: "main.mjs" } };
  mkdirSync(join(top, "vendor"), { recursive: true });
  writeFileSync(join(top, "vendor/package.json"), JSON.stringify(vendored));
  writeFileSync(join(top, "vendor/main.mjs"), MAIN, { mode: 0o755 });
  const manifest = { name: "shop", private: true, dependencies: { toolwright: "file:vendor" } };
  writeFileSync(join(top, "package.json"), JSON.stringify(manifest));
  writeFileSync(join(top, ".gitignore"), "node_modules/\n.onetool/\n");
  at(top, "npm", ["install", "--silent"]);
  const tools = join(bin, "tools.json");
  const { command, args = [] } = behaving("tools");
  const serve = [command, ...args].map((one) => `'${one}'`).join(" ");
  const server = { command: "bash", args: ["-c", `exec ${serve} "$(cat '${tools}')"`] };
  write(
    "definitions/toolwright.yaml",
    `sources: [{ mcp: servers/*.json }]\nservers: ${JSON.stringify({ shop: server })}\n`,
  );
  execFileSync("git", ["init", "--quiet", "--bare", "--initial-branch=main", remote]);
  git("init", "--quiet", "--initial-branch=main");
  git("remote", "add", "origin", remote);
  return {
    ...{ top, root, env, git, write, remote },
    offer: (now) => writeFileSync(tools, JSON.stringify(now)),
    commit: (message) => {
      git("add", "--all");
      git("commit", "--quiet", "--allow-empty", "--message", message);
    },
    toolwright: (...given) => at(root, process.execPath, [join(CHECKOUT, "generator/launch.mjs"), ...given]),
    asked: () => {
      const file = join(bin, "asked.txt");
      const lines = execFileSync("cat", [file], { encoding: "utf8" }).trimEnd().split("\n");
      writeFileSync(file, "");
      return lines;
    },
  };
}

/** What the next questions to a double are answered with. */
export const answerWith = ({ env }: CiRepository, text: string): void =>
  writeFileSync(join(env["PATH"]?.split(delimiter)[0] ?? "", "answer.txt"), text);

/** Text of a file of the project. */
export const textOf = ({ root }: CiRepository, file: string): string => readFileSync(join(root, file), "utf8");
