/**
 * The Source for function tools (scenario GEN-1.1), in the forms of `tool-forms.ts`: exports of a TypeScript file, read statically, or a
 * `.json` file. Code that makes tools is refused at its place.
 */

import { closest } from "../../runtime/contract/closest.js";
import { isRecord } from "../../runtime/contract/json.js";
import { pointerParts } from "../../runtime/contract/json-pointer.js";
import type { Place, Report } from "../core/diagnostic.js";
import type { Definition } from "../core/ir.js";
import { readJsonFile } from "./json-file.js";
import type { Source, SourceFile } from "./source.js";
import {
  type FileToolLists,
  isOneOfMany,
  type ListedTools,
  readTool,
  TOOL_FORM,
  type ToolList,
  toolsIn,
} from "./tool-forms.js";

/** Reads `chat-tools` entries. */
export const chatTools: Source = { readAll };

async function readAll(files: readonly SourceFile[], report: Report): Promise<readonly Definition[]> {
  const opened = await Promise.all(
    files.map(async (file) => {
      if (file.file.endsWith(".json")) return { file, found: readJson(file, report) };
      const { readTypeScript } = await import("./exported-tools.js");
      return { file, found: readTypeScript(file, report) };
    }),
  );
  const imported = new Set(opened.flatMap(({ found }) => found?.imports ?? []));
  return opened.flatMap(({ file, found }) => {
    if (!found) return [];
    reportUnread(file, found, imported, report);
    return selected(found, file, report).flatMap((list) =>
      list.items.map((item, index) => definitionOf(item, list, index, file, report)).filter((one) => one !== undefined),
    );
  });
}

/** The lists of a JSON file; undefined if it is not JSON. */
function readJson(file: SourceFile, report: Report): FileToolLists | undefined {
  const json = readJsonFile(file, report);
  if (!json) return undefined;
  const { value } = json;
  const placeOf: ListedTools["placeOf"] = ({ path }, ...keys) => json.placeOf(...path, ...keys);
  const plain = (name: string, items: readonly unknown[], at: readonly string[]): ListedTools => ({
    name,
    items: items.map((one, index) => ({ value: one, path: [...at, index] })),
    placeOf,
  });
  const listed = (name: string, of: unknown): readonly ListedTools[] => {
    const found = toolsIn(of);
    return found ? [{ name, placeOf, ...found }] : [];
  };
  const isWhole = Array.isArray(value) || readTool(value) !== undefined;
  const members = isRecord(value) && !isWhole ? Object.entries(value) : [];
  const lists = members.flatMap(([name, one]) =>
    Array.isArray(one) ? [plain(name, one, [name])] : listed(name, { [name]: one }),
  );
  const whole = isWhole ? listed("tools", value) : [];
  const all = Array.isArray(value) && whole.length === 0 ? [plain("tools", value, [])] : [...whole, ...lists];
  return { lists: all, names: all.map((one) => one.name), imports: [] };
}

/** Reports a file without tools, unless it is allowed by name, or holds what other files of the entry use. */
function reportUnread(
  file: SourceFile,
  { lists, names }: FileToolLists,
  imported: ReadonlySet<string>,
  report: Report,
): void {
  const { entry, place } = file;
  // What cannot be read in TypeScript is a list without items, and has been reported.
  const isRead = file.file.endsWith(".json") ? lists.some(({ items }) => items.length > 0) : lists.length > 0;
  const isHelper = isOneOfMany(file) && (imported.has(file.file) || names.includes("handlers"));
  if (isRead || isHelper || entry.exports || entry.allow_empty) return;
  report.add("no-tools", place, { file: file.file, form: formOf(file) });
}

function selected({ lists, names }: FileToolLists, file: SourceFile, report: Report): readonly ListedTools[] {
  const wanted = file.entry.exports;
  for (const name of wanted ?? [])
    if (!lists.some((one) => one.name === name)) {
      const nearest = closest(
        name,
        names.filter((one) => one !== name),
      );
      report.add("export-missing", file.placeOf?.("exports") ?? file.place, { name, nearest });
    }
  return wanted ? lists.filter((one) => wanted.includes(one.name)) : lists;
}

/** Expected form of a file, for a message; recognises a snapshot of an MCP server. */
function formOf({ file, text }: SourceFile): string {
  if (!file.endsWith(".json")) return "export one as a const";
  return /"inputSchema"/.test(text) ? "name it under `mcp`, not `chat-tools`" : `write [${TOOL_FORM}]`;
}

function definitionOf(
  item: ToolList["items"][number],
  list: ListedTools,
  index: number,
  file: SourceFile,
  report: Report,
): Definition | undefined {
  const place = list.placeOf(item);
  const read = readTool(item.value, item.key);
  if (!read || "fault" in read) {
    const named = item.key ?? `item ${index} of ${list.name}`;
    report.add("not-a-tool", place, {
      what: `${named} ${read ? read.fault : "is no function tool"}`,
      form: TOOL_FORM,
    });
    return undefined;
  }
  const { path, ...tool } = read.tool;
  const { kind } = file.entry;
  const placeAt = (pointer: string): Place => list.placeOf(item, ...path, ...pointerParts(pointer));
  return { ...tool, pack: file.pack, place, placeAt, origin: "local", ...(kind ? { kind } : {}) };
}
