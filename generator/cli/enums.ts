/** Implements `toolwright enums`: shows the values that only descriptions list, and pins them. */

import { closest } from "../../runtime/contract/closest.js";
import { counted } from "../../runtime/contract/message-text.js";
import { UsageError } from "../../runtime/contract/usage-error.js";
import { CONFIG_FILE } from "../config/config.js";
import type { NamedDefinition } from "../core/ir.js";
import { proseValues } from "../pass/pinned-values.js";
import { attemptNames } from "./attempt.js";
import { type CommandSetting, printRefusal } from "./generate.js";
import { columns, type NamesFlags, pin } from "./names.js";

/** A line of the table. */
interface Row {
  readonly tool: string;
  readonly argument: string;
  readonly values: readonly string[];
  readonly description: string;
}

/**
 * Prints the lists of the project's tools, or pins them. Exit code 0, or 2 if a diagnostic is an error.
 *
 * @param tools the tools to look at; empty for all
 * @throws UsageError for a tool that is not there
 */
export async function enums(setting: CommandSetting, tools: readonly string[], flags: NamesFlags): Promise<number> {
  const { build, diagnostics, failed, disk, features } = await attemptNames(setting);
  if (failed || !build) {
    printRefusal(setting, diagnostics, flags, "Nothing was written.");
    return 2;
  }
  const own = chosen(
    build.drafts.filter((one) => !one.shipped),
    tools,
  );
  const rows = own.flatMap(rowsOf);
  if (flags.write && rows.length > 0) pin({ ...setting, features }, disk, pinsOf(rows));
  if (flags.json) setting.out(`${JSON.stringify({ ok: true, enums: rows, pinned: flags.write ? rows.length : 0 })}\n`);
  else {
    if (rows.length > 0) setting.out(tableOf(rows, setting));
    setting.out(`${closing(rows, flags)}\n`);
  }
  return 0;
}

function chosen(drafts: readonly NamedDefinition[], tools: readonly string[]): readonly NamedDefinition[] {
  if (tools.length === 0) return drafts;
  const names = drafts.flatMap((one) => [one.name, one.op]);
  const unknown = tools.find((one) => !names.includes(one));
  if (unknown !== undefined) {
    const near = closest(unknown, names);
    throw new UsageError(`there is no tool ${unknown}${near === undefined ? "" : `; did you mean ${near}?`}`);
  }
  return drafts.filter((one) => tools.includes(one.name) || tools.includes(one.op));
}

/** The key of a tool under `ops`, and its lists. */
const rowsOf = (one: NamedDefinition): readonly Row[] =>
  [...proseValues(one)].map(([argument, { values, text }]) => ({
    tool: one.config_key,
    argument,
    values,
    description: text.replace(/\s+/g, " ").trim(),
  }));

function pinsOf(rows: readonly Row[]): ReadonlyMap<string, { readonly enums: Readonly<Record<string, unknown>> }> {
  const tools = [...new Set(rows.map(({ tool }) => tool))];
  return new Map(
    tools.map((tool) => {
      const own = rows.filter((row) => row.tool === tool);
      return [tool, { enums: Object.fromEntries(own.map(({ argument, values }) => [argument, values])) }];
    }),
  );
}

/** Longest description in the table, in characters. */
const MAX_DESCRIPTION_LENGTH = 100;

const tableOf = (rows: readonly Row[], { paint }: CommandSetting): string =>
  columns(
    [
      ["TOOL", "ARGUMENT", "VALUES", "DESCRIPTION"],
      ...rows.map(({ tool, argument, values, description }) => [
        tool,
        argument,
        values.join("|"),
        description.length > MAX_DESCRIPTION_LENGTH
          ? `${description.slice(0, MAX_DESCRIPTION_LENGTH - 1)}…`
          : description,
      ]),
    ],
    (line) => paint("bold", line),
  );

function closing(rows: readonly Row[], { write }: NamesFlags): string {
  if (rows.length === 0) return "no description lists values that the schema does not list";
  const lists = counted(rows.length, "list");
  return write
    ? `pinned ${lists} in definitions/${CONFIG_FILE}; run "toolwright generate"`
    : `${lists} that only prose gives; read them, then "toolwright enums --write" pins them in definitions/${CONFIG_FILE}`;
}
