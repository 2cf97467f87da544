/** Tells by the text of a file what its tools are written as. Nothing of the file is run. */

import type { SourceEntry } from "../../runtime/contract/settings/entries.js";

/** Text of a function tool in TypeScript or JSON. */
export const FUNCTION_TOOL = /["']?\btype["']?\s*:\s*["']function["']/;

/** Exports by which a file has the handlers of its tools. */
const HANDLERS = /^\s*export\s+(?:default\b|(?:const|let|var)\s+handlers\b|\{[^}]*\b(?:handlers|default)\b)/m;

/** An import of a schema library or an agent SDK, beside imports of types only. */
const LIBRARY =
  /^[ \t]*import\b(?!\s+type\b)[^;"']{0,2000}\bfrom\s*["'](?:zod|valibot|arktype|typebox|ai|langchain|@(?:sinclair\/typebox|ai-sdk|langchain|modelcontextprotocol\/(?:sdk|server)|mastra|openai\/agents))(?:\/[^"']*)?["']/m;
/** What makes a tool: a call of such a library, or the member that handles calls. */
const TOOL_OBJECT = /\b(?:registerTool|tool|new\s+(?:\w*Tool|McpServer))\s*\(|\b(?:execute|handler|func|run)\s*[:(]/;

const FUNCTION = String.raw`export\s+(?:async\s+)?(?:function\b|const\s+\w+[^=;]{0,1000}=\s*(?:async\s*)?(?:function\b|[(<]|\w+\s*=>))`;
const DOCUMENTED_FUNCTION = new RegExp(String.raw`\*\/\s*${FUNCTION}`);
const EXPORTED_FUNCTION = new RegExp(String.raw`^[ \t]*(?:${FUNCTION}|export\s*[{*])`, "m");

const hasLibraryTools = (text: string): boolean => LIBRARY.test(text) && TOOL_OBJECT.test(text);

/** Whether a TypeScript file has tools of a schema library or an agent SDK, and no documented functions. */
export const isToolModule = (text: string): boolean =>
  hasLibraryTools(text) && !DOCUMENTED_FUNCTION.test(text) && !FUNCTION_TOOL.test(text);

/** Whether a file that is read for its functions also has tools that are objects, which are not read then. */
export const leavesToolsOut = (entry: SourceEntry, text: string): boolean =>
  entry.functions !== undefined && hasLibraryTools(text);

/**
 * The entry of `sources` for a file of tools: function tools, else documented functions, else a module that is run.
 *
 * @param file as the entry names it
 * @returns the kind of the source first
 * @example
 * toolFileEntry("sums.ts", "/** Adds. *\/ export function get_sum(…) {…}"); // { functions: "sums.ts" }
 */
export function toolFileEntry(file: string, text: string): SourceEntry {
  const isJson = /\.[mc]?json$/.test(file);
  if (isJson || FUNCTION_TOOL.test(text))
    return { "chat-tools": file, ...(HANDLERS.test(text) && !isJson ? { handlers: file } : {}) };
  if (/\.[mc]?js$/.test(file)) return { module: file };
  const hasFunctions = DOCUMENTED_FUNCTION.test(text) || EXPORTED_FUNCTION.test(text);
  return file.endsWith(".ts") && (isToolModule(text) || !hasFunctions) ? { module: file } : { functions: file };
}
