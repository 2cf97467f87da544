/** Emits `ops.ts`: op to tool name, one per line, so that its diff shows reviewers the change of the API. */

import { header, jsString } from "../core/printer.js";
import { type Emitter, sourcesOf } from "./emitter.js";

/** Emits `ops.ts`. */
export const ops: Emitter = {
  name: "ops",
  emit: (registry) => {
    const lines = registry.tools.map((one) => `  ${jsString(one.op)}: ${jsString(one.tool_name)},\n`);
    const aliases = registry.tools.flatMap((one) =>
      one.aliases.map((alias) => `  ${jsString(alias)}: ${jsString(one.op)},\n`),
    );
    const text =
      `${header("//", sourcesOf(registry))}/* eslint-disable */\n\n` +
      `/** Op to the name of its tool on the wire. */\nexport const ops = {\n${lines.join("")}} as const satisfies Record<string, string>;\n\n` +
      `/** Other paths that stand for an op. */\nexport const opAliases = ${aliases.length > 0 ? `{\n${aliases.sort().join("")}}` : "{}"} as const satisfies Record<string, keyof typeof ops>;\n\n` +
      "/** Path of an op. */\nexport type Op = keyof typeof ops;\n";
    return [{ path: "ops.ts", text }];
  },
};
