/** Runs modules of tools that `sources` names, one after the other, and records what they are made of. */

import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import type { ReadModule } from "../source/source.js";
import type { Disk } from "./files.js";
import { type Bundler, packageFiles, refusalOf } from "./find-plugin.js";

/** What modules are run with. */
export interface ModuleSetting {
  readonly root: string;
  /** Bundles a module with all its exports: its path, and the root. */
  readonly bundleModule: (path: string) => ReturnType<Bundler>;
  /** Path of the program of the child process. */
  readonly moduleProgram: () => Promise<string>;
  /** Time limit for importing a module, in milliseconds. */
  readonly moduleMs?: number;
}

/** Makes the reader of modules. The files of a module count as read, so that a change of one is a change of the definitions. */
export function moduleReader(disk: Disk, setting: ModuleSetting): (file: string) => Promise<ReadModule> {
  let last: Promise<unknown> = Promise.resolve();
  return (file) => {
    const next = last.then(() => readOne(file, disk, setting));
    last = next.catch(() => undefined);
    return next;
  };
}

async function readOne(file: string, disk: Disk, setting: ModuleSetting): Promise<ReadModule> {
  const { root, bundleModule, moduleProgram, moduleMs: ms } = setting;
  const path = resolve(root, file);
  try {
    const { url, inputs, imports } = await bundleModule(path);
    for (const one of [...inputs, ...imports.flatMap((address) => packageFiles(address, root))]) disk.read(one);
    const { readModule } = await import("../module/read.js");
    // As at run time, JavaScript is imported as it is.
    const imported = path.endsWith(".ts") ? url : pathToFileURL(path).href;
    return await readModule({
      root,
      program: await moduleProgram(),
      url: imported,
      path,
      inputs: inputs.map((one) => resolve(root, one)),
      imports,
      ...(ms === undefined ? {} : { ms }),
    });
  } catch (error) {
    const refused = refusalOf(error);
    return "missing" in refused
      ? { failed: refused.missing }
      : { failed: refused.fault, ...(refused.place ? { place: refused.place } : {}) };
  }
}
