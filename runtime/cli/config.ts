/** The command `config`: the configuration in force as YAML or JSON, and where each value came from. */

import { stringify } from "yaml";
import { onLine } from "../contract/on-line.js";
import { type Effective, effectiveConfig, isLeaf, membersOf, type Origin, type Variable } from "../effective.js";
import type { ConfigPath } from "../settings.js";
import type { Start } from "../start.js";

/** Flags of the command `config`. */
export interface ConfigFlags {
  readonly origins?: boolean;
  readonly json?: boolean;
}

/** Prints the configuration in force. Exit code 0, 1 where a variable that is named is not set. */
export function printConfig(
  start: Pick<Start, "root" | "config" | "overrides" | "out" | "err" | "paint">,
  flags: ConfigFlags,
): number {
  const { config, values } = effectiveConfig(start);
  const missing = missingIn(values);
  const names = [...new Set(missing.map(({ name }) => name))];
  if (flags.json) start.out(`${JSON.stringify({ config, ...(flags.origins ? { origins: values } : {}), missing })}\n`);
  else {
    const notes = new Map(flags.origins ? values.map((one) => [JSON.stringify(one.path), originText(one)]) : []);
    const note = (path: ConfigPath): string => {
      const text = notes.get(JSON.stringify(path));
      return text === undefined ? "" : start.paint("dim", `  # ${onLine(text)}`);
    };
    start.out(`${linesOf(config, [], note).join("\n")}\n`);
  }
  if (missing.length === 0) return 0;
  const places = [...new Set(missing.map(({ origin }) => placeText(origin)))].join(", ");
  start.err(
    `${start.paint("yellow", "warning")} toolwright.yaml: missing variables: ${names.join(", ")}; set them in the environment or in .onetool/secrets.yaml (named at ${onLine(places)})\n`,
  );
  return 1;
}

interface MissingVariable {
  readonly name: string;
  readonly path: ConfigPath;
  readonly origin: Origin;
}

/** Variables that are not set; a server that is switched off needs none. */
function missingIn(values: readonly Effective[]): readonly MissingVariable[] {
  const isOff = (server: unknown): boolean =>
    values.some(
      ({ path: [section, name, key], value }) =>
        section === "servers" && name === server && key === "enabled" && value === false,
    );
  return values
    .filter(({ path: [section, name] }) => section !== "servers" || !isOff(name))
    .flatMap(({ path, origin, variables }) =>
      variables.flatMap(({ name, from }) => (from === "missing" ? [{ name, path, origin }] : [])),
    );
}

const placeText = (origin: Origin): string =>
  origin.kind === "file"
    ? `${origin.file}:${origin.line}:${origin.column}`
    : origin.kind === "flag"
      ? `flag ${origin.flag}`
      : "default";

const FROM = {
  environment: "from the environment",
  secrets: "from .onetool/secrets.yaml",
  default: "not set, so its default",
  missing: "not set",
} as const satisfies Readonly<Record<Variable["from"], string>>;

const originText = ({ origin, variables }: Effective): string =>
  [placeText(origin), ...variables.map(({ name, from }) => `${name} ${FROM[from]}`)].join("; ");

/** A map or a list of maps as YAML; what comes after a value is a comment. */
function linesOf(value: unknown, path: ConfigPath, note: (path: ConfigPath) => string): readonly string[] {
  return membersOf(value).flatMap(([key, member]) => {
    const below = [...path, key];
    const isItem = typeof key === "number";
    if (isLeaf(member)) return [`${isItem ? "-" : `${scalarText(key)}:`} ${scalarText(member)}${note(below)}`];
    const lines = linesOf(member, below, note);
    if (isItem) return lines.map((line, i) => `${i === 0 ? "- " : "  "}${line}`);
    return [`${scalarText(key)}:`, ...lines.map((line) => `  ${line}`)];
  });
}

/** A value on one line. What a terminal would obey, or needs several lines, is written as JSON, which YAML is too. */
function scalarText(value: unknown): string {
  const text = stringify(value, { collectionStyle: "flow", flowCollectionPadding: false, lineWidth: 0 }).trimEnd();
  return text.includes("\n") || onLine(text) !== text ? onLine(JSON.stringify(value)) : text;
}
