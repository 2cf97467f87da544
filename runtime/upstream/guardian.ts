/**
 * Ends upstream processes after this process was killed. A killed process cannot clean up, and a server may ignore the
 * end of its input; so a small guardian process reads the running process groups from its input, and ends them when its
 * input ends.
 */

import { type ChildProcess, spawn } from "node:child_process";

/**
 * The POSIX guardian. The latest line lists the running groups; at the end of input each gets SIGTERM and, a second
 * later, SIGKILL.
 */
const POSIX = [
  'trap "" INT TERM HUP',
  "groups=",
  "while read -r line; do groups=$line; done",
  "for one in $groups; do kill -s TERM -- -$one; done",
  '[ -z "$groups" ] || sleep 1',
  "for one in $groups; do kill -s KILL -- -$one; done",
].join("\n");

/** The Windows guardian. There are no process groups, so each process is ended with its descendants. */
const WINDOWS = `let text = "";
process.stdin.setEncoding("utf8").on("data", (more) => { text = (text + more).split("\\n").slice(-2).join("\\n"); });
process.stdin.on("end", () => {
  const { spawnSync } = require("node:child_process");
  for (const one of text.split("\\n")[0].split(" ")) if (one) spawnSync("taskkill", ["/PID", one, "/T", "/F"]);
});`;

const command: readonly [string, readonly string[]] =
  process.platform === "win32" ? [process.execPath, ["-e", WINDOWS]] : ["/bin/sh", ["-c", POSIX]];

let guardian: ChildProcess | undefined;

/**
 * Sends the list of processes to the guardian, which starts with the first one. Resolves once the list is in the
 * guardian's input, where it remains if this process ends, or if it cannot be sent.
 */
export async function guardProcesses(pids: readonly number[]): Promise<void> {
  if (guardian === undefined && pids.length === 0) return;
  guardian ??= start();
  const input = guardian.stdin;
  await new Promise<void>((resolve) => (input ? input.write(`${pids.join(" ")}\n`, () => resolve()) : resolve()));
}

function start(): ChildProcess {
  const [program, args] = command;
  // In a process group of its own, which signals from the terminal do not reach.
  const child = spawn(program, args, { stdio: ["pipe", "ignore", "ignore"], detached: true, windowsHide: true });
  const gone = (): void => {
    if (guardian === child) guardian = undefined;
  };
  child.once("error", gone).once("exit", gone);
  child.stdin.on("error", gone);
  child.unref();
  // The pipe must not keep this process alive.
  if ("unref" in child.stdin && typeof child.stdin.unref === "function") child.stdin.unref();
  return child;
}
