/** The tables of `docs/reference/` that are made from the code: commands, configuration, diagnostics, breaking rules. */

import { type Command, Help } from "commander";
import { FEATURES } from "../../features/list.js";
import { commandLine } from "../../generator/cli/command-line.js";
import type { Actions } from "../../generator/cli/commands.js";
import { editorSchema } from "../../generator/config/editor-schema.js";
import { breakingRulesWith } from "../../generator/core/breaking-rule.js";
import { rulesWith } from "../../generator/core/feature-rules.js";
import { filledWith } from "../../runtime/contract/settings/feature-settings.js";
import type { Shape } from "../../runtime/contract/settings/setting.js";
import { ADDED_COMMANDS } from "../support/feature-commands.js";

type Described = Omit<Shape, "properties" | "additionalProperties" | "items"> & {
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Described>>;
  readonly additionalProperties?: false | Described;
  readonly items?: Described;
};

const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map(() => "---"), ...rows]
    .map((cells) => `| ${cells.join(" | ")} |`)
    .join("\n")
    .replaceAll("| --- |", "|---|")
    .replaceAll(" --- |", "---|");

const cell = (text: string): string => text.replaceAll("|", "\\|").replaceAll("<", "&lt;").replaceAll("\n", " ");
const code = (text: string): string => (text === "" ? "" : `\`${text.replaceAll("|", "\\|")}\``);

/** Parameters that read as their own names: `<tool>`. */
const named = new Proxy(
  {},
  { get: (_, name) => Object.assign([`<${String(name)}>`], { toString: () => `<${String(name)}>` }) },
);

/** Diagnostics: code, severity, fact and remedy. */
export function diagnosticsTable(): string {
  const say = (text: (params: never) => string): string =>
    cell(
      String(text(named as never))
        .replaceAll('["', "")
        .replaceAll('"]', ""),
    );
  const rows = Object.entries(rulesWith(FEATURES)).map(([name, { severity, message, fix }]) => [
    name,
    severity,
    say(message),
    say(fix),
  ]);
  return table(["code", "severity", "fact", "remedy"], rows);
}

/** What `breaking` finds. */
export const breakingTable = (): string =>
  table(
    ["rule", "level", "touches", "fact"],
    Object.entries(breakingRulesWith(FEATURES)).map(([name, { level, surface, about }]) => [
      name,
      level,
      surface.join(", "),
      about,
    ]),
  );

/** The commands that can be called, by full name; those that only group others are left out. */
export function commands(
  program = commandLine("toolwright", "", {} as Actions, ADDED_COMMANDS),
  path = "",
): readonly (readonly [string, Command])[] {
  return program.commands.flatMap((one) => {
    const name = `${path}${one.name()}`;
    // A command with flags is one of its own, beside those below it.
    const own = one.commands.length === 0 || one.options.length > 0 ? [[name, one] as const] : [];
    return [...own, ...commands(one, `${name} `)];
  });
}

/** Every command with its flags, but for those that each has. */
export function commandsText(): string {
  const help = new Help();
  const flags = ({ options }: Command) =>
    options
      .filter((one) => !["--root", "--log-level"].includes(one.long ?? ""))
      .map((one) => [code(one.flags), cell(help.optionDescription(one))]);
  return commands()
    .map(([name, one]) => {
      const operands = one.usage().replace("[options]", "").replace("[command]", "").trim();
      const rows = flags(one);
      const text = `### ${name}\n\n\`toolwright ${`${name} ${operands}`.trim()}\`: ${one.description()}.`;
      return rows.length === 0 ? text : `${text}\n\n${table(["flag", "means"], rows)}`;
    })
    .join("\n\n");
}

/** More keys than this in one place are one row: the rules of `breaking`. */
const MAX_LISTED_KEYS = 40;

/** Every key of `toolwright.yaml`: type, default and meaning. */
export const configurationTable = (): string =>
  table(
    ["key", "value", "default", "meaning"],
    rowsOf(editorSchema(FEATURES) as Described, "", filledWith(FEATURES, {})),
  );

function rowsOf(shape: Described, path: string, preset: unknown): readonly (readonly string[])[] {
  const member = (name: string): string => (path === "" ? name : `${path}.${name}`);
  return Object.entries(shape.properties ?? {})
    .flatMap(([name, one]) => {
      const own = isMap(preset) ? preset[name] : undefined;
      const row = [code(member(name)), valueText(one), presetText(own), cell(one.description ?? "")];
      return [row, ...below(one, member(name), own)];
    })
    .concat(
      shape.properties && shape.additionalProperties && path !== ""
        ? [
            [
              code(member("NAME")),
              valueText(shape.additionalProperties),
              "",
              cell(shape.additionalProperties.description ?? ""),
            ],
          ]
        : [],
    );
}

function below(shape: Described, path: string, preset: unknown): readonly (readonly string[])[] {
  if (shape.items) return below(shape.items, `${path}[]`, undefined);
  if (shape.additionalProperties && !shape.properties)
    return below(shape.additionalProperties, `${path}.NAME`, undefined);
  return isWide(shape) ? [] : rowsOf(shape, path, preset);
}

const isWide = ({ properties = {} }: Described): boolean => Object.keys(properties).length > MAX_LISTED_KEYS;
const isMap = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

function presetText(value: unknown): string {
  if (value === undefined || value === null || value === "" || isMap(value)) return "";
  if (Array.isArray(value)) return value.length === 0 ? "" : code(value.join(", "));
  return code(String(value));
}

function valueText(shape: Described): string {
  if (shape.enum) return shape.enum.map(code).join(", ");
  if (shape.items) return `list of ${valueText(shape.items)}`;
  if (isWide(shape)) return `map of rules: ${valueText(Object.values(shape.properties ?? {})[0] ?? {})}`;
  if (shape.additionalProperties && !shape.properties) return `map of ${valueText(shape.additionalProperties)}`;
  if (shape.properties) return "map";
  if (shape.format === "date") return "date";
  return `${[shape.type ?? "anything"]
    .flat()
    .filter((one) => one !== "null")
    .join(" or ")}${rangeText(shape)}`;
}

function rangeText({ minimum, maximum }: Described): string {
  if (maximum !== undefined) return `, ${minimum ?? 0} to ${maximum}`;
  return minimum === undefined || minimum === 0 ? "" : `, from ${minimum}`;
}
