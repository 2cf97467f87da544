/** `toolwright generate --watch`: generates again whenever something that the last run read has changed, until it is interrupted. */

import { join, relative, resolve, sep } from "node:path";
import type { FSWatcher } from "chokidar";
import { messageOf } from "toolwright/codegen";
import { type BuildFlags, generate, type Setting } from "./generate.js";
import type { LastRun } from "./last-run.js";

/** Time without a change before a run: an editor saves in several steps, a checkout changes many files. */
const QUIET_MS = 100;

/** Watches until `signal` is aborted. Exit code 0: faults of single runs are printed as they come. */
export async function watch(setting: Setting, flags: BuildFlags, signal: AbortSignal): Promise<number> {
  const { root, err, paint } = setting;
  const { watcher, close } = await open(root);
  const changed = new Set<string>();
  const remember = async (run: LastRun): Promise<void> => {
    // Sources may lie outside definitions/.
    watcher.add(Object.keys(run.read).map((path) => resolve(root, path)));
    await setting.remember(run);
  };
  const say = (text: string): void => err(`${paint("dim", text)}\n`);
  const done = new Promise<void>((end) => signal.addEventListener("abort", () => end(), { once: true }));
  let wake = (): void => {};
  watcher.on("all", (_, path) => {
    changed.add(path);
    wake();
  });
  watcher.on("error", (error) => say(`cannot watch: ${messageOf(error)}`));
  await generate({ ...setting, remember }, flags);
  while (!signal.aborted) {
    say("watching definitions/ for changes; Ctrl-C ends");
    if (changed.size === 0) await Promise.race([done, new Promise<void>((next) => (wake = next))]);
    for (let before = -1; before !== changed.size && !signal.aborted; ) {
      before = changed.size;
      await Promise.race([done, new Promise((next) => setTimeout(next, QUIET_MS))]);
    }
    if (signal.aborted) break;
    say(`changed: ${listed([...changed], root)}`);
    changed.clear();
    await generate({ ...setting, remember }, flags);
  }
  await close();
  return 0;
}

interface Open {
  readonly watcher: FSWatcher;
  readonly close: () => Promise<void>;
}

/** A watch on `definitions/` that outlasts it: a checkout may take the folder away, and bring it back. */
async function open(root: string): Promise<Open> {
  const { watch: watchFiles } = await import("chokidar");
  const definitions = join(root, "definitions");
  const ignored = (path: string): boolean =>
    path.startsWith(definitions + sep) && NOT_A_SOURCE.test(relative(definitions, path));
  const watcher = watchFiles(definitions, { ignoreInitial: true, ignored });
  const around = watchFiles(root, {
    ignoreInitial: true,
    depth: 0,
    ignored: (path) => path !== root && path !== definitions,
  });
  around.on("all", (event, path) => {
    if (path !== definitions || !event.startsWith("add")) return;
    watcher.add(definitions);
    watcher.emit("all", event, path);
  });
  around.on("error", (error) => watcher.emit("error", error));
  await Promise.all([watcher, around].map((one) => new Promise<void>((done) => void one.once("ready", done))));
  // Where there is nothing left to watch, nothing else keeps the process.
  const alive = setInterval(() => {}, A_DAY_MS);
  const close = async (): Promise<void> => {
    clearInterval(alive);
    await Promise.all([watcher.close(), around.close()]);
  };
  return { watcher, close };
}

/** Hidden files, and those that editors and this program write beside others. */
const NOT_A_SOURCE = /(^|[/\\])\.[^/\\]|\.tmp$|~$/;
const A_DAY_MS = 86_400_000;

/** Changed files that are named; more are counted. */
const MOST_NAMED = 3;

function listed(paths: readonly string[], root: string): string {
  const names = paths.map((path) => (path.startsWith(root) ? path.slice(root.length + 1) : path)).sort();
  const more = names.length - MOST_NAMED;
  return names.slice(0, MOST_NAMED).join(", ") + (more > 0 ? ` and ${more} more` : "");
}
