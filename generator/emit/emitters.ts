/** The table of all emitters. */

import { anthropic } from "../../features/surfaces/anthropic.js";
import { openai } from "../../features/surfaces/openai.js";
import { pythonClient } from "../../features/surfaces/python-client.js";
import { skill } from "../../features/surfaces/skill.js";
import { typescriptClient } from "../../features/surfaces/typescript-client.js";
import { budget } from "./budget.js";
import type { Emitter } from "./emitter.js";
import { handlers } from "./handlers.js";
import { helpEmitter } from "./help.js";
import { http } from "./http.js";
import { ops, registryFiles } from "./registry.js";
import { stubs, types } from "./types.js";
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
