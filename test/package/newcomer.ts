/** A newcomer: a folder with the packed package, in which the words of the documentation are typed into a shell. */

import { type ChildProcessByStdio, execFileSync, spawn } from "node:child_process";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join, relative } from "node:path";
import type { Readable } from "node:stream";
import { afterAll, beforeAll, onTestFinished } from "vitest";
import { type Block, blocksIn, commandsOf } from "../support/doc-blocks.js";
import { pageText } from "../support/doc-pages.js";
import { installInto } from "../support/installed.js";
import { type Json, temporaryFolder } from "../support/project.js";
import { lendSnapshots } from "../support/run/python-snapshots.js";

/** A name of a folder that commands must quote: a space, an apostrophe, Cyrillic, Chinese. */
export const AWKWARD = "it's my Мой 项目";

/** What a command ended with, and all that it printed. */
interface Said {
  readonly code: number | null;
  readonly text: string;
}

/** Somebody who types in a folder. */
export interface Newcomer {
  readonly root: string;
  /** An empty home, and the folder of installed commands in the path. */
  readonly env: NodeJS.ProcessEnv;
  /** Types lines into a shell, and waits for their end. */
  type(lines: string): Promise<Said>;
  /** The same; an exit code other than the expected one fails the test. Gives what was printed. */
  ok(lines: string, code?: number): Promise<string>;
  /** Writes a file. */
  write(file: string, text: string): void;
  /** Starts a server in the background and waits for its address. It ends with the test. */
  serve(line: string): Promise<{ readonly url: string; said(): string; end(): Promise<void> }>;
}

/** Packs and installs the package once, and gives it to newcomers: each has a folder of its own with an awkward name. */
export function newcomers(): () => Newcomer {
  const cleaning: (() => void)[] = [];
  let packed = "";
  beforeAll(() => {
    packed = temporaryFolder((clean) => void cleaning.push(clean));
    const command = join(packed, "node_modules/.bin/toolwright");
    const program = installInto(packed);
    mkdirSync(dirname(command), { recursive: true });
    symlinkSync(relative(dirname(command), program), command);
  }, 600_000);
  afterAll(() => {
    for (const clean of cleaning) clean();
  });
  return () => {
    const root = join(temporaryFolder(), AWKWARD);
    mkdirSync(root);
    execFileSync("cp", ["-al", join(packed, "node_modules"), root]);
    writeFileSync(join(root, "package.json"), '{ "dependencies": { "toolwright": "file:toolwright.tgz" } }\n');
    lendSnapshots(join(root, ".onetool/cache"));
    return typingIn(root, { npm_config_offline: "true" });
  };
}

/** Somebody who types in a folder that is there, with more variables. */
export function typingIn(root: string, variables: NodeJS.ProcessEnv = {}): Newcomer {
  const home = temporaryFolder();
  const env: NodeJS.ProcessEnv = {
    ...process.env,
    ...{ HOME: home, XDG_CONFIG_HOME: "", XDG_CACHE_HOME: "", CODEX_HOME: "", NO_COLOR: "1" },
    // Else npm adds a notice of a newer npm to what a command prints.
    npm_config_update_notifier: "false",
    PATH: `${join(root, "node_modules/.bin")}${delimiter}${process.env["PATH"]}`,
    ...variables,
  };
  // A test runner is a script of npm, whose variables name the checkout.
  for (const name of Object.keys(env))
    if (/^npm_(?:package|lifecycle|config_local|command|execpath)|^INIT_CWD$/.test(name)) delete env[name];
  const start = (lines: string): ChildProcessByStdio<null, Readable, Readable> =>
    spawn("bash", ["-c", lines], { cwd: root, env, stdio: ["ignore", "pipe", "pipe"], detached: true });
  const type = (lines: string): Promise<Said> => {
    const child = start(lines);
    const said = textOf(child);
    return new Promise((resolve, reject) => {
      child.once("error", reject);
      child.once("close", (code) => resolve({ code, text: said() }));
    });
  };
  return {
    ...{ root, env, type },
    ok: async (lines, expected = 0) => {
      const { code, text } = await type(lines);
      if (code !== expected) throw new Error(`${lines}\nended with ${code}:\n${text}`);
      return text;
    },
    write: (file, text) => {
      mkdirSync(dirname(join(root, file)), { recursive: true });
      writeFileSync(join(root, file), text);
    },
    serve: (line) => listening(start(`exec ${line}`)),
  };
}

function textOf(child: ChildProcessByStdio<null, Readable, Readable>): () => string {
  let text = "";
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding("utf8").on("data", (more) => (text += more));
  return () => text;
}

/** Waits for the line that names the address of a server. */
async function listening(child: ChildProcessByStdio<null, Readable, Readable>): ReturnType<Newcomer["serve"]> {
  const said = textOf(child);
  const ended = new Promise<void>((resolve) => child.once("close", () => resolve()));
  const end = (): Promise<void> => {
    if (child.exitCode === null && child.signalCode === null) process.kill(-(child.pid ?? 0), "SIGTERM");
    return ended;
  };
  onTestFinished(end);
  const url = await new Promise<string>((resolve, reject) => {
    const look = (): void => {
      const [, found] = /listening on (http\S+)/.exec(said()) ?? [];
      if (found !== undefined) resolve(found);
    };
    child.stderr.on("data", look);
    void ended.then(() => reject(new Error(`the server ended: ${said()}`)));
  });
  return { url, said, end };
}

/** The blocks of the part of a page below a heading, up to the next heading of that level or a higher one. */
export function blocksBelow(page: string, heading: string): readonly Block[] {
  const text = `\n${pageText(page)}`;
  const bare = text.replace(/^(`{3,})[^\n]*\n(?:.*\n)*?\1$/gm, (block) => block.replaceAll("#", "\0"));
  const at = bare.indexOf(`\n${heading}\n`);
  if (at < 0) throw new Error(`${page} has no heading "${heading}"`);
  const rest = bare.slice(at + 1 + heading.length);
  const level = heading.indexOf(" ");
  const next = new RegExp(`^#{1,${level}} `, "m").exec(rest);
  return blocksIn(page, rest.slice(0, next?.index).replaceAll("\0", "#"));
}

/** The text of a block that begins with the name of its file. @throws Error if there is none */
export function fileIn(blocks: readonly Block[], file: string): string {
  const found = blocks.find(({ text }) => /^(?:\/\/|#) (\S+)/.exec(text)?.[1] === file);
  if (found === undefined) throw new Error(`no block is the file ${file}`);
  return found.text;
}

/** The commands of `sh` and `console` below a heading, without those that install. */
export const commandsBelow = (page: string, heading: string): readonly string[] =>
  blocksBelow(page, heading)
    .filter(({ language }) => language === "sh" || language === "console")
    .flatMap(commandsOf)
    .map(({ line }) => line)
    .filter((line) => !line.startsWith("npm install"));

/** What a command prints as JSON after its notes. */
export const jsonOf = (text: string): Json => JSON.parse(text.slice(text.indexOf("{")));

/** The commands between marks of code in the text of a page that begin with these words. */
export const inlineCommand = (page: string, begin: string): string => {
  const [, found] = new RegExp(`\`(${begin.replace(/[.()]/g, "\\$&")}[^\`]*)\``).exec(pageText(page)) ?? [];
  if (found === undefined) throw new Error(`${page} has no \`${begin}…\``);
  return found;
};
