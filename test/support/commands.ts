/**
 * Runs commands of the checkout in one process that stays, of each Vitest worker: `command-host.mjs`. A command then takes a fraction
 * of the processor time that a process of its own takes, most of which loads the program. At full size each has its own.
 */

import { type ChildProcess, fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import { SCALE } from "./random.js";

/** A command line, where and with which variables it runs. */
export interface Command {
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
}

/** What a command printed, and its exit code. */
export interface Ran {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

const HOST = fileURLToPath(new URL("command-host.mjs", import.meta.url));
const LAUNCHER = fileURLToPath(new URL("../../generator/launch.mjs", import.meta.url));
/** Commands that do their work and end, and run no code of a project but plugins. */
const HOSTED: ReadonlySet<string | undefined> = new Set([
  "--help",
  "--version",
  "breaking",
  "check",
  "completion",
  "config",
  "connect",
  "docs",
  "enums",
  "explain",
  "generate",
  "help",
  "init",
  "keys",
  "learn",
  "names",
  "state",
]);
/** What Node.js reads when a process starts. */
const READ_AT_START = /^(?:TZ|LANG|LC_|NODE_|UV_|XDG_CACHE_HOME$|TMPDIR$)/;

let host: ChildProcess | undefined;
let isBusy = false;

const setting = (env: NodeJS.ProcessEnv): string =>
  JSON.stringify(Object.entries(env).filter(([name]) => READ_AT_START.test(name)));

/** Whether a command runs in the process that stays: one at a time, so that commands that a test starts together do run together. */
export function canHost({ args, env }: Command): boolean {
  if (SCALE >= 1 || isBusy || !HOSTED.has(args[0])) return false;
  return !args.includes("--watch") && setting(env) === setting(process.env);
}

/** Runs a command that {@link canHost} accepts. */
export async function runHosted(command: Command): Promise<Ran> {
  isBusy = true;
  host ??= startHost();
  const child = host;
  // It keeps this process running only while a command runs.
  child.ref();
  child.channel?.ref();
  try {
    return await new Promise<Ran>((resolve, reject) => {
      const end = (code: number | null): void => reject(new Error(`the process of commands ended with ${code}`));
      child.once("exit", end);
      child.once("message", (message) => {
        const { ran, isLast } = message as { readonly ran: Ran; readonly isLast: boolean };
        child.off("exit", end);
        if (isLast) retire(child);
        resolve(ran);
      });
      child.send(command);
    });
  } finally {
    child.unref();
    child.channel?.unref();
    isBusy = false;
  }
}

/** Lets a process end; the next command starts another one. */
function retire(child: ChildProcess): void {
  host = undefined;
  child.disconnect();
}

function startHost(): ChildProcess {
  const child = fork(HOST, [LAUNCHER], { execArgv: [], stdio: ["ignore", "inherit", "inherit", "ipc"] });
  child.once("exit", () => {
    if (host === child) host = undefined;
  });
  return child;
}
