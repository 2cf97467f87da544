/** Faults of TypeScript files with tools that nothing reads. */

import type { Fault } from "../generator-faults.js";
import { tsProject } from "../generator-host.js";

export const UNREAD_FAULTS = {
  "module-failed": {
    project: { "toolwright.yaml": "use: []\nsources:\n  - module: tools.ts\n", "tools.ts": "" },
    says: "definitions/toolwright.yaml:3:5 error module-failed  definitions/tools.ts gives no tools: no code is run here; correct the module; it is run with the rights to read the project and its packages, and without environment variables",
  },
  "tools-unread": {
    project: tsProject(
      'export const TOOLS = [{ type: "function", function: { name: "get_a", description: "Get it." } }];\nserver.registerTool("get_b", { description: "Get it." }, getB);',
    ),
    says: 'definitions/tools.ts:2:1 error tools-unread  nothing reads the tool that server.registerTool adds; name the MCP server under `servers` (`toolwright add`), or write it as { type: "function", function: { name, description, parameters } } in a list that the file exports; `module` in place of `chat-tools` runs the file to read it; if it is none, name the lists to read under `exports` of the source',
  },
  "export-foreign": {
    project: tsProject(
      'export const TOOLS = [{ type: "function", function: { name: "get_a", description: "Get it." } }];\nexport { more } from "pkg";',
    ),
    says: "definitions/tools.ts:2:1 warning export-foreign  more is of pkg, which is not read, so no tools are read from it; if it has tools, write them in a file of the project; otherwise name the arrays to read under `exports` of the source",
  },
} satisfies Record<string, Fault>;
