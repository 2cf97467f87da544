/** Reads entries of `sources` through a kind of a plugin. */

import type { Place } from "../core/diagnostic.js";
import type { Definition } from "../core/ir.js";
import { safeName } from "../core/names.js";
import type { Source, SourceFile } from "../source/source.js";
import { OUTPUT_FORM, wrongWith } from "./forms.js";
import type { SourceDiagnostic, SourceOutput, ToolDefinition } from "./plugin.js";
import { type Loaded, reasonOf } from "./thread.js";

/** The source of one kind; `index` is its place in the list of the plugin. */
export function pluginSource({ specifier, thread }: Loaded, kind: string, index: number): Source {
  return {
    readAll: async (files, report) => {
      const [first] = files;
      if (!first) return [];
      const { place } = first;
      const known = new Map(files.map((one) => [one.file, one]));
      const read = (file: string): string | undefined => {
        const text = first.read(file);
        if (text !== undefined && !known.has(file)) known.set(file, { ...first, file, text });
        return text;
      };
      const fault = (fact: string): readonly Definition[] => {
        report.add("plugin-invalid", place, { plugin: specifier, what: `the result of the source ${kind}`, fact });
        return [];
      };
      try {
        const input = JSON.stringify([inputOf(files)]);
        const given = await thread.send({ list: "sources", index, call: "read", input }, read);
        const wrong = wrongWith(given, OUTPUT_FORM);
        if (wrong !== undefined) return fault(wrong);
        const { definitions, diagnostics = [] } = given as SourceOutput;
        const stray = [...definitions, ...diagnostics].find(({ file }) => !known.has(file));
        if (stray) return fault(`it names the file ${JSON.stringify(stray.file.slice(0, 200))}, which it did not read`);
        for (const one of diagnostics) report.add(CODES[one.severity], placeOf(one), { plugin: specifier, ...one });
        return definitions.map((one) => definitionOf(one, known.get(one.file) ?? first));
      } catch (error) {
        const doing = `the source ${kind}`;
        report.add("plugin-failed", place, { plugin: specifier, doing, reason: reasonOf(error) });
        return [];
      }
    },
  };
}

const CODES = { error: "plugin-error", warning: "plugin-warning", info: "plugin-info" } as const;

const inputOf = (files: readonly SourceFile[]): object => ({
  files: files.map(({ file, text, pack }) => ({ file, text, pack })),
  options: files[0]?.entry.options ?? {},
});

const placeOf = ({ file, line = 0, column }: Pick<SourceDiagnostic, "file" | "line" | "column">): Place => ({
  file,
  line,
  column: line === 0 ? 0 : (column ?? 1),
});

function definitionOf(one: ToolDefinition, { entry, pack }: SourceFile): Definition {
  const { name, description, parameters, result, annotations = {}, kind, op } = one;
  const declared = { ...(kind ? { kind } : {}), ...(op === undefined ? {} : { op }) };
  return {
    name,
    description,
    parameters,
    ...(result ? { result } : {}),
    annotations,
    pack: one.pack === undefined ? pack : safeName(one.pack),
    ...(entry.kind ? { kind: entry.kind } : {}),
    declared,
    origin: "local",
    place: placeOf(one),
  };
}
