/** The form of what the child process says of a module. */

import type { Shape } from "../../runtime/contract/settings/setting.js";

const text: Shape = { type: "string" };
const boolean: Shape = { type: "boolean" };
const anyMap: Shape = { type: "object", additionalProperties: {} };
const list = (items: Shape): Shape => ({ type: "array", items });
const closed = (properties: Readonly<Record<string, Shape>>, required: readonly string[]): Shape => ({
  type: "object",
  properties,
  required,
  additionalProperties: false,
});

/** A list of tools, or why there is none. */
export const MODULE_FORM = closed(
  {
    failed: text,
    line: { type: "integer" },
    tools: list(
      closed(
        {
          export: text,
          name: text,
          description: text,
          parameters: anyMap,
          result: anyMap,
          annotations: closed(
            {
              title: text,
              ...{ readOnlyHint: boolean, destructiveHint: boolean, idempotentHint: boolean, openWorldHint: boolean },
            },
            [],
          ),
          fault: text,
          fix: text,
        },
        ["export"],
      ),
    ),
    strangers: list(closed({ export: text, what: text }, ["export", "what"])),
  },
  [],
);
