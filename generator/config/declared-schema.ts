/** Shapes of `snippets.yaml` and `prompts.yaml`, which lie beside `toolwright.yaml`. */

import type { Shape } from "../core/shape.js";
import { closed, list, map, string } from "./schema.js";

const scalar: Shape = { type: ["string", "number", "boolean"] };

/** `snippets.yaml`. */
export const SNIPPETS_SCHEMA: Shape = map(
  closed(
    {
      description: string,
      params: map(
        closed({
          required: { type: "boolean" },
          default: scalar,
          type: string,
          description: string,
          example: scalar,
          enum: list(scalar),
        }),
      ),
      body: string,
    },
    ["body"],
  ),
);

/** `prompts.yaml`: an example is code, or arguments by name. */
export const PROMPTS_SCHEMA: Shape = closed({
  instructions: string,
  packs: map(string),
  tools: map(closed({ examples: list({ type: ["string", "object"] }) })),
});
