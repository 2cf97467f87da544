/**
 * The engines of one gateway: made with the first run, or warmed before it in the background; closed with the gateway.
 *
 * Processes are started as late as a run does not notice: the engine that runs go to once a client has read the list of tools (Monty,
 * 60 MB), CPython (200 MB) once some code was run, since only then more code is likely to come, and some of it to need CPython.
 */

import { join } from "node:path";
import { HOME, homeFolder } from "../home.js";
import type { CPython } from "./engine/cpython.js";
import type { MontyEngine } from "./engine/monty.js";
import { createRouter, type EngineSetting, type Router } from "./engine/router.js";
import { createReader, type Reader } from "./reader.js";

/** Engines that are there. */
export interface Engines {
  readonly monty: MontyEngine;
  readonly cpython: CPython;
  readonly router: Router;
}

/** Engines on demand. */
export interface LazyEngines {
  get(): Promise<Engines>;
  /** Reads code before it runs. */
  readonly reader: Reader;
  /** Says that runs are likely to come: starts what they need, in the background, and never fails. */
  warm(): void;
  /** Ends what runs; later runs fail. */
  close(): Promise<void>;
}

/** Folder below `.onetool` that keeps what an engine would have to make again. */
const CACHE = "cache";

/** Engines of a project; nothing is imported or started yet. */
export function lazyEngines(root: string, setting: EngineSetting): LazyEngines {
  let opening: Promise<Engines> | undefined;
  let expected = false;
  let closed = false;
  const reader = createReader();
  const second = once(async () => (await opening)?.cpython.warm());
  const afterRun = (): void => {
    if (expected && setting === "auto") second();
  };
  const get = (): Promise<Engines> => {
    if (closed && !opening) return Promise.reject(new Error("the engines are closed"));
    opening ??= open(root, setting, afterRun);
    return opening;
  };
  const first = once(async () => {
    if (closed) return;
    const { monty, cpython } = await get();
    await (setting === "cpython" ? cpython : monty).warm();
  });
  return {
    get,
    reader,
    warm: () => {
      expected = true;
      first();
    },
    close: async () => {
      closed = true;
      const open = await opening?.catch(() => undefined);
      await Promise.all([open?.monty.dispose(), open?.cpython.dispose(), reader.close()]);
    },
  };
}

/** Does something once, after what is under way, such as an answer that is being sent; what goes wrong shows in the run that needs it. */
function once(step: () => Promise<unknown>): () => void {
  let begun = false;
  return () => {
    if (begun) return;
    begun = true;
    setImmediate(() => void step().catch(() => undefined));
  };
}

async function open(root: string, setting: EngineSetting, afterRun: () => void): Promise<Engines> {
  const [{ createMonty }, { createCPython }, home] = await Promise.all([
    import("./engine/monty.js"),
    import("./engine/cpython.js"),
    // Where it cannot be written nothing is kept, and code runs all the same.
    homeFolder(root).catch(() => join(root, HOME)),
  ]);
  const monty = createMonty();
  const cpython = createCPython({ cacheDir: join(home, CACHE) });
  // Where the parser itself stops, the run decides.
  const fault = (code: string) => cpython.confirmSyntax(code).catch(() => undefined);
  const { choose, run } = createRouter({ monty, cpython, setting, fault });
  const router: Router = { choose, run: (request, facts) => run(request, facts).finally(afterRun) };
  return { monty, cpython, router };
}
