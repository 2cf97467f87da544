/** Implements `toolwright names`: shows the op of every tool and where it is from, and pins the ops that can move. */

import { counted } from "../../runtime/contract/message-text.js";
import { CONFIG_FILE } from "../config/config.js";
import type { Pins } from "../config/pin-values.js";
import type { Draft } from "../core/ir.js";
import { attempt } from "./attempt.js";
import { refuse, type Setting } from "./generate.js";
import { columns, pin } from "./pins.js";

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
  readonly named_by: Draft["named_by"];
  readonly because: string;
}

/** Prints the names of the project's own tools, or pins them. Exit code 0, or 2 if a diagnostic is an error. */
export async function names(setting: Setting, flags: NamesFlags): Promise<number> {
  const { build, diagnostics, failed, disk } = await attempt(setting, false);
  const own = (build?.drafts ?? []).filter((one) => one.origin === "local" && !one.shipped);
  const rows = own.map(rowOf).sort((a, b) => (a.op < b.op ? -1 : 1));
  const pins = pinsOf(own, build?.drafts ?? []);
  if (!flags.json && rows.length > 0 && !flags.write) setting.out(tableOf(rows, setting));
  if (failed || !build) {
    refuse(setting, diagnostics, flags, flags.write ? "Nothing was written." : "The names above are not final.");
    return 2;
  }
  if (flags.write && pins.size > 0) pin(setting.root, disk, pins);
  if (flags.json) setting.out(`${JSON.stringify({ ok: true, names: rows, pinned: flags.write ? pins.size : 0 })}\n`);
  else setting.out(`${closing(rows, pins, flags)}\n`);
  return 0;
}

const rowOf = ({ name, op, op_kind, named_by, because }: Draft): Row => ({
  tool: name,
  op,
  kind: op_kind,
  named_by,
  because: because[0]?.slice(`op ${op}: `.length).replace(/^inferred: /, "") ?? "",
});

/** Ops that other tools can move: inferred ones, and names of which nothing is inferred yet. */
function pinsOf(own: readonly Draft[], all: readonly Draft[]): Pins {
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

const tableOf = (rows: readonly Row[], { paint }: Setting): string =>
  columns(
    [HEADINGS, ...rows].map(({ tool, op, kind, named_by, because }) => [tool, op, kind, named_by, because]),
    (line) => paint("bold", line),
  );

function closing(rows: readonly Row[], pins: Pins, { write }: NamesFlags): string {
  if (write)
    return pins.size === 0
      ? "every name is pinned already"
      : `pinned ${counted(pins.size, "name")} in definitions/${CONFIG_FILE}`;
  const inferred = rows.filter((one) => one.named_by === "inferred").length;
  const all = `${counted(rows.length, "name")}, ${inferred} inferred`;
  return pins.size === 0 ? all : `${all}; "toolwright names --write" pins ${pins.size} in definitions/${CONFIG_FILE}`;
}
