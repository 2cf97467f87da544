/** Makes and stores the memory snapshot from which Python processes start, and locates their programs. */
import { createHash } from "node:crypto";
import { existsSync, realpathSync } from "node:fs";
import { chmod, mkdir, readdir, readFile, rm, stat, utimes } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { writeAtomically } from "../../../../../contract/atomic-write.js";
import type { PrepareProcess } from "../../../../engine/process-starter.js";
import { soleProgram } from "../../../../engine/program.js";
import { type ProcessSetup, startProcess } from "../../../../engine/run-process.js";
import { SHIM } from "./shim.js";

/** Paths of the parts of a Python process. */
export interface Programs {
  /** The child program, as JavaScript. */
  readonly child: string;
  /** The folder of pyodide: its real path, with a trailing slash. */
  readonly pyodide: string;
}

/** A memory snapshot: the path of its file, or its content if it could not be stored. */
export type MemorySnapshot = string | Uint8Array;

/** Arguments with which the child makes the snapshot, or receives it through the pipe. */
const [MAKES, SENT] = ["", "-"];

/** How a process is started that loads a snapshot, or makes one if there is none. */
export function pythonSetup({ child, pyodide }: Programs, snapshot: MemorySnapshot | undefined): ProcessSetup {
  const path = snapshot === undefined ? MAKES : typeof snapshot === "string" ? snapshot : SENT;
  return {
    program: child,
    args: [pyodide, path],
    cwd: pyodide,
    readable: [pyodide, ...(typeof snapshot === "string" ? [snapshot] : [])],
    first: snapshot instanceof Uint8Array ? snapshot : undefined,
  };
}

/** Makes the snapshot on first use, in a folder. */
export const preparePython =
  (cacheDir: string): PrepareProcess =>
  async (stop) => {
    const programs = await locatePrograms();
    return pythonSetup(programs, await snapshotFor(programs, cacheDir, stop));
  };

const CHILD = ["./cpython-child.mjs", "./child.mts"];
const PRIVATE_FOLDER = 0o700;
const PRIVATE_FILE = 0o600;
/** Time limit for making a snapshot, which takes 3 s on an idle machine. */
const MAKE_MS = 120_000;
/** Snapshots of other versions, and partial files from a crash; younger files may belong to another server. */
const OLD = /^cpython-.*\.(?:snapshot|mjs)(?:\.|$)/;
const OLD_MS = 3_600_000;

const sha256 = (content: string | Uint8Array) => createHash("sha256").update(content).digest();
const key = (text: string) => sha256(text).toString("hex").slice(0, 16);

/** Locates the programs. */
export async function locatePrograms(): Promise<Programs> {
  const manifest = createRequire(import.meta.url).resolve("pyodide/package.json");
  return {
    child: await soleProgram("cpython-child", CHILD, import.meta.url),
    pyodide: `${dirname(realpathSync(manifest))}/`,
  };
}

/**
 * The snapshot, made on first use and stored in the cache folder, which is private to its owner. Two servers may make
 * it at once; either result is used. If it cannot be stored, the content is returned, and every server makes its own.
 */
export async function snapshotFor(programs: Programs, cacheDir: string, stop: AbortSignal): Promise<MemorySnapshot> {
  const name = await snapshotName(programs);
  const folder = await privateFolder(cacheDir).catch(() => undefined);
  const path = folder === undefined ? undefined : join(folder, name);
  if (path !== undefined && (await isWhole(path))) {
    const now = new Date();
    await utimes(path, now, now).catch(() => {});
    return path;
  }
  const made = await makeSnapshot(programs, stop);
  if (folder === undefined || path === undefined) return made;
  await sweep(folder, name);
  return writeAtomically(path, Buffer.concat([made, sha256(made)]), { mode: PRIVATE_FILE }).then(
    () => path,
    () => made,
  );
}

/** Whether the snapshot of this version is in the cache folder. */
export const hasSnapshot = async (cacheDir: string): Promise<boolean> =>
  existsSync(join(cacheDir, await snapshotName(await locatePrograms())));

async function snapshotName(programs: Programs): Promise<string> {
  const { version } = JSON.parse(await readFile(join(programs.pyodide, "package.json"), "utf8")) as { version: string };
  return `cpython-${version}-${key(process.version + SHIM + (await readFile(programs.child, "utf8")))}.snapshot`;
}

async function privateFolder(cacheDir: string): Promise<string> {
  await mkdir(cacheDir, { recursive: true, mode: PRIVATE_FOLDER });
  await chmod(cacheDir, PRIVATE_FOLDER);
  return realpathSync(cacheDir);
}

/** Whether a file ends in the digest of its content, so that it is neither truncated nor damaged. */
async function isWhole(path: string): Promise<boolean> {
  const content = await readFile(path).catch(() => Buffer.alloc(0));
  const digest = sha256("").length;
  return content.length > digest && sha256(content.subarray(0, -digest)).equals(content.subarray(-digest));
}

async function sweep(folder: string, current: string): Promise<void> {
  for (const name of await readdir(folder).catch(() => [])) {
    if (name === current || !OLD.test(name)) continue;
    const file = join(folder, name);
    const written = await stat(file).catch(() => undefined);
    if (written && Date.now() - written.mtimeMs > OLD_MS) await rm(file, { force: true }).catch(() => {});
  }
}

function makeSnapshot(programs: Programs, stop: AbortSignal): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const child = startProcess(pythonSetup(programs, undefined));
    const timer = setTimeout(child.kill, MAKE_MS);
    stop.addEventListener("abort", child.kill);
    if (stop.aborted) child.kill();
    child.listen({
      frame(body) {
        resolve(body);
        child.kill();
      },
      exit() {
        clearTimeout(timer);
        stop.removeEventListener("abort", child.kill);
        reject(new Error("the Python interpreter could not be prepared"));
      },
    });
    child.send(SHIM);
  });
}
