/**
 * Every place where a text of an upstream server, of an API description or of a caller reaches a terminal, a shell, a file that others
 * run or read, or HTML. `SECURITY.md` lists them; a new place is a row here.
 */

import { cpSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { eachCase, slowRows } from "./support/each-case.js";
import { ALL, type ForeignProject, foreignProject, WORD } from "./support/foreign-project.js";
import { OBEYED, WORKFLOW_COMMAND } from "./support/foreign-texts.js";
import { CHECKOUT, serve } from "./support/project.js";
import { onTerminal } from "./support/terminal.js";

const OP = "shop.update_texts";
const GET = "shop.get_text";

/** What each command prints: those whose texts are those of others, and all other commands in a project with such texts. */
const PRINTED: readonly (readonly [place: string, ...args: (readonly string[])[]])[] = [
  ["generate", ["generate"], ["generate", "--json"], ["generate", "--stats", "--strict"]],
  ["check, with a difference", ["check"], ["check", "--json"]],
  ["explain", ["explain", OP], ["explain", OP, "--json"], ["explain", WORD]],
  ["names and enums", ["names"], ["names", "--json"], ["enums"], ["enums", "--json"], ["enums", WORD]],
  ["learn", ["learn"], ["learn", "--check", "--json"]],
  ["snapshot", ["snapshot"], ["snapshot", "--json"], ["snapshot", "--check"], ["snapshot", WORD]],
  [
    "add and remove",
    ["add", "--yes", WORD, "--", "node"],
    ["add", "--yes", "bad", "--", "node", "-e", WORD],
    ["remove", WORD],
  ],
  ["help", ["help", OP, "--full", "--schemas"], ["help", "shop"], ["help", OP, "--json"], ["help", WORD], ["help"]],
  [
    "exec",
    ["exec", GET],
    ["exec", GET, "--json"],
    ["exec", GET, "--fail", "true"],
    ["exec", WORD],
    ["exec", GET, "--n", WORD],
  ],
  ["run, a result", ["run", "-c", `${GET}()`], ["run", "--json", "-c", `${GET}()`]],
  ["run, what is printed", ["run", "-c", `print(${GET}(), "\\x1b[2J", chr(0x202e))`]],
  ["run, an error", ["run", "-c", `raise ValueError(${GET}())`], ["run", "-c", `${GET}(fail=True)`], ["run", WORD]],
  [
    "run --check and --preview",
    ["run", "--check", "-c", `${GET}(nope=${JSON.stringify(WORD)})`],
    ["run", "--preview", "-c", `${GET}()`],
  ],
  ["breaking", ["breaking", "--against", "before"], ["breaking", "--against", "before", "--format", "json"]],
  ["breaking for others", ["breaking", "--against", "before", "--format", "sarif"], ["breaking", "--against", WORD]],
  [
    "keys",
    ["keys", "create", "--name", WORD, "--scope", "read", "--json"],
    ["keys", "list"],
    ["keys", "list", "--json"],
    ["keys", "revoke", WORD],
  ],
  ["jobs and runs", ["jobs", "list"], ["jobs", "drop", WORD], ["runs", "list", "--json"], ["runs", "show", WORD]],
  ["connections", ["connections", "list"], ["connections", "revoke", WORD], ["secrets", "check"]],
  ["config and doctor", ["config"], ["config", "--origins"], ["config", "--json"], ["doctor"], ["doctor", "--json"]],
  [
    "connect",
    ["connect"],
    ["connect", "--json"],
    ["connect", "claude-code"],
    ["connect", WORD],
    ["connect", "cursor", "--name", WORD],
    ["disconnect", WORD],
  ],
  ["docs build", ["docs", "build", "--out", "site"], ["docs", "build", "--out", WORD.slice(0, 40)]],
  [
    "faults of a command line",
    [WORD],
    ["exec", `--${WORD}`],
    ["call", WORD, WORD],
    ["call", OP, `x=${WORD}`, `${WORD}=1`],
    ["call", OP, `x=@${WORD}`],
    ["list", "--stdio", WORD],
    ["list", "--tools", WORD],
    ["list", "--url", `http://${WORD}`],
    ["list", "--openapi", `http://127.0.0.1:1/${WORD}`],
    ["list", "--url", "http://127.0.0.1:1", "--header", WORD],
    ["serve", "--http", WORD],
    ["run", "--engine", WORD, "x"],
  ],
  ["init", ["init", "--yes", "--root", "other", "--server", WORD]],
  ["list", ["list"], ["list", "--json"], ["list", WORD]],
];

const cleaning: (() => void)[] = [];
let project: ForeignProject & { readonly made: readonly { readonly stdout: string; readonly stderr: string }[] };

beforeAll(async () => {
  project = await foreignProject((clean) => cleaning.push(clean));
  const { root } = project;
  cpSync(join(root, "generated"), join(root, "before"), { recursive: true });
  return () => {
    for (const clean of cleaning) clean();
  };
}, 600_000);

/** Colours, and the line of the progress. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
const OUR_OWN = /\u001b\[(?:0|1|2|31|32|33|36)m|\r\u001b\[K/g;

/** Fails where a stream holds what a terminal obeys, or nobody sees. */
function isUnseen(text: string): void {
  const at = OBEYED.exec(text);
  expect(at && text.slice(Math.max(0, at.index - 60), at.index + 20)).toBeNull();
}

/** Fails where it holds what a runner of GitHub Actions obeys, too. */
function isHarmless(text: string): void {
  isUnseen(text);
  const command = WORKFLOW_COMMAND.exec(text.replace(/^::error title=generated-drift::run "npm run generate"$/m, ""));
  expect(command && text.slice(Math.max(0, command.index - 60), command.index + 40)).toBeNull();
}

describe("a terminal, or the log of a step, gets no byte that it obeys", { timeout: 300_000 }, () => {
  test("what snapshot and generate say of a new server", () => {
    for (const { stdout, stderr } of project.made) isHarmless(stdout + stderr);
  });

  eachCase(
    PRINTED,
    "explain",
    "help",
    "keys",
    ...slowRows("run, what is printed", "breaking", "exec", "keys"),
  )("from %s", {}, async (_, ...commands) => {
    for (const args of commands) {
      const { code, stdout, stderr } = await project.run(...args);
      expect([args, code === 70]).toEqual([args, false]);
      isHarmless(stdout);
      isHarmless(stderr);
      // What is not JSON is a refusal, on standard error.
      if (args.includes("--json") && stdout !== "") for (const line of stdout.trim().split("\n")) JSON.parse(line);
    }
  });
});

describe("a terminal of a person", { timeout: 300_000 }, () => {
  test.each([
    ["explain", ["explain", OP]],
    ["run", ["run", "-c", `print(${GET}())`]],
    ["snapshot, with its progress", ["snapshot"]],
  ])("%s: only colours of our own", { tags: "slow" }, async (_, args) => {
    const { GITHUB_ACTIONS: _actions, ...env } = project.env;
    const shown = await onTerminal(args, { env, cwd: project.root });
    if (!shown) return;
    isUnseen(shown.raw.replace(OUR_OWN, "").replace(/\r+\n/g, "\n"));
    expect(shown.raw).toContain("\\u202e");
  });

  test("the log of a server, whose client sends such texts", { tags: "slow" }, async () => {
    const { client, stderr, close } = await serve(project.root, ["--log-level", "debug"], project.env);
    await client.callTool({ name: "tool_exec", arguments: { op: ALL.slice(0, 300), args: { [ALL]: ALL } } });
    await client.callTool({ name: "run", arguments: { command: `print(${GET}())\n${GET}(fail=True)` } });
    await close();
    isHarmless(stderr());
    expect(stderr()).not.toBe("");
  });
});

/** Modules that write to a standard stream, and why they may. */
const WRITERS: Readonly<Record<string, string>> = {
  "runtime/contract/terminal.ts": "the one place through which texts for people go",
  "runtime/config/log.ts": "lines of the log, escaped there; looks whether standard error is a terminal",
  "runtime/serve/stdio/stdio.ts": "messages of the protocol, as JSON",
  "features/ci/scripts.ts": "prints in a script of a pipeline, as a text that is not run here",
  "generator/cli/completion.ts": "what a library prints to `console.log` is caught there",
  "generator/source/exported-tools.ts": "prints in a program of another language that is never run here, as a text",
  "runtime/run/languages/python/notations.ts": "names console.log of programs in another language, which never run",
  "features/typescript/compile.ts": "names console.log as advice to programs, as a text",
  "features/typescript/console/language.ts": "names console.log in an example of a program, as a text",
  "features/state-transfer/command.ts": "the export of a database, as JSON, where standard output is asked for",
};
/** What they use to write. */
const WRITING =
  /process\.std(?:out|err)\b(?!\.(?:isTTY|on\b))|\bconsole\.(?:log|error|warn|info|debug|table|dir)\b|\bwriteSync\([12],|"inherit"/;

test("nothing else writes to a standard stream", () => {
  const files = ["core", "features", "generator", "runtime"].flatMap((folder) =>
    readdirSync(join(CHECKOUT, folder), { recursive: true, encoding: "utf8" })
      .filter((one) => /\.m?ts$/.test(one) && !/[\\/](?:bench|test)[\\/]/.test(one))
      .map((one) => `${folder}/${one.replaceAll("\\", "/")}`),
  );
  // Pages run in a browser, and examples in comments are not run.
  const code = (file: string) => readFileSync(join(CHECKOUT, file), "utf8").replace(/^\s*(?:\/\/|\/?\*).*$/gm, "");
  const writers = files.filter((one) => !one.includes("/console/app/") && WRITING.test(code(one)));
  expect(writers.sort()).toEqual(Object.keys(WRITERS).sort());
});
