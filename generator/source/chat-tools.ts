/**
 * The Source for function tools in OpenAI's form (scenario GEN-1.1): exported arrays of a TypeScript file, read statically, or a
 * `.json` file with an array of them or an object of such arrays.
 */

import { closest } from "../../runtime/contract/closest.js";
import { isRecord } from "../../runtime/contract/json.js";
import { pointerParts } from "../../runtime/contract/json-pointer.js";
import type { JsonSchema } from "../../runtime/contract/registry.js";
import type { Place, Report } from "../core/diagnostic.js";
import type { Definition } from "../core/ir.js";
import { readJsonFile } from "./json-file.js";
import type { Source, SourceFile } from "./source.js";
import type { StaticModules } from "./static-eval.js";

/** Reads `chat-tools` entries. */
export const chatTools: Source = {
  read: async (file, report) => {
    const found = file.file.endsWith(".json") ? readJson(file, report) : await readTypeScript(file, report);
    if (!found) return [];
    return selected(found, file, report).flatMap((array) =>
      array.items
        .map((item, index) => definitionOf(item, array, index, file, report))
        .filter((one) => one !== undefined),
    );
  },
};

/** One array of tools: its export name or key, its items (empty if unreadable), and their places. */
interface ToolArray {
  readonly name: string;
  readonly items: readonly unknown[];
  /** Place of an item, or of the part of it that keys lead to; the nearest part that is known. */
  readonly placeOf: (item: unknown, index: number, ...keys: readonly string[]) => Place;
}

/** Contents of a file: its arrays of tools, and the names of all its exports, for messages about missing ones. */
interface Found {
  readonly arrays: readonly ToolArray[];
  readonly names: readonly string[];
}

async function readTypeScript(file: SourceFile, report: Report): Promise<Found> {
  const { staticModules, UNREADABLE } = await import("./static-eval.js");
  const modules = staticModules((path) => (path === file.file ? file.text : file.read(path)), report);
  const wanted = file.entry.exports;
  const arrays: ToolArray[] = [];
  const names = modules.exportNames(file.file);
  const formOf = (name: string) => modules.formOf(file.file, name);
  const read = names.filter((name) => (wanted ? wanted.includes(name) : formOf(name) === "array"));
  const computed = wanted ? [] : names.filter((name) => formOf(name) === "computed");
  const add = (name: string): void => {
    const value = modules.valueOf(file.file, name);
    const items = value === UNREADABLE ? [] : value;
    if (!Array.isArray(items)) return;
    if (value !== UNREADABLE && !wanted && !items.some(looksLikeTool)) return;
    const declared = modules.declaredAt(file.file, name);
    const placeOf: ToolArray["placeOf"] = (item, _index, ...keys) => placeWithin(modules, item, keys) ?? declared;
    arrays.push({ name, items, placeOf });
  };
  read.forEach(add);
  // Code beside arrays of tools is most often about them, as in `TOOLS.map((tool) => tool.function.name)`.
  const isOneOfMany = file.entry["chat-tools"]?.includes("*") ?? false;
  if (arrays.length === 0 && !isOneOfMany) computed.forEach(add);
  else for (const name of computed) report.add("export-computed", modules.declaredAt(file.file, name), { name });
  return { arrays, names };
}

function placeWithin(modules: StaticModules, item: unknown, keys: readonly string[]): Place | undefined {
  let at: unknown = item;
  let place = isObject(at) ? modules.placeOf(at) : undefined;
  for (const key of keys) {
    if (!isObject(at)) break;
    place = modules.placeOf(at, key) ?? place;
    at = Object.hasOwn(at, key) ? (at as Readonly<Record<string, unknown>>)[key] : undefined;
  }
  return place;
}

const isObject = (value: unknown): value is object => typeof value === "object" && value !== null;

/** The arrays of a JSON file; undefined if it is not JSON. */
function readJson(file: SourceFile, report: Report): Found | undefined {
  const json = readJsonFile(file, report);
  if (!json) return undefined;
  const { value } = json;
  const lists = Array.isArray(value) ? [["tools", value] as const] : Object.entries(isRecord(value) ? value : {});
  const arrays = lists.flatMap(([name, items]) => {
    const path = Array.isArray(value) ? [] : [name];
    const placeOf: ToolArray["placeOf"] = (_item, index, ...keys) => json.placeOf(...path, index, ...keys);
    return Array.isArray(items) ? [{ name, items, placeOf }] : [];
  });
  return { arrays, names: arrays.map((one) => one.name) };
}

function selected({ arrays, names }: Found, file: SourceFile, report: Report): readonly ToolArray[] {
  const wanted = file.entry.exports;
  if (!wanted && arrays.length === 0) report.add("no-tools", file.place, { file: file.file, form: formOf(file) });
  for (const name of wanted ?? [])
    if (!arrays.some((one) => one.name === name)) {
      const nearest = closest(
        name,
        names.filter((one) => one !== name),
      );
      report.add("export-missing", file.placeOf?.("exports") ?? file.place, { name, nearest });
    }
  return wanted ? arrays.filter((one) => wanted.includes(one.name)) : arrays;
}

/** Expected form of a file, for a message; recognises a snapshot of an MCP server. */
function formOf({ file, text }: SourceFile): string {
  if (!file.endsWith(".json")) return "export one as a const";
  return /"inputSchema"/.test(text) ? "name it under `mcp`, not `chat-tools`" : `write [${FORM}]`;
}

const FORM = '{ type: "function", function: { name, description, parameters } }';

function definitionOf(
  item: unknown,
  array: ToolArray,
  index: number,
  file: SourceFile,
  report: Report,
): Definition | undefined {
  const place = array.placeOf(item, index);
  const tool = isRecord(item) ? item["function"] : undefined;
  if (!isRecord(item) || item["type"] !== "function" || !isRecord(tool)) {
    report.add("not-a-tool", place, { what: `item ${index} of ${array.name} is no function tool`, form: FORM });
    return undefined;
  }
  const { name, description = "", parameters = { type: "object", properties: {} } } = tool;
  if (typeof name !== "string" || name.trim() === "") {
    report.add("not-a-tool", place, { what: `item ${index} of ${array.name} has no name`, form: FORM });
    return undefined;
  }
  if (!isRecord(parameters) || typeof description !== "string") {
    const what = isRecord(parameters) ? "description of" : "parameters of";
    report.add("not-a-tool", place, {
      what: `${what} ${name} ${isRecord(parameters) ? "is no text" : "are no schema"}`,
      form: FORM,
    });
    return undefined;
  }
  const { kind } = file.entry;
  const placeAt = (pointer: string): Place =>
    array.placeOf(item, index, "function", "parameters", ...pointerParts(pointer));
  const base = { name, description, parameters: parameters as JsonSchema, annotations: {}, pack: file.pack, place };
  return { ...base, placeAt, origin: "local", ...(kind ? { kind } : {}) };
}

const looksLikeTool = (value: unknown): boolean =>
  isRecord(value) && value["type"] === "function" && isRecord(value["function"]);
