/** A project all of whose texts come from others: an MCP server, an API description, a caller. */

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { FOREIGN_TEXTS } from "./foreign-texts.js";
import { temporaryFolder, toolwright } from "./project.js";

const SERVER = fileURLToPath(new URL("upstream/foreign.mjs", import.meta.url));
/** All texts as one. */
export const ALL = FOREIGN_TEXTS.join(" ");
/** The same as an argument of a command line can have it. */
export const WORD = Buffer.from(ALL.replaceAll("\0", "")).toString();

function describedApi(): object {
  const operation = (i: number, text: string): object => ({
    operationId: `list_${i}`,
    summary: text,
    description: text,
    tags: [text],
    parameters: [
      { in: "query", name: "a", description: text, example: text, schema: { type: "string", enum: [text, ALL] } },
      { in: "header", name: `X-${i}`, description: text, schema: { type: "string", default: text } },
    ],
    responses: {
      200: { description: text, content: { "application/json": { schema: { type: "object", title: text } } } },
    },
  });
  const paths = FOREIGN_TEXTS.map((text, i) => [`/p${i}`, { get: operation(i, text) }] as const);
  const info = { title: ALL, summary: ALL, description: ALL, version: ALL };
  return { openapi: "3.1.0", info, servers: [{ url: "https://api.example.com" }], paths: Object.fromEntries(paths) };
}

const CONFIG = (home: string) => `use: [ot]
sources: [{ mcp: "servers/*.json" }, { openapi: api.json }]
surfaces: [skill, openai, anthropic, typescript, python]
topics: [{ pattern: "**", file: notes.yaml }]
packs: { shop: { summary: ${JSON.stringify(ALL)} } }
servers: { shop: { command: node, args: [${JSON.stringify(SERVER)}, ${JSON.stringify(home)}] } }
`;

/** A generated project, and how commands run in it: in a step of GitHub Actions, in a home of its own. */
export interface ForeignProject {
  readonly root: string;
  readonly env: Readonly<Record<string, string>>;
  run(...args: readonly string[]): ReturnType<typeof toolwright>;
  read(file: string): string;
}

/** Makes the project, and reads the server: `read` is what `snapshot` and `generate` printed. */
export async function foreignProject(remove: (clean: () => void) => void) {
  const [root, home] = [temporaryFolder(remove), temporaryFolder(remove)];
  const write = (file: string, text: string): void => {
    mkdirSync(dirname(join(root, file)), { recursive: true });
    writeFileSync(join(root, file), text);
  };
  write("texts.json", JSON.stringify(FOREIGN_TEXTS));
  write("definitions/api.json", JSON.stringify(describedApi()));
  write("definitions/toolwright.yaml", CONFIG(join(root, "texts.json")));
  write(
    "definitions/snippets.yaml",
    JSON.stringify({ evil: { description: ALL, params: { text: { description: ALL } }, body: "1" } }),
  );
  const env = { HOME: home, XDG_CONFIG_HOME: join(home, ".config"), CODEX_HOME: "", GITHUB_ACTIONS: "true" };
  const project: ForeignProject = {
    ...{ root, env },
    run: (...args) => toolwright([...args], { env, cwd: root }),
    read: (file) => readFileSync(join(root, file), "utf8"),
  };
  const made = [await project.run("snapshot"), await project.run("generate")];
  for (const { code, stderr } of made) if (code !== 0) throw new Error(stderr);
  return { ...project, made };
}
