/**
 * Parses the snippets of a project from the text of `definitions/snippets.yaml`: `{ <name>: { description, language,
 * params, body } }`.
 */

import { isObject } from "../contract/json.js";
import type { JsonObject } from "../contract/registry.js";
import type { Snippet, SnippetParameter } from "../contract/snippet.js";

/** Snippets by name; empty without a text, and for invalid YAML, which `generate` reports. */
export async function snippetsIn(text: string | undefined): Promise<ReadonlyMap<string, Snippet>> {
  if (text === undefined) return new Map();
  const values = await parsed(text);
  return new Map(
    Object.entries(isObject(values) ? values : {}).flatMap(([name, one]): readonly [string, Snippet][] =>
      isObject(one) && typeof one["body"] === "string"
        ? [
            [
              name,
              {
                ...textIn(one, "description"),
                ...textIn(one, "language"),
                body: one["body"],
                parameters: parametersOf(one["params"]),
              },
            ],
          ]
        : [],
    ),
  );
}

async function parsed(text: string): Promise<unknown> {
  const { default: yaml } = await import("yaml");
  try {
    return yaml.parse(text);
  } catch {
    return {};
  }
}

function parametersOf(params: unknown): ReadonlyMap<string, SnippetParameter> {
  return new Map(Object.entries(isObject(params) ? params : {}).map(([name, one]) => [name, parameterOf(one)]));
}

function parameterOf(one: unknown): SnippetParameter {
  if (!isObject(one)) return {};
  const { required, default: preset, example, enum: choices } = one;
  const shown = isScalar(example) || !Array.isArray(choices) ? example : choices[0];
  return {
    ...(typeof required === "boolean" ? { required } : {}),
    ...(isScalar(preset) ? { default: String(preset) } : {}),
    ...textIn(one, "type"),
    ...textIn(one, "description"),
    ...(isScalar(shown) ? { example: String(shown) } : {}),
    ...(Array.isArray(choices) ? { choices: choices.filter(isScalar).map(String) } : {}),
  };
}

const isScalar = (value: unknown): value is string | number | boolean =>
  typeof value === "string" || typeof value === "number" || typeof value === "boolean";

/** The member with this name, if it is a string. */
const textIn = <K extends string>(one: JsonObject, name: K): { readonly [name in K]?: string } =>
  typeof one[name] === "string" ? ({ [name]: one[name].trim() } as { readonly [name in K]?: string }) : {};
