/** Watches the definitions: `toolwright generate --watch` generates again when a file that the last run read changes, until interrupted. */

import { join, relative, resolve, sep } from "node:path";
import type { FSWatcher } from "chokidar";
import { messageOf } from "../../runtime/contract/thrown.js";
import { type BuildFlags, type CommandSetting, writeGenerated } from "./generate.js";
import type { LastRun } from "./last-run.js";

/** Quiet time before a run, in milliseconds: an editor saves in several steps, and a checkout changes many files. */
const QUIET_MS = 100;

/** Watches until `signal` is aborted. Exit code 0; errors of single runs are printed. */
export async function watch(setting: CommandSetting, flags: BuildFlags, signal: AbortSignal): Promise<number> {
  const { root, err, paint } = setting;
  const say = (text: string): void => err(`${paint("dim", text)}\n`);
  const changes = await watchChanges(root, signal, say);
  const remember = async (run: LastRun): Promise<void> => {
    changes.add(Object.keys(run.read));
    await setting.remember(run);
  };
  await writeGenerated({ ...setting, remember }, flags);
  for (;;) {
    say("watching definitions/ for changes; Ctrl-C ends");
    const changed = await changes.next();
    if (changed === undefined) break;
    say(`changed: ${namedFiles(changed, root)}`);
    await writeGenerated({ ...setting, remember }, flags);
  }
  await changes.close();
  return 0;
}

/** The changes below `definitions/`, and of the files that were added. */
export interface WatchedChanges {
  /** Watches further files, relative to the root: sources may lie outside definitions/. */
  add(paths: readonly string[]): void;
  /** Waits for a change and for the quiet after it. Gives the files; `undefined` when the signal is aborted. */
  next(): Promise<readonly string[] | undefined>;
  close(): Promise<void>;
}

/** Watches the definitions of a project until `signal` is aborted. */
export async function watchChanges(
  root: string,
  signal: AbortSignal,
  say: (text: string) => void,
): Promise<WatchedChanges> {
  const { watcher, close } = await open(root);
  const changed = new Set<string>();
  const done = new Promise<void>((end) =>
    signal.aborted ? end() : signal.addEventListener("abort", () => end(), { once: true }),
  );
  let wake = (): void => {};
  watcher.on("all", (_, path) => {
    changed.add(path);
    wake();
  });
  watcher.on("error", (error) => say(`cannot watch: ${messageOf(error)}`));
  return {
    add: (paths) => void watcher.add(paths.map((path) => resolve(root, path))),
    close,
    async next() {
      if (changed.size === 0 && !signal.aborted) await Promise.race([done, new Promise<void>((next) => (wake = next))]);
      for (let before = -1; before !== changed.size && !signal.aborted; ) {
        before = changed.size;
        await Promise.race([done, new Promise((next) => setTimeout(next, QUIET_MS))]);
      }
      if (signal.aborted) return undefined;
      const files = [...changed];
      changed.clear();
      return files;
    },
  };
}

interface Open {
  readonly watcher: FSWatcher;
  readonly close: () => Promise<void>;
}

/** Opens a watch on `definitions/` that survives the removal of the folder, as in a checkout that later restores it. */
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
  // Keeps the process alive when nothing is left to watch.
  const alive = setInterval(() => {}, A_DAY_MS);
  const close = async (): Promise<void> => {
    clearInterval(alive);
    await Promise.all([watcher.close(), around.close()]);
  };
  return { watcher, close };
}

/** Hidden files, and temporary files of editors and of this program. */
const NOT_A_SOURCE = /(^|[/\\])\.[^/\\]|\.tmp$|~$/;
const A_DAY_MS = 86_400_000;

/** Most changed files that are named; further ones are counted. */
const MAX_NAMED = 3;

/** The files as a text: the first of them, and how many more; empty for none. */
export function namedFiles(paths: readonly string[], root: string): string {
  const names = paths.map((path) => (path.startsWith(root) ? path.slice(root.length + 1) : path)).sort();
  const more = names.length - MAX_NAMED;
  return names.slice(0, MAX_NAMED).join(", ") + (more > 0 ? ` and ${more} more` : "");
}
