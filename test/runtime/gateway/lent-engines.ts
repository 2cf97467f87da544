/**
 * Engines that gateways of tests use one after the other: each start of Python takes a second of processor time where
 * others use the machine too.
 */

import { join } from "node:path";
import { PYTHON } from "../../../runtime/run/languages/python/language.js";
import { type LazyEngines, lazyEngines } from "../../../runtime/run/languages/python/lazy-engines.js";
import { CORE_LANGUAGES, type LanguageRows } from "../../../runtime/run/languages/table.js";
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
function lentEngines(): LazyEngines {
  const lent = free.pop() ?? opened();
  let running = 0;
  return {
    ...lent,
    async run(request) {
      running++;
      try {
        return await lent.run(request);
      } finally {
        running--;
      }
    },
    async close() {
      if (running > 0 || free.length === MOST_FREE) await lent.close();
      else free.push(lent);
    },
  };
}

/** Languages whose engines are lent. */
export const LENT_LANGUAGES: LanguageRows = [
  { ...CORE_LANGUAGES[0], load: async () => ({ ...PYTHON, open: lentEngines }) },
];
