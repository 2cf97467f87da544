/** The shapes of `toolwright.yaml`, `snippets.yaml` and `prompts.yaml`. `config.ts` checks against the first. */

import { type DeclaringFeature, settingsWith } from "../../runtime/contract/settings/feature-settings.js";
import { PROJECT_SETTINGS, type WrittenConfig } from "../../runtime/contract/settings/project-settings.js";
import * as s from "../../runtime/contract/settings/setting.js";
import type { FindingFeature } from "../core/breaking-rule.js";
import { type ReportingFeature, rulesWith } from "../core/feature-rules.js";
import type { ShapeCheck } from "../core/shape.js";

const { diagnostics } = PROJECT_SETTINGS.properties;

/** A feature that may emit a list of all ops as tools: models then call each op by a name of its own. */
export interface ListingFeature {
  /** Whether it does for a configuration. */
  readonly listsTools?: (config: WrittenConfig) => boolean;
}

/** Whether a feature emits a list of all ops as tools. */
export const listsTools = (features: readonly ListingFeature[], config: WrittenConfig): boolean =>
  features.some((one) => one.listsTools?.(config));

/** A feature that checks its keys. */
export interface KeyCheckingFeature {
  /** Checks them beyond their shape, once all files are merged and every value has the right type. */
  readonly checkKeys?: (config: WrittenConfig, checking: ShapeCheck) => void;
}

/** A feature that has a part in `toolwright.yaml`: keys, and rules, whose levels are set there. */
export interface ConfigFeature
  extends DeclaringFeature,
    ReportingFeature,
    FindingFeature,
    ListingFeature,
    KeyCheckingFeature {}

/** The settings of `toolwright.yaml` with those of features, in which keys that name rules are checked. */
export function configSchema(features: readonly ConfigFeature[] = []): s.Setting {
  const whole = settingsWith(features);
  return {
    ...whole,
    properties: {
      ...whole.properties,
      diagnostics: {
        ...diagnostics,
        additionalProperties: s.withNames(
          diagnostics.additionalProperties || s.anything(),
          Object.keys(rulesWith(features)),
        ),
      },
    },
  };
}

/** Keys of an entry of `sources`, without the kinds of plugins. */
export const SOURCE_KEYS: readonly string[] = Object.keys(PROJECT_SETTINGS.properties.sources.items?.properties ?? {});

const scalar: s.Setting = { type: ["string", "number", "boolean"] };

/** `snippets.yaml`. @param languages - names of those that a snippet may be written in */
export const snippetsSchema = (languages: readonly string[]): s.Setting =>
  s.map(
    s.entry({
      description: s.text(),
      language: s.choice(languages),
      params: s.map(
        s.entry({
          required: s.flag(),
          default: scalar,
          type: s.text(),
          description: s.text(),
          example: scalar,
          enum: s.list(scalar),
        }),
      ),
      body: s.required(s.text()),
    }),
  );

/** `prompts.yaml`: an example is code, or arguments by name. */
export const PROMPTS_SCHEMA: s.Setting = s.entry({
  instructions: s.text(),
  packs: s.map(s.text()),
  tools: s.map(s.entry({ examples: s.list({ type: ["string", "object"] }) })),
});
