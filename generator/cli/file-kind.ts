/** Tells what a file looks like that a flag names, so that the wrong flag is answered with the right one. Nothing of the file is run. */

import { onLine } from "../../runtime/contract/message-text.js";
import { UsageError } from "../../runtime/contract/usage-error.js";
import type { GivenTool } from "./given-tools.js";
import { GRAPHQL_TEXT, OPENAPI_TEXT } from "./init/found.js";
import { FUNCTION_TOOL } from "./tool-file.js";

interface FileKind {
  readonly looks: string;
  /** The flag that takes it; absent if none does. */
  readonly flag?: GivenTool["kind"];
  /** What to do where no flag takes it. */
  readonly remedy?: (file: string) => string;
  readonly is: (file: string, text: string) => boolean;
}

const isData = (file: string): boolean => /\.(?:json|ya?ml)$/i.test(file);
const SNAPSHOT = /^\s*\{[\s\S]*"tools"\s*:\s*\[/;
const CLIENT = /["']?\b(?:mcpServers|mcp_servers)\b/;

const KINDS: readonly FileKind[] = [
  { looks: "an OpenAPI description", flag: "openapi", is: (file, text) => isData(file) && OPENAPI_TEXT.test(text) },
  { looks: "code", flag: "tools", is: (file) => /\.[mc]?[jt]sx?$/i.test(file) },
  {
    looks: "definitions of tools",
    flag: "tools",
    is: (file, text) => /\.json$/i.test(file) && (FUNCTION_TOOL.test(text) || SNAPSHOT.test(text)),
  },
  {
    looks: "a GraphQL schema",
    remedy: () => 'no flag takes one: make a project with "toolwright init", and put it into definitions/',
    is: (file, text) => /\.(?:graphqls?|gql)$/i.test(file) || (/\.json$/i.test(file) && GRAPHQL_TEXT.json.test(text)),
  },
  {
    looks: "a client's list of MCP servers",
    remedy: (file) => `no flag takes one: make a project with "toolwright init --import ${file}"`,
    is: (file, text) => /\.(?:json|toml)$/i.test(file) && CLIENT.test(text),
  },
  {
    looks: "a Python file",
    remedy: (file) => `if it is an MCP server, start it with --stdio "python ${file}"`,
    is: (file) => /\.py$/i.test(file),
  },
];

/**
 * Checks that a flag takes a file.
 *
 * @param shown the file as it was named
 * @throws UsageError that says what the file looks like, and which flag takes it
 * @example
 * checkFileKind({ kind: "tools", isOperand: false }, "weather.yaml", text); // --tools weather.yaml looks like an OpenAPI description: use --openapi weather.yaml
 */
export function checkFileKind(
  { kind, isOperand }: Pick<GivenTool, "kind" | "isOperand">,
  shown: string,
  text: string,
): void {
  const found = KINDS.filter((one) => one.is(shown, text));
  const file = onLine(shown);
  const named = isOperand ? file : `--${kind} ${file}`;
  const [first] = found;
  if (!first && kind === "tools" && !/\.[^./\\]*(?:[jt]sx?|json)$/i.test(shown))
    throw new UsageError(`${named} is no file of tools: they are in TypeScript, JavaScript or JSON`);
  if (!first || found.some(({ flag }) => flag === kind)) return;
  const start = kind === "stdio" && first.flag === "tools" ? `, or start it as a server: --stdio "node ${file}"` : "";
  const remedy = first.flag === undefined ? first.remedy?.(file) : `use --${first.flag} ${file}${start}`;
  throw new UsageError(`${named} looks like ${first.looks}: ${remedy}`);
}
