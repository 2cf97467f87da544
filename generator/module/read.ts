/** Reads the tools of a module: imports it in a locked child process, and gives what the process says of its tools. */

import { spawn } from "node:child_process";
import { existsSync, readdirSync, readFileSync, realpathSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import type { Duplex } from "node:stream";
import { fileURLToPath, pathToFileURL } from "node:url";
import { permissionFlags } from "../../runtime/contract/permission-flags.js";
import { wrongWith } from "../plugin/forms.js";
import type { ReadModule } from "../source/source.js";
import { MODULE_FORM } from "./form.js";

/** Time limit for importing a module and reading its tools, in milliseconds. */
const MODULE_MS = 30_000;
/** Heap of the process, in MB. */
const MAX_MEMORY_MB = 1024;
/** Longest list of tools that a module gives, in bytes. */
const MAX_LIST_BYTES = 67_108_864;
/** Longest part of the reason of a module that is shown. */
const MAX_REASON_LENGTH = 500;

/** What a module is read with. */
export interface ModuleRun {
  readonly root: string;
  /** Path of the program of the child process. */
  readonly program: string;
  /** Address of what is imported. */
  readonly url: string;
  /** Path of the module of the user. */
  readonly path: string;
  /** Paths of the files that it consists of. */
  readonly inputs: readonly string[];
  /** Addresses of the modules that it imports. */
  readonly imports: readonly string[];
  /** Time limit in milliseconds. */
  readonly ms?: number;
}

/** The tools of a module, or why it gives none. */
export async function readModule(parts: ModuleRun): Promise<ReadModule> {
  const { root, program, url, path, ms = MODULE_MS } = parts;
  const flags = [
    ...permissionFlags(readableFor(parts)),
    "--experimental-import-meta-resolve",
    "--no-warnings",
    `--max-old-space-size=${MAX_MEMORY_MB}`,
  ];
  const child = spawn(process.execPath, [...flags, program, url, pathToFileURL(path).href], {
    env: { TZ: "UTC" },
    cwd: root,
    stdio: ["ignore", "ignore", "ignore", "pipe"],
    windowsHide: true,
  });
  const ended = new Promise<string>((resolve) => {
    child.once("error", (error) => resolve(`its process does not start: ${error.message}`));
    child.once("close", (code, signal) => resolve(`it ended its process (${signal ?? `exit code ${code}`})`));
  });
  let stopped: string | undefined;
  const stop = (reason: string): void => {
    stopped ??= reason;
    child.kill("SIGKILL");
  };
  const timer = setTimeout(() => stop(`it did not end within ${ms / 1000} seconds`), ms);
  const [bytes, reason] = await Promise.all([bytesOf(child.stdio[3] as Duplex, stop), ended]);
  clearTimeout(timer);
  return answerOf(stopped, reason, bytes, url);
}

/** All bytes of a pipe, up to the bound. */
async function bytesOf(pipe: Duplex, stop: (reason: string) => void): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  pipe.on("data", (chunk: Buffer) => {
    size += chunk.length;
    if (size > MAX_LIST_BYTES) stop(`its tools have more than ${MAX_LIST_BYTES / 1_048_576} MB`);
    else chunks.push(chunk);
  });
  pipe.on("error", () => undefined);
  await new Promise((resolve) => pipe.once("close", resolve));
  return Buffer.concat(chunks);
}

/** What the process gives, by {@link MODULE_FORM}. */
type Answer = Extract<ReadModule, { tools: unknown }> & {
  readonly failed: string;
  /** Of the bundle, where its code failed. */
  readonly line: number;
};

function answerOf(stopped: string | undefined, ended: string, bytes: Buffer, url: string): ReadModule {
  const value = stopped === undefined ? parsedJson(bytes.toString("utf8")) : undefined;
  if (value === undefined) return { failed: stopped ?? ended };
  const wrong = wrongWith(value, MODULE_FORM);
  if (wrong !== undefined) return { failed: `it gives a wrong list of tools: ${wrong}` };
  const { failed, line, tools = [], strangers = [] } = value as Partial<Answer>;
  if (failed === undefined) return { tools, strangers };
  const code = line === undefined ? undefined : lineOf(url, line);
  return { failed: reasonIn(failed), ...(code === undefined ? {} : { code }) };
}

/** A line of a bundle; undefined for one that is in no file. */
function lineOf(url: string, line: number): string | undefined {
  try {
    return readFileSync(fileURLToPath(url), "utf8").split("\n")[line - 1];
  } catch {
    return undefined;
  }
}

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const reasonIn = (text: string): string =>
  (text.split("\n").find((line) => line.trim() !== "") ?? "it gives no reason").slice(0, MAX_REASON_LENGTH);

/**
 * What the process may read: its program, the bundle and what it is made of, the packages, and all of the project but hidden files and
 * folders, which hold secrets and state.
 */
function readableFor({ root, program, url, path, inputs, imports }: ModuleRun): readonly string[] {
  const files = [url, ...imports].flatMap((one) => (one.startsWith("file:") ? [fileURLToPath(one)] : []));
  const [bundle, ...packages] = files;
  const visible = readdirSync(root).filter((name) => !name.startsWith("."));
  const folders = [...ancestorsOf(root), ...ancestorsOf(dirname(path))].map((one) => join(one, "node_modules"));
  const all = [
    ...visible.map((name) => join(root, name)),
    ...[dirname(program), ...folders, ...packages.map(packageOf)],
    ...(bundle === undefined ? [] : [bundle]),
    ...[path, ...inputs],
  ];
  const real = all.flatMap((one) => (existsSync(one) ? [resolve(one), realpathSync(one)] : []));
  return [...new Set(real)].map((one) => (statSync(one).isDirectory() ? `${one}/` : one));
}

function ancestorsOf(folder: string): readonly string[] {
  const above = dirname(folder);
  return above === folder ? [folder] : [folder, ...ancestorsOf(above)];
}

/** The folder of the package that a file belongs to. */
const packageOf = (file: string): string =>
  ancestorsOf(dirname(file)).find((one) => existsSync(join(one, "package.json"))) ?? dirname(file);
