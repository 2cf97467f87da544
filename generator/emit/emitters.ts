/** The table of the emitters of the core. */

import { budget } from "./budget.js";
import type { Emitter } from "./emitter.js";
import { handlers } from "./handlers.js";
import { helpEmitter } from "./help.js";
import { http } from "./http.js";
import { ops, registryFiles } from "./registry.js";
import { stubs, types } from "./types.js";
import { validators } from "./validators.js";

/** Emitters of the core; features add others. Their order has no meaning, since they do not see each other. */
export const EMITTERS: readonly Emitter[] = [
  registryFiles,
  ops,
  types,
  handlers,
  validators,
  stubs,
  helpEmitter,
  budget,
  http,
];
