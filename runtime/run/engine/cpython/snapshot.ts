/** The memory snapshot that Python processes start from, and the programs they consist of. */
import { createHash, randomUUID } from "node:crypto";
import { existsSync, realpathSync } from "node:fs";
import { chmod, mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Programs, startProcess } from "./process.js";
import { SHIM } from "./shim.js";

const CHILD = ["./child.mjs", "./child.mts", "../../../runtime/run/engine/cpython/child.mts"];
const PRIVATE_FOLDER = 0o700;
const PRIVATE_FILE = 0o600;
/** Making takes 3 s on a quiet machine. */
const MAKE_MS = 120_000;

const digest = (text: string) => createHash("sha256").update(text).digest("hex").slice(0, 16);

async function writeWhole(path: string, content: string | Uint8Array): Promise<void> {
  const beside = `${path}.${process.pid}.${randomUUID()}`;
  try {
    await writeFile(beside, content, { mode: PRIVATE_FILE, flag: "wx" });
    await rename(beside, path);
  } finally {
    await rm(beside, { force: true });
  }
}

/** The child program stands beside this module once built; from sources it is compiled into the cache folder. */
async function childProgram(cacheDir: string): Promise<string> {
  const found = CHILD.map((path) => fileURLToPath(new URL(path, import.meta.url))).find((path) => existsSync(path));
  if (found === undefined) throw new Error("the program of the Python process is not where it was installed");
  if (found.endsWith(".mjs")) return realpathSync(found);
  const source = await readFile(found, "utf8");
  const path = join(cacheDir, `cpython-child-${digest(source)}.mjs`);
  if (!existsSync(path)) {
    const { transform } = await import("esbuild");
    await writeWhole(path, (await transform(source, { loader: "ts", format: "esm", target: "node20" })).code);
  }
  return path;
}

/** Finds the programs; makes the cache folder, for its owner only. */
export async function locatePrograms(cacheDir: string): Promise<Programs & { readonly cacheDir: string }> {
  await mkdir(cacheDir, { recursive: true, mode: PRIVATE_FOLDER });
  await chmod(cacheDir, PRIVATE_FOLDER);
  const folder = realpathSync(cacheDir);
  const manifest = createRequire(import.meta.url).resolve("pyodide/package.json");
  return { child: await childProgram(folder), pyodide: `${dirname(realpathSync(manifest))}/`, cacheDir: folder };
}

/** The path of the snapshot, made at first use; two processes may make it at once, either's is taken. */
export async function snapshotFor(programs: Programs, cacheDir: string): Promise<string> {
  const { version } = JSON.parse(await readFile(join(programs.pyodide, "package.json"), "utf8")) as { version: string };
  const path = join(cacheDir, `cpython-${version}-${digest(SHIM + (await readFile(programs.child, "utf8")))}.snapshot`);
  if (!existsSync(path)) await writeWhole(path, await makeSnapshot(programs));
  return path;
}

function makeSnapshot(programs: Programs): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const child = startProcess(programs, "");
    const timer = setTimeout(() => child.kill(), MAKE_MS);
    child.listen({
      frame(body) {
        resolve(body);
        child.kill();
      },
      exit() {
        clearTimeout(timer);
        reject(new Error("the Python interpreter could not be prepared"));
      },
    });
    child.send(SHIM);
  });
}
