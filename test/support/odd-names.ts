/** Tools whose arguments have names that are odd, or much like each other. */

import fc from "fast-check";
import type { Project } from "./generator-host.js";

/** Names of the arguments of one tool: few words and many signs, so that most become the same. */
export const ODD_NAMES = fc.uniqueArray(
  fc
    .tuple(
      fc.constantFrom("", "_", "__", "$", "1"),
      fc.constantFrom("from", "user", "a", "class", "x__a", "self", "arguments"),
      fc.constantFrom("", "-", "_", ".", " ", "__"),
      fc.constantFrom("", "id", "1", "_2", "2"),
      fc.constantFrom("", "_", "-", "__", "_2"),
    )
    .map((parts) => parts.join("")),
  { minLength: 1, maxLength: 8 },
);

/** A server whose tools have these arguments, and further lines of the configuration. */
export const oddProject = (sets: readonly (readonly string[])[], config = ""): Project => ({
  "toolwright.yaml": `sources: [{ mcp: servers/*.json }]\n${config}`,
  "servers/odd.json": JSON.stringify({
    tools: sets.map((names, at) => ({
      name: `tool_${at}`,
      description: "Gives back.",
      inputSchema: {
        type: "object",
        properties: Object.fromEntries(names.map((name) => [name, { type: "string" }])),
      },
    })),
  }),
});
