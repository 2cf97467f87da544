/**
 * The Source for modules of tools: objects of schema libraries and agent SDKs, with the functions that handle them. The module is run,
 * in a process of its own that may only read; positions are looked up in its text.
 */

import { closest } from "../../runtime/contract/closest.js";
import type { Place, Report } from "../core/diagnostic.js";
import type { Definition } from "../core/ir.js";
import type { ReadModule, ReadModuleTool, SourceFile } from "./source.js";

/** Reads a file of a `module` entry. */
export async function moduleTools(file: SourceFile, report: Report): Promise<readonly Definition[]> {
  const made = (await file.readModule?.(file.file)) ?? { failed: "no code is run here" };
  if ("failed" in made) {
    report.add("module-failed", made.place ?? placeOfCode(made.code, file) ?? file.place, {
      file: file.file,
      reason: made.failed,
    });
    return [];
  }
  const { placesIn } = await import("./module-places.js");
  const placeOf = placesIn(file.file, file.text);
  const { tools, strangers } = selectedOf(made, file, report);
  for (const { export: from, what } of strangers)
    report.add("module-tool", placeOf(from), { what: `${what} is no tool`, fix: FORM });
  if (tools.length === 0 && strangers.length === 0 && !file.entry.exports && !file.entry.allow_empty)
    report.add("no-tools", file.place, { file: file.file, form: FORM });
  return tools.flatMap((one) => definitionOf(one, placeOf(one.export, one.name), file, report));
}

/** Where a line of code is in a file, if it is there once: bundles keep statements as they are, but for their types. */
function placeOfCode(code: string | undefined, { file, text }: SourceFile): Place | undefined {
  const wanted = code?.trim() ?? "";
  const at = text.split("\n").flatMap((line, i) => (line.trim() === wanted ? [i + 1] : []));
  const [line] = at;
  return wanted === "" || line === undefined || at.length > 1 ? undefined : { file, line, column: 1 };
}

const FORM = "export { name, description, inputSchema, execute }, a list of such tools, or an object of them by name";

type Tools = Extract<ReadModule, { tools: unknown }>;

/** The tools of the exports that the entry names; of all by default. */
function selectedOf({ tools, strangers }: Tools, { entry, place, placeOf }: SourceFile, report: Report): Tools {
  const { exports: wanted } = entry;
  if (!wanted) return { tools, strangers };
  const names = [...new Set(tools.map((one) => one.export))];
  for (const name of wanted)
    if (!names.includes(name))
      report.add("export-missing", placeOf?.("exports") ?? place, { name, nearest: closest(name, names) });
  const isWanted = (one: { readonly export: string }): boolean => wanted.includes(one.export);
  return { tools: tools.filter(isWanted), strangers: strangers.filter(isWanted) };
}

function definitionOf(one: ReadModuleTool, place: Place, file: SourceFile, report: Report): readonly Definition[] {
  const { name, description = "", parameters, result, annotations = {}, fault, fix = FORM } = one;
  if (name === undefined || parameters === undefined) {
    const named = name === undefined ? `a tool of the export ${one.export}` : name;
    report.add("module-tool", place, { what: `${named} ${fault ?? "has no input schema"}`, fix });
    return [];
  }
  return [
    {
      ...{ name, description, parameters, annotations, place, pack: file.pack, origin: "local" },
      ...(result ? { result } : {}),
      ...(file.entry.kind ? { kind: file.entry.kind } : {}),
      call: { export: one.export, tool: name },
    },
  ];
}
