/** The keys `expose.resources` and `expose.prompts`. */

import type { FeatureSetting } from "../../runtime/contract/settings/feature-settings.js";
import * as s from "../../runtime/contract/settings/setting.js";

const EXPOSED_RESOURCES = s.map(
  s.entry({
    op: s.required(s.filled("The op whose result it is.")),
    name: s.filled("What clients call it. Default: the op."),
    description: s.text("Default: the op's summary."),
    mime: s.filled("Type of a text. Default: text/plain, or application/json for what is no text."),
  }),
  "Ops that only read, as resources: by address, or by a template such as notes://{id}, whose variables are arguments.",
  {},
);

const EXPOSED_PROMPTS = s.map(
  s.entry({
    op: s.required(s.filled("The op whose result it is.")),
    description: s.text("Default: the op's summary."),
  }),
  "Ops that only read, as prompts: by name. Arguments are the op's, its result is the message.",
  {},
);

/** All keys. */
export const RESOURCE_SETTINGS: readonly FeatureSetting[] = [
  { key: "expose.resources", setting: EXPOSED_RESOURCES },
  { key: "expose.prompts", setting: EXPOSED_PROMPTS },
];

/** The part of `toolwright.yaml` that they are, with their defaults. They are checked when the file is read. */
export interface ResourcesConfig {
  readonly expose: {
    readonly resources: s.Filled<typeof EXPOSED_RESOURCES>;
    readonly prompts: s.Filled<typeof EXPOSED_PROMPTS>;
  };
}

/** An entry of `expose.resources`. */
export type ResourceEntry = ResourcesConfig["expose"]["resources"][string];

/** What a configuration has of them; nothing if it sets none. */
export function exposedIn({ expose }: { readonly expose?: object | undefined }): ResourcesConfig["expose"] {
  return { resources: {}, prompts: {}, ...expose };
}
