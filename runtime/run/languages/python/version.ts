/** Asks Python for its version. */

import type { Limits } from "../../../config/run-settings.js";
import { HostError } from "../../engine/engine.js";
import type { PooledEngine } from "../../engine/pooled-engine.js";
import { rewrite } from "./rewrite.js";

const ASKING = 'import sys\nf"{sys.version_info[0]}.{sys.version_info[1]}"';

/** The version, such as `3.14`; undefined if it cannot be asked. */
export async function pythonVersion(cpython: Pick<PooledEngine, "run">, limits: Limits): Promise<string | undefined> {
  const { code } = rewrite(ASKING, { aliases: new Map(), packs: new Set(), bare: new Map() });
  const noTools = async (): Promise<never> => {
    throw new HostError("NameError", "there are no tools");
  };
  const namespace = { packs: new Map(), projects: new Map(), call: noTools };
  const outcome = await cpython.run({
    owner: "version",
    isInner: true,
    code,
    namespace,
    limits,
    onPrint: () => undefined,
  });
  return outcome.ok ? String(outcome.value) : undefined;
}
