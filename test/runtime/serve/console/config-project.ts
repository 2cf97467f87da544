/** A project whose configuration the console changes: one typed function, and a server with tools, whose process is not started. */

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { type HttpServed, serveHttp } from "../../../support/http.js";
import { temporaryFolder, toolwright } from "../../../support/project.js";

/** The configuration, in a layout of its own. */
export const CONFIG_TEXT = `# mine
use: [ot]
sources:
  - { functions: sums.ts }   # own
  - mcp: servers/*.json

aliases:
    plus:   sums.add     # short

servers:
  # The team's notes.
  team-notes: { command: "toolwright-no-such-program", args: ["--token=abc"] }
`;

const tool = (name: string) => ({ name, description: `The ${name}.`, inputSchema: { type: "object", properties: {} } });

const FILES = {
  "definitions/toolwright.yaml": CONFIG_TEXT,
  "definitions/sums.ts":
    "/** Adds two numbers.\n * @access read\n */\nexport function add(a: number, b: number): number {\n  return a + b;\n}\n",
  "definitions/servers/team-notes.json": JSON.stringify({
    server: "team-notes",
    tools: [tool("list_notes"), tool("get_note")],
  }),
};

/** The served project. */
export interface ConfigProject {
  readonly root: string;
  readonly server: HttpServed;
  /** The text of the configuration now. */
  text(): string;
}

/** Generates and serves the project until the end of the test file. */
export async function configProject(
  later: (clean: () => unknown) => void,
  flags: readonly string[] = ["--allow-write"],
): Promise<ConfigProject> {
  const root = temporaryFolder(later);
  for (const [name, text] of Object.entries(FILES)) {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), text);
  }
  const { code, stderr } = await toolwright(["generate", "--root", root]);
  if (code !== 0) throw new Error(stderr);
  const server = await serveHttp(root, flags, async (clean) => later(clean));
  return { root, server, text: () => readFileSync(join(root, "definitions", "toolwright.yaml"), "utf8") };
}
