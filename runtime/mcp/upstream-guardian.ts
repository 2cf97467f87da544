/**
 * Ends upstream processes after this one was killed. A process that is killed can end nothing itself, and a server may ignore the end of its
 * input; so a small process stands by that is told which process groups run, and ends them when its input does.
 */

import { type ChildProcess, spawn } from "node:child_process";

/** Reads the process groups that run, the newest line counts; at the end of the input each gets SIGTERM and, a second later, SIGKILL. */
const POSIX = [
  'trap "" INT TERM HUP',
  "groups=",
  "while read -r line; do groups=$line; done",
  "for one in $groups; do kill -s TERM -- -$one; done",
  '[ -z "$groups" ] || sleep 1',
  "for one in $groups; do kill -s KILL -- -$one; done",
].join("\n");

/** The same on Windows, which has no groups: each process with all that it has started. */
const WINDOWS = `let text = "";
process.stdin.setEncoding("utf8").on("data", (more) => { text = (text + more).split("\\n").slice(-2).join("\\n"); });
process.stdin.on("end", () => {
  const { spawnSync } = require("node:child_process");
  for (const one of text.split("\\n")[0].split(" ")) if (one) spawnSync("taskkill", ["/PID", one, "/T", "/F"]);
});`;

const command: readonly [string, readonly string[]] =
  process.platform === "win32" ? [process.execPath, ["-e", WINDOWS]] : ["/bin/sh", ["-c", POSIX]];

let guardian: ChildProcess | undefined;

/** Says which processes are to be ended should this one be killed; the guardian starts with the first of them. */
export function guardProcesses(pids: readonly number[]): void {
  if (guardian === undefined && pids.length === 0) return;
  guardian ??= start();
  guardian.stdin?.write(`${pids.join(" ")}\n`);
}

function start(): ChildProcess {
  const [program, args] = command;
  // In a group of its own, which no signal from a terminal reaches.
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
