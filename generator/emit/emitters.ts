/** The table of all emitters. */

import { anthropic } from "./anthropic.js";
import { budget } from "./budget.js";
import type { Emitter } from "./emitter.js";
import { handlers } from "./handlers.js";
import { helpEmitter } from "./help.js";
import { http } from "./http.js";
import { openai } from "./openai.js";
import { pythonClient } from "./python-client.js";
import { ops, registryFiles } from "./registry.js";
import { skill } from "./skill.js";
import { stubs, types } from "./types.js";
import { typescriptClient } from "./typescript-client.js";
import { validators } from "./validators.js";

/** All emitters. Their order has no meaning, since they do not see each other. */
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
  skill,
  openai,
  anthropic,
  typescriptClient,
  pythonClient,
];
