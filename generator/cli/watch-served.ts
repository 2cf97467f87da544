/** Implements `toolwright serve --watch`: after a change of the definitions it generates and reloads; a fault keeps what is served. */

import { spawn } from "node:child_process";
import { realpathSync } from "node:fs";
import { resolve } from "node:path";
import { counted, onLine } from "../../runtime/contract/message-text.js";
import { type Diagnostic, formatDiagnostic } from "../core/diagnostic.js";
import { filesRead, staleSources } from "./last-run.js";
import { namedFiles, watchChanges } from "./watch.js";

/** Outcome of `generate`. */
export type Generated =
  | { readonly ok: true; readonly ops: number; readonly written: number }
  | { readonly ok: false; readonly faults: readonly string[] };

/** The server whose definitions are watched. */
export interface WatchedServer {
  readonly log: {
    info(message: string): void;
    warn(message: string): void;
    error(message: string): void;
  };
  /** Answers `OK: …` or `Error: …`. */
  reload(): Promise<string>;
}

/** A feature of a plugin that the server has loaded. */
export interface WatchedFeature {
  /** As errors name it. */
  readonly label: string;
  /** The files of its code, relative to the root. */
  readonly files: readonly string[];
}

/** What the watch takes from the command line. */
export interface WatchSetting {
  readonly root: string;
  /** The state directory, relative to the root. */
  readonly home: string;
  readonly generate: () => Promise<Generated>;
  /** The features that the server has loaded, but for those whose code cannot be read now. */
  readonly features: () => Promise<readonly WatchedFeature[]>;
}

/** Follows the definitions until `signal` is aborted. Each step is a line in the log. */
export async function watchServed(
  { root, home, generate, features }: WatchSetting,
  { log, reload }: WatchedServer,
  signal: AbortSignal,
): Promise<void> {
  const changes = await watchChanges(root, signal, (text) => log.error(onLine(text)));
  changes.add(filesRead(root, home));
  const restarts = await restartsAfter(root, features);
  log.info("watching definitions/ for changes");
  // What was edited while the server started.
  const missed = staleSources(root, home);
  const first = missed.length > 0 ? missed : await changes.next();
  for (let changed = first; changed !== undefined; changed = await changes.next()) {
    log.info(`changed: ${onLine(namedFiles(changed, root))}`);
    for (const line of await restarts(changed)) log.warn(onLine(line));
    const made = await generate();
    if (signal.aborted) break;
    changes.add(filesRead(root, home));
    if (!made.ok) {
      for (const fault of made.faults) log.error(onLine(fault));
      log.error("not reloaded: what was served before is still served; correct the definitions");
      continue;
    }
    log.info(`generated: ${counted(made.ops, "op")}, ${counted(made.written, "file")} written`);
    const answer = await reload();
    if (answer.startsWith("OK")) log.info("reloaded: clients are told with list_changed");
    else log.error(onLine(answer));
  }
  await changes.close();
}

/** Makes what says which features have changed with files: a server loads their code once. */
async function restartsAfter(root: string, features: WatchSetting["features"]) {
  const known = new Map<string, ReadonlySet<string>>();
  const read = async (): Promise<void> => {
    for (const { label, files } of await features())
      known.set(label, new Set(files.map((file) => resolve(root, file))));
  };
  await read();
  return async (changed: readonly string[]): Promise<readonly string[]> => {
    await read();
    return [...known].flatMap(([label, files]) => {
      const own = changed.filter((path) => files.has(realPath(resolve(root, path))));
      if (own.length === 0) return [];
      const where = namedFiles(own, root);
      return [`${label} has changed in ${where}: restart the server, which has loaded its code and loads it once`];
    });
  };
}

/** The path without symbolic links, as bundles name files; of a file that is gone, the path as it is. */
function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

/** Most output of a command that is read, in characters. */
const MAX_OUTPUT = 50_000_000;

/**
 * Runs `generate --json` in a process of its own, so that the server answers meanwhile.
 *
 * @param launcher - the command line
 */
export async function generateApart(launcher: string, root: string): Promise<Generated> {
  const { stdout, words } = await runApart(launcher, ["generate", "--json", "--root", root]);
  return outcomeIn(stdout) ?? { ok: false, faults: [words] };
}

/** Runs `snapshot --json` for one server, likewise. Returns why it cannot be read. */
export async function snapshotApart(launcher: string, root: string, name: string): Promise<string | undefined> {
  const { stdout, words } = await runApart(launcher, ["snapshot", name, "--json", "--root", root]);
  try {
    const { ok, servers } = JSON.parse(stdout) as SnapshotText;
    const { message, remedy } = servers[0]?.error ?? {};
    return ok ? undefined : `${name} cannot be read: ${message ?? words}${remedy ? `. To do: ${remedy}` : ""}`;
  } catch {
    return words;
  }
}

interface SnapshotText {
  readonly ok: boolean;
  readonly servers: readonly { readonly error?: { readonly message: string; readonly remedy: string } }[];
}

/** What a command has printed, and the last line of its errors. Never rejects. */
function runApart(
  launcher: string,
  args: readonly string[],
): Promise<{ readonly stdout: string; readonly words: string }> {
  const [command = ""] = args;
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [launcher, ...args], { stdio: ["ignore", "pipe", "pipe"] });
    const texts = { stdout: "", stderr: "" };
    for (const name of ["stdout", "stderr"] as const)
      child[name].setEncoding("utf8").on("data", (text: string) => {
        if (texts[name].length < MAX_OUTPUT) texts[name] += text;
      });
    child.once("error", (error) => resolve({ stdout: "", words: `${command} cannot be started: ${error.message}` }));
    child.once("close", (code) => {
      const words = texts.stderr.trim().split("\n").at(-1) || `${command} ended with ${code ?? "a signal"}`;
      resolve({ stdout: texts.stdout, words });
    });
  });
}

function outcomeIn(text: string): Generated | undefined {
  try {
    const value = JSON.parse(text) as OutcomeText;
    if (value.ok) return { ok: true, ops: value.ops, written: value.written.length };
    return { ok: false, faults: value.diagnostics.filter((one) => one.severity === "error").map(formatDiagnostic) };
  } catch {
    return undefined;
  }
}

type OutcomeText =
  | { readonly ok: true; readonly ops: number; readonly written: readonly string[] }
  | { readonly ok: false; readonly diagnostics: readonly Diagnostic[] };
