/**
 * Engines that gateways of tests use one after the other: each start of Python takes a second of processor time where
 * others use the machine too.
 */

import { join } from "node:path";
import { type Engines, type LazyEngines, lazyEngines } from "../../../runtime/run/languages/python/lazy-engines.js";
import { CHECKOUT } from "../../support/project.js";
import { lendSnapshots } from "../../support/run/python-snapshots.js";

/** Engines of gateways that were closed, with their idle processes. */
const free: LazyEngines[] = [];
const MOST_FREE = 4;

const ROOT = join(CHECKOUT, ".cache/lent-engines");

function opened(): LazyEngines {
  lendSnapshots(join(ROOT, ".onetool/cache"));
  return lazyEngines(ROOT);
}

/**
 * An engine that no other gateway uses. It is closed with its gateway if programs run on it, since these must end; else the
 * next gateway gets it.
 */
export function lentEngines(): LazyEngines {
  const lent = free.pop() ?? opened();
  let running = 0;
  const counted = ({ cpython, checker }: Engines): Engines => ({
    checker,
    cpython: {
      ...cpython,
      async run(request) {
        running++;
        try {
          return await cpython.run(request);
        } finally {
          running--;
        }
      },
    },
  });
  return {
    ...lent,
    get: async () => counted(await lent.get()),
    async close() {
      if (running > 0 || free.length === MOST_FREE) await lent.close();
      else free.push(lent);
    },
  };
}
