/** What `names` and `enums` have in common: a table, and entries that they add to `ops` in `toolwright.yaml`. */

import { join } from "node:path";
import { UsageError } from "../../runtime/contract/usage-error.js";
import { CONFIG_FILE, loadConfig } from "../config/config.js";
import { type Pins, withPins } from "../config/pin-values.js";
import { Report, shortDiagnostic } from "../core/diagnostic.js";
import { type Disk, writeAtomically } from "./files.js";

/** Writes the pins and reads the file again: every pin must be in force. @throws UsageError if one is not; nothing is written then */
export function pin(root: string, disk: Disk, pins: Pins): void {
  const before = disk.readDefinition(CONFIG_FILE) ?? "";
  const text = withPins(before, pins);
  const report = new Report();
  const config = loadConfig((file) => (file === CONFIG_FILE ? text : disk.readDefinition(file)), report);
  const inForce = (key: string): Readonly<Record<string, unknown>> => ({ ...config?.ops?.[key] });
  const lost = [...pins].filter(([key, values]) =>
    Object.entries(values).some(([name, value]) => JSON.stringify(inForce(key)[name]) !== JSON.stringify(value)),
  );
  if (lost.length > 0)
    throw new UsageError(
      `definitions/${CONFIG_FILE} cannot be added to (${[...report.sorted().map(shortDiagnostic), ...lost.map(([key]) => key)].join("; ")}): write the entries of \`ops\` yourself`,
    );
  writeAtomically(join(root, "definitions", CONFIG_FILE), text);
}

/** Lines of cells in columns; the last cell of a line may have any length. The first line is the heading. */
export function columns(lines: readonly (readonly string[])[], heading: (line: string) => string): string {
  const widths = (lines[0] ?? []).map((_, at) => Math.max(...lines.map((cells) => cells[at]?.length ?? 0)));
  const texts = lines.map((cells) =>
    cells
      .map((cell, at) => (at === cells.length - 1 ? cell : cell.padEnd(widths[at] ?? 0)))
      .join("  ")
      .trimEnd(),
  );
  return texts.map((text, at) => `${at === 0 ? heading(text) : text}\n`).join("");
}
