/** The engines of one gateway: made with the first run, closed with the gateway. */

import { join } from "node:path";
import { homeFolder } from "../home.js";
import type { CPython } from "./engine/cpython.js";
import type { MontyEngine } from "./engine/monty.js";
import { createRouter, type EngineSetting, type Router } from "./engine/router.js";

/** Engines that are there. */
export interface Engines {
  readonly monty: MontyEngine;
  readonly cpython: CPython;
  readonly router: Router;
}

/** Engines on demand. */
export interface LazyEngines {
  get(): Promise<Engines>;
  /** Ends what runs; later runs fail. */
  close(): Promise<void>;
}

/** Folder below `.onetool` that keeps what an engine would have to make again. */
const CACHE = "cache";

/** Engines of a project; nothing is imported or started yet. */
export function lazyEngines(root: string, setting: EngineSetting): LazyEngines {
  let opening: Promise<Engines> | undefined;
  return {
    get: () => {
      opening ??= open(root, setting);
      return opening;
    },
    close: async () => {
      const open = await opening?.catch(() => undefined);
      await Promise.all([open?.monty.dispose(), open?.cpython.dispose()]);
    },
  };
}

async function open(root: string, setting: EngineSetting): Promise<Engines> {
  const [{ createMonty }, { createCPython }, home] = await Promise.all([
    import("./engine/monty.js"),
    import("./engine/cpython.js"),
    homeFolder(root),
  ]);
  const monty = createMonty();
  const cpython = createCPython({ cacheDir: join(home, CACHE) });
  // Where the parser itself stops, the run decides.
  const fault = (code: string) => cpython.confirmSyntax(code).catch(() => undefined);
  return { monty, cpython, router: createRouter({ monty, cpython, setting, fault }) };
}
