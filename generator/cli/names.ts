/**
 * Implements `toolwright names`: shows the op of every tool and where it is from, and pins the ops that can move. Its
 * table, and the entries that it adds to `ops` in `toolwright.yaml`, serve `enums` too.
 */

import { join } from "node:path";
import { counted } from "../../runtime/contract/message-text.js";
import { UsageError } from "../../runtime/contract/usage-error.js";
import { CONFIG_FILE, loadConfig } from "../config/config.js";
import { type Pins, withPins } from "../config/pin-values.js";
import { Report, shortDiagnostic } from "../core/diagnostic.js";
import type { NamedDefinition } from "../core/ir.js";
import { attemptNames } from "./attempt.js";
import { type Disk, writeAtomicallySync } from "./files.js";
import { type CommandSetting, printRefusal } from "./generate.js";

/** Flags of the command. */
export interface NamesFlags {
  readonly write?: boolean;
  readonly json?: boolean;
}

/** A line of the table. */
interface Row {
  readonly tool: string;
  readonly op: string;
  readonly kind: string;
  readonly named_by: NamedDefinition["named_by"];
  readonly because: string;
}

/** Prints the names of all tools but those of shipped packs, or pins those that can move. Exit code 0, or 2 if a diagnostic is an error. */
export async function names(setting: CommandSetting, flags: NamesFlags): Promise<number> {
  const { build, diagnostics, failed, disk, features } = await attemptNames(setting);
  const listed = (build?.drafts ?? []).filter((one) => !one.shipped);
  const own = listed.filter((one) => one.origin === "local");
  const rows = listed.map(rowOf).sort((a, b) => (a.op < b.op ? -1 : 1));
  const pins = pinsOf(own, build?.drafts ?? []);
  if (!flags.json && rows.length > 0 && !flags.write) setting.out(tableOf(rows, setting));
  if (failed || !build) {
    printRefusal(setting, diagnostics, flags, flags.write ? "Nothing was written." : "The names above are not final.");
    return 2;
  }
  if (flags.write && pins.size > 0) pin({ ...setting, features }, disk, pins);
  if (flags.json) setting.out(`${JSON.stringify({ ok: true, names: rows, pinned: flags.write ? pins.size : 0 })}\n`);
  else setting.out(`${closing(rows, pins, own.length > 0, flags)}\n`);
  return 0;
}

const rowOf = ({ name, op, op_kind, named_by, because }: NamedDefinition): Row => ({
  tool: name,
  op,
  kind: op_kind,
  named_by,
  because: because[0]?.slice(`op ${op}: `.length).replace(/^inferred: /, "") ?? "",
});

/** Ops that other tools can move: inferred ones, and names that are not inferred yet. */
function pinsOf(own: readonly NamedDefinition[], all: readonly NamedDefinition[]): Pins {
  const movable = own.filter((one) => one.named_by === "inferred" || one.named_by === "name");
  const count = new Map<string, number>();
  for (const { name } of all) count.set(name, (count.get(name) ?? 0) + 1);
  return new Map(
    movable.map((one) => {
      const isShared = (count.get(one.name) ?? 0) > 1;
      return [isShared ? `${one.pack}/${one.name}` : one.config_key, { op: one.op }] as const;
    }),
  );
}

const HEADINGS = { tool: "TOOL", op: "OP", kind: "KIND", named_by: "FROM", because: "WHY" } as const;

const tableOf = (rows: readonly Row[], { paint }: CommandSetting): string =>
  columns(
    [HEADINGS, ...rows].map(({ tool, op, kind, named_by, because }) => [tool, op, kind, named_by, because]),
    (line) => paint("bold", line),
  );

function closing(rows: readonly Row[], pins: Pins, hasOwn: boolean, { write }: NamesFlags): string {
  if (write && !hasOwn && rows.length > 0) return "nothing to pin: names of servers and HTTP APIs do not move";
  if (write)
    return pins.size === 0
      ? "every name is pinned already"
      : `pinned ${counted(pins.size, "name")} in definitions/${CONFIG_FILE}`;
  const inferred = rows.filter((one) => one.named_by === "inferred").length;
  const all = `${counted(rows.length, "name")}, ${inferred} inferred`;
  return pins.size === 0 ? all : `${all}; "toolwright names --write" pins ${pins.size} in definitions/${CONFIG_FILE}`;
}

/** Writes the pins and reads the file again: every pin must be in force. @throws UsageError if one is not; nothing is written then */
export function pin({ root, features }: Pick<CommandSetting, "root" | "features">, disk: Disk, pins: Pins): void {
  const before = disk.readDefinition(CONFIG_FILE) ?? "";
  const text = withPins(before, pins);
  const report = new Report();
  const config = loadConfig(
    (file) => (file === CONFIG_FILE ? text : disk.readDefinition(file)),
    report,
    features && { features },
  );
  const inForce = (key: string): Readonly<Record<string, unknown>> => ({ ...config?.ops?.[key] });
  const lost = [...pins].filter(([key, values]) =>
    Object.entries(values).some(([name, value]) => JSON.stringify(inForce(key)[name]) !== JSON.stringify(value)),
  );
  if (lost.length > 0)
    throw new UsageError(
      `definitions/${CONFIG_FILE} cannot be added to (${[...report.sorted().map(shortDiagnostic), ...lost.map(([key]) => key)].join("; ")}): write the entries of \`ops\` yourself`,
    );
  writeAtomicallySync(join(root, "definitions", CONFIG_FILE), text);
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
