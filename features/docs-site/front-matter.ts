/** Reads the front matter of a guide: a map in YAML between two lines `---` at its beginning, as other site generators take it. */

import { parse } from "yaml";
import { isRecord } from "../../runtime/contract/json.js";

/** A guide without its front matter. */
export interface Fronted {
  readonly title?: string;
  /** One sentence, for lists. */
  readonly description?: string;
  /** The text, with empty lines in place of the front matter: each line keeps its number. */
  readonly body: string;
}

const FRONT = /^---[ \t]*\r?\n(?:([\s\S]*?)\r?\n)?---[ \t]*(?:\r?\n|$)/;

/** Takes the front matter off a guide; a text that does not begin with a map has none. */
export function withoutFrontMatter(text: string): Fronted {
  const [whole, yaml = ""] = FRONT.exec(text) ?? [];
  const values = whole === undefined ? undefined : mapIn(yaml);
  if (whole === undefined || !values) return { body: text };
  return {
    ...textAt(values, "title"),
    ...textAt(values, "description"),
    body: `${"\n".repeat(whole.split("\n").length - 1)}${text.slice(whole.length)}`,
  };
}

/** The map that a YAML text is; undefined if it is something else. */
function mapIn(yaml: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = parse(yaml, { logLevel: "error", maxAliasCount: 0 }) ?? {};
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** The member with this name, if it is a text. */
const textAt = <K extends string>(
  values: Readonly<Record<string, unknown>>,
  name: K,
): { readonly [name in K]?: string } =>
  typeof values[name] === "string" ? ({ [name]: values[name].trim() } as { readonly [name in K]?: string }) : {};
