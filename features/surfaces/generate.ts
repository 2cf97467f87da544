/** What surfaces add to a build: an emitter each. */

import type { GeneratePart } from "../../generator/pipeline.js";
import { anthropic } from "./anthropic.js";
import { openai } from "./openai.js";
import { pythonClient } from "./python-client.js";
import { skill } from "./skill.js";
import { typescriptClient } from "./typescript-client.js";

/** The emitters of all surfaces. */
export const SURFACE_EMITTERS: GeneratePart = {
  emitters: [
    ...[skill, openai, anthropic].map((one) => ({ ...one, isReadByModels: true })),
    ...[typescriptClient, pythonClient],
  ],
};
