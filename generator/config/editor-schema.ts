/**
 * Makes the JSON Schema of `toolwright.yaml` for editors. `npm run build` writes it to `schema.json`, which the package ships;
 * a project names it in the first line of its file.
 */

import type { Setting } from "../../runtime/contract/settings/setting.js";
import { type ConfigFeature, configSchema, SOURCE_KEYS } from "./schema.js";

type Node = Readonly<Record<string, unknown>>;

/** The schema, draft-07, as a value. @param features - whose keys are in it; default: none */
export function editorSchema(features: readonly ConfigFeature[] = []): Node {
  const { additionalProperties, ...whole } = jsonSchemaOf(configSchema(features));
  const known = Object.fromEntries(Object.keys(whole["properties"] as object).map((key) => [key, {}]));
  return {
    $schema: "http://json-schema.org/draft-07/schema#",
    title: "toolwright.yaml",
    ...whole,
    // Without plugins, a key that is not known is a typing error, at the top and of a source.
    if: { required: ["plugins"] },
    else: {
      properties: { ...known, sources: { items: { propertyNames: { enum: [...SOURCE_KEYS] } } } },
      additionalProperties,
    },
  };
}

/** A declaration without what only toolwright reads. */
function jsonSchemaOf(setting: Setting): Node {
  const { properties, additionalProperties, items, preset, isRequired, isExpanded, isSecret, ...rest } = setting;
  return {
    ...rest,
    ...(properties
      ? { properties: Object.fromEntries(Object.entries(properties).map(([key, one]) => [key, jsonSchemaOf(one)])) }
      : {}),
    ...(additionalProperties === undefined
      ? {}
      : { additionalProperties: additionalProperties && jsonSchemaOf(additionalProperties) }),
    ...(items ? { items: jsonSchemaOf(items) } : {}),
  };
}
